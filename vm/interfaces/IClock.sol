// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title The clock: protocol time and epochs
/// @notice Native module at 0x6f4750554d6f64756c6500000000000000000002. All deadlines of the protocol run in protocol
///         time, which follows the blocks' times but advances by at most one heartbeat per block: an outage of the
///         chain expires nobody.
interface IClock {
    /// @notice Protocol time in seconds. It starts at the genesis time and is never ahead of the block's timestamp.
    function protocolTime() external view returns (uint256);

    /// @notice The epoch of this block.
    function epoch() external view returns (uint256);

    /// @notice Protocol time in seconds when `number` began; 0 if it has not.
    function epochStart(uint256 number) external view returns (uint256);
}
