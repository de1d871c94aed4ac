// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title The agenda: what the protocol has to do, and when
/// @notice Native module at 0x6f4750554d6f64756c650000000000000000000e. Modules put their deadlines and draws here. Every block
///         begins with what is due, oldest first, as much as the block's budget of gas allows; the rest comes in the
///         next block. A chain that rests makes a block when something is due.
interface IAgenda {
    /// @notice Something that was due could not be done: the protocol's own fault. What it had begun is undone.
    event Failed(address indexed module, uint256 indexed kind, uint256 indexed id, string reason);

    /// @notice How much is on the agenda.
    function count() external view returns (uint256);

    /// @notice The block and the protocol time in seconds at which something is due next; 0 where nothing is.
    function nextDue() external view returns (uint256 blockNumber, uint256 time);

    /// @notice When a module's work of this kind and number is due, as a block or a protocol time; 0 and 0 if it is not on
    ///         the agenda.
    function dueOf(address module, uint256 kind, uint256 id) external view returns (uint256 blockNumber, uint256 time);
}
