// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Programs: what jobs compute, kept by the chain
/// @notice Native module at 0x6f4750554d6f64756c650000000000000000000a. A program is published once, checked in full, and
///         known by the content address of its encoding ever after. One that is larger than a transaction is stored in
///         pieces first, in any order and by anybody: a piece is known by the keccak-256 of its bytes.
interface IPrograms {
    /// @notice `launches` when all loops have run; `fuel` is what they may use together, in compute units. `inputs` are
    ///         the lengths in bytes of the buffers that come with a job, `outputs` of those that make up its result, in
    ///         the order of the program's buffers. `refereeable`: the chain can check every tile of it.
    struct Summary {
        address publisher;
        uint256 length;
        uint256 launches;
        uint256 fuel;
        bool refereeable;
        uint256[] inputs;
        uint256[] outputs;
    }

    /// @notice Nobody has published it.
    error UnknownProgram(bytes32 program);
    /// @notice It is there already.
    error AlreadyPublished(bytes32 program);
    /// @notice Nobody has stored it.
    error UnknownPiece(bytes32 piece);
    /// @notice A piece has 1 to `most` bytes.
    error InvalidPiece(uint256 length, uint256 most);
    /// @notice Not a program that can be run: `code` as the documentation lists them, `reason` for people.
    error InvalidProgram(string code, string reason);

    /// @notice A program is there for jobs.
    event Published(
        bytes32 indexed program, address indexed publisher, uint256 length, uint256 launches, uint256 fuel, bool refereeable
    );
    /// @notice A piece is there for programs.
    event PieceStored(bytes32 indexed piece, uint256 length);

    /// @notice Publishes a program that fits into a transaction.
    function publish(bytes calldata encoding) external returns (bytes32 program);

    /// @notice Stores a piece. Storing it again costs little and changes nothing.
    function storePiece(bytes calldata data) external returns (bytes32 piece);

    /// @notice Publishes the program whose encoding is these pieces, one after the other.
    function publishPieces(bytes32[] calldata pieces) external returns (bytes32 program);

    /// @notice Whether jobs can name it.
    function isPublished(bytes32 program) external view returns (bool);

    /// @notice Whether somebody has stored it.
    function isStored(bytes32 piece) external view returns (bool);

    /// @notice What there is to know of a program without running it.
    function summaryOf(bytes32 program) external view returns (Summary memory);

    /// @notice The pieces of its encoding, in their order.
    function piecesOf(bytes32 program) external view returns (bytes32[] memory);

    /// @notice The bytes of a piece.
    function pieceData(bytes32 piece) external view returns (bytes memory);

    /// @notice The encoding as a whole; for calls from outside, since it may be longer than a transaction can pay for.
    function encodingOf(bytes32 program) external view returns (bytes memory);
}
