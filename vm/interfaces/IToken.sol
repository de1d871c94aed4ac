// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title The oGPU token: supply, emission and burning
/// @notice Native module at 0x6f4750554d6f64756c6500000000000000000001. oGPU itself is the chain's native
///         currency: it moves by ordinary value transfers.
interface IToken {
    /// @notice `burn` was called without money.
    error NothingSent();

    /// @notice `amount` left the supply for good.
    event Burned(address indexed account, uint256 amount);

    function name() external view returns (string memory);

    function symbol() external view returns (string memory);

    function decimals() external view returns (uint8);

    /// @notice The most that will ever exist: 21,000,000 oGPU, in wei.
    function cap() external view returns (uint256);

    /// @notice What the genesis block allocated.
    function genesisSupply() external view returns (uint256);

    /// @notice What exists now: genesis supply plus minted less burned.
    function totalSupply() external view returns (uint256);

    /// @notice What all blocks have minted.
    function minted() external view returns (uint256);

    /// @notice What base fees, calls of `burn` and destroyed contracts have taken out of the supply.
    function burned() external view returns (uint256);

    /// @notice What block `blockNumber` may mint, for those who finalise it and for verified work.
    function emissionOf(uint256 blockNumber) external view returns (uint256);

    /// @notice What is still to be minted.
    function emissionLeft() external view returns (uint256);

    function balanceOf(address account) external view returns (uint256);

    /// @notice Burns the value sent with the call.
    function burn() external payable;
}
