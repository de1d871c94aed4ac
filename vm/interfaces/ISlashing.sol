// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Slashing: what validators lose for breaking the rules of consensus
/// @notice Native module at 0x6f4750554d6f64756c6500000000000000000004. Anybody may send evidence: two votes, signed by one
///         validator's key, that the rules exclude. The chain checks both signatures itself. The validator loses a
///         share of its own stake, of what is delegated to it and of what was still leaving it, and is out for good.
///         Who was absent for an epoch loses little and waits a while before it may come back.
/// @dev A vote is the RLP list [kind, epoch, view, hash, signature], kinds 1 PROPOSE, 2 NOTARIZE, 3 NULLIFY (its hash is
///      empty) and 4 FINALIZE; the signature is BLS12-381, 96 bytes, and the key 48 bytes.
interface ISlashing {
    /// @notice What a validator did. `Downtime` is found by the chain itself, all others are shown by evidence.
    enum Offence {
        None,
        DoublePropose,
        DoubleNotarize,
        DoubleFinalize,
        NullifyFinalize,
        FinalizeOther,
        Downtime
    }

    /// @notice One penalty. `reporter`, `viewNumber` and `digest` are zero for downtime.
    struct Slash {
        address operator;
        Offence offence;
        uint256 epoch;
        uint256 viewNumber;
        uint256 blockNumber;
        uint256 time;
        uint256 amount;
        address reporter;
        bytes32 digest;
    }

    /// @notice A BLS public key has 48 bytes and is a point of its group.
    error MalformedKey();

    /// @notice `which` vote, 1 or 2, is not the encoding of a vote.
    error MalformedVote(uint256 which);

    /// @notice Having signed both votes breaks no rule: they are the same, of different views, or allowed together.
    error NoOffence();

    /// @notice No validator has or had this key.
    error NotValidator(bytes publicKey);

    /// @notice The key did not sign `which` vote, 1 or 2, on this chain.
    error WrongSignature(uint256 which);

    /// @notice The votes are of an epoch that has not begun.
    error EpochNotBegun(uint256 epoch, uint256 current);

    /// @notice The epoch is over for longer than the evidence window: its offences were to be shown until `until`.
    error EvidenceExpired(uint256 epoch, uint256 until);

    /// @notice This evidence, in whichever order, was accepted before.
    error EvidenceHandled(bytes32 digest);

    /// @notice The validator is out for good already, by other evidence. It is punished once.
    error AlreadyTombstoned(address operator);

    /// @notice At most `most` entries are given at a time.
    error TooMany(uint256 most);

    /// @notice The validator of `operator` was shown to have broken the rules; `amount` was taken from its stake.
    event Slashed(
        address indexed operator,
        address indexed reporter,
        Offence offence,
        uint256 epoch,
        uint256 viewNumber,
        uint256 amount,
        bytes32 digest
    );

    /// @notice The validator signed `signedBlocks` of the `countedBlocks` blocks of an epoch, lost `amount`, and may come
    ///         back from `jailedUntil` on, in protocol time.
    event Absent(
        address indexed operator,
        uint256 indexed epoch,
        uint256 signedBlocks,
        uint256 countedBlocks,
        uint256 amount,
        uint256 jailedUntil
    );

    /// @notice The validator was absent as well, but nothing happens to it: without it, and those who left before it, the
    ///         rest of the set would weigh too little.
    event Spared(address indexed operator, uint256 indexed epoch, uint256 signedBlocks, uint256 countedBlocks);

    /// @notice Where a slash went. `reporter` and `reward` are zero if nobody reported.
    event Distributed(address indexed reporter, uint256 reward, uint256 toTreasury, uint256 burned);

    /// @notice Punishes the holder of `publicKey` for having signed both votes. Anybody may call; the caller gets the
    ///         reporter's share of what is taken, at most half of what the operator itself has lost.
    /// @return amount What was taken, all in all.
    /// @return reward What of it went to the caller.
    function submitEvidence(bytes calldata publicKey, bytes calldata first, bytes calldata second)
        external
        returns (uint256 amount, uint256 reward);

    /// @notice What `submitEvidence` would find, without punishing anybody. Reverts with the same errors.
    function checkEvidence(bytes calldata publicKey, bytes calldata first, bytes calldata second)
        external
        view
        returns (address operator, Offence offence, uint256 epoch, uint256 viewNumber, bytes32 digest);

    /// @notice What names the evidence, whichever vote comes first. Checks the form of it only.
    function digestOf(bytes calldata publicKey, bytes calldata first, bytes calldata second)
        external
        pure
        returns (bytes32);

    /// @notice Whether evidence of this digest was accepted.
    function isHandled(bytes32 digest) external view returns (bool);

    /// @notice How many penalties there have been.
    function slashCount() external view returns (uint256);

    /// @notice Penalties in their order, from number `start` (the first is 0), at most `limit` of them and at most 100.
    function slashAt(uint256 start, uint256 limit) external view returns (Slash[] memory);
}
