// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title The treasury: money that only governance spends
/// @notice Native module at 0x6f4750554d6f64756c6500000000000000000009. It lives on a share of the base fees, on
///         slashes, on deposits that proposals have lost, and on what anybody gives it. A plain transfer counts as well.
interface ITreasury {
    /// @notice `deposit` was called without money.
    error NothingSent();

    /// @notice The treasury got `amount` out of `from`'s account. Sources that the protocol names: "base fees" (told
    ///         once at the end of an epoch; from is then the treasury itself), "slash", "lost deposit", "deposit".
    event Funded(address indexed from, string source, uint256 amount);

    /// @notice Accepted proposal number `proposal` paid `amount` to `to`.
    event Spent(uint256 indexed proposal, address indexed to, uint256 amount);

    /// @notice What there is to spend.
    function balance() external view returns (uint256);

    /// @notice What has come from a source since genesis. Plain transfers have none and are in the balance alone.
    function receivedFrom(string calldata source) external view returns (uint256);

    /// @notice What proposals have spent since genesis.
    function spent() external view returns (uint256);

    /// @notice Gives the value sent with the call.
    function deposit() external payable;
}
