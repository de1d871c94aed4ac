// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Verification: whether what a worker has committed is true
/// @notice Native module at 0x6f4750554d6f64756c650000000000000000000c. A round judges one segment of a job: seats are
///         drawn by a later beacon, each recomputes one tile and seals what it found, the worker opens the tiles, seats
///         reveal. What is in doubt is polled with a lead counter, and at last a referee executes the tile. The market
///         begins rounds. Times are protocol time in seconds, amounts wei.
interface IVerification {
    /// @notice A path in a tree of `count` leaves (docs/spec/job-program.md), from the leaf's neighbour up.
    struct Proof {
        uint48 index;
        uint48 count;
        bytes32[] siblings;
    }

    /// @notice A buffer as a launch left it: the root over its tiles.
    struct Version {
        uint32 buffer;
        bytes32 root;
    }

    /// @notice What a launch came to: the versions it wrote, in ascending order of buffers, or that `trapTile` traps.
    struct Outcome {
        bool trapped;
        uint32 trapTile;
        Version[] versions;
    }

    /// @notice One tile of one version: the content address of its bytes, and its salt.
    struct TileOpening {
        uint32 buffer;
        bytes32 contents;
        bytes32 salt;
        Proof proof;
    }

    /// @notice What opens a seat's tile: the launch's outcome, its leaf's path to the segment's root, and the tile in each
    ///         version, in ascending order of buffers; no tiles when the launch trapped.
    struct SeatOpening {
        uint32 seat;
        Outcome outcome;
        Proof proof;
        TileOpening[] tiles;
    }

    /// @notice `hash` is keccak256(abi.encode(verifier, round, seat, digest, nonce)).
    struct Seal {
        uint32 seat;
        bytes32 hash;
    }

    /// @notice What a seal hides. `digest` is the tile's (docs/spec/verification.md), or that of UNAVAILABLE.
    struct Answer {
        uint32 seat;
        bytes32 digest;
        bytes32 nonce;
    }

    /// @notice `phase`: 1 sealing, 2 opening, 3 revealing, 4 voting, 5 counting, 6 referee, 7 accepted, 8 rejected. The
    ///         phase ends at `by`, or when everybody whose turn it is has acted; 0 while a draw is waited for. `isFinal`
    ///         when nothing can change any more. `guilty`: 0 nobody, 1 the worker, 2 the program. `startCheckpoint` is 0
    ///         for the first segment, `seed` until it is published. Launches from `firstLaunch` to `endLaunch` - 1 are
    ///         committed; the last of them traps at `trapTile` if `trapped`.
    struct Round {
        uint256 id;
        uint256 job;
        uint32 segment;
        uint32 segments;
        address client;
        address worker;
        bytes32 program;
        bytes32 segmentRoot;
        bytes32 checkpointRoot;
        bytes32 startCheckpoint;
        bytes32 seed;
        uint48 firstLaunch;
        uint48 endLaunch;
        bool trapped;
        uint32 trapTile;
        uint8 phase;
        bool isFinal;
        uint32 reason;
        uint8 guilty;
        uint256 by;
        uint8 tier;
        uint32 seats;
        uint256 seatFee;
        uint256 epoch;
        uint256 begunBlock;
    }

    /// @notice A seat of tier 0. `verifier` is 0 until it is drawn. `opened` is the digest that the worker's opening gives,
    ///         `answer` what the seat revealed; 0 until then.
    struct Seat {
        uint32 seat;
        address verifier;
        uint48 launch;
        uint32 tile;
        bool isSealed;
        bool isRevealed;
        bytes32 opened;
        bytes32 answer;
    }

    /// @notice A seat in a vote. Where everybody votes, `units` are the verifier's; otherwise 1.
    struct Vote {
        uint32 seat;
        address verifier;
        uint256 units;
        bool isSealed;
        bool isRevealed;
        bytes32 answer;
    }

    /// @notice The tile that is voted on now, and the votes that the asked account has in it. `isOpen` is false when none
    ///         is. `lead` is for less against the worker, in units where `everybody` votes; `votes` were drawn so far.
    struct Dispute {
        bool isOpen;
        uint48 launch;
        uint32 tile;
        bytes32 opened;
        bool everybody;
        int256 lead;
        uint32 drawn;
        Vote[] votes;
    }

    /// @notice What an accepted segment is worth trusting: `seats` found it true at tier `tier` (1 when something was put to
    ///         the vote); those who said so stand to lose `stakeAtRisk`. Assuming that verifiers with `adversaryShare` of
    ///         the stake lie for the worker, beacons bent by as many leaders included, whoever falsified
    ///         `corruptibleShare` of the compute passes with the chance `passChance`. `voteError` is the chance that a
    ///         vote decides wrong. Shares and chances in millionths, `voteError` in 10^-18.
    struct Assurance {
        uint32 seats;
        uint8 tier;
        uint256 stakeAtRisk;
        uint256 adversaryShare;
        uint256 corruptibleShare;
        uint256 passChance;
        uint256 voteError;
    }

    /// @notice Where the bytes of a staged chunk come from. `kind`: 0 what the buffer was at the start (an input, a constant,
    ///         zeros), 1 a tile that `launch` of this segment wrote, 2 a tile of the version that the checkpoint before the
    ///         segment has of the buffer, which `proof` leads to.
    struct Origin {
        uint8 kind;
        uint48 launch;
        Outcome outcome;
        Proof proof;
        uint32 tile;
        TileOpening opening;
    }

    /// @notice A chunk of what a challenged tile reads, with its path to the content address that `origin` leads to.
    struct Chunk {
        uint32 buffer;
        Origin origin;
        bytes contents;
        Proof proof;
    }

    /// @notice A chunk of a committed output, with its path to the output's content address.
    struct OutputChunk {
        bytes contents;
        Proof proof;
    }

    /// @notice A tile that waits for the referee. `opened` is the digest of what the worker committed, 0 until that is
    ///         known; `stages` calls have supplied chunks. The verdict comes at `by`, or, when that is 0, in the next block.
    struct Challenge {
        uint256 id;
        address challenger;
        uint256 bond;
        bytes32 opened;
        uint32 stages;
        uint256 by;
    }

    /// @notice There is no such round.
    error NoSuchRound(uint256 round);
    /// @notice The round is in `phase`, in which this cannot be done.
    error WrongPhase(uint256 round, uint8 phase);
    /// @notice The phase has ended.
    error TooLate(uint256 by, uint256 time);
    /// @notice The seat is not the caller's, or there is none.
    error NotYourSeat(uint32 seat);
    /// @notice The seat has a seal already.
    error AlreadySealed(uint32 seat);
    /// @notice The seat has no seal to reveal.
    error NotSealed(uint32 seat);
    /// @notice The seat has revealed already.
    error AlreadyRevealed(uint32 seat);
    /// @notice Digest and nonce are not what the seal hides.
    error SealMismatch(uint32 seat);
    /// @notice Only the round's worker can do that.
    error NotWorker(address worker);
    /// @notice Only the round's client can do that.
    error NotClient(address client);
    /// @notice The seat's tile is open already.
    error AlreadyOpened(uint32 seat);
    /// @notice The opening does not show that seat's tile in the commitment. `what`: 1 the launch's leaf, 2 a buffer that the
    ///         opening leaves out or makes up, 3 a tile, 4 a trap that was not committed, or the reverse.
    error BadOpening(uint32 seat, uint8 what);
    /// @notice The commitment cannot be of that segment: it has no launches, or traps elsewhere. The market's calls revert
    ///         with it.
    error BadCommitment();
    /// @notice The seed does not give the salts that were opened.
    error BadSeed();
    /// @notice The seed is known already.
    error AlreadyPublished();
    /// @notice Only validators of this epoch sponsor canaries.
    error NotValidator(address account);
    /// @notice The sponsor has registered one in this epoch, or the epoch's budget, or the treasury, is used up.
    error NoCanaryLeft();
    /// @notice Nobody registered such a canary before the round began, or it has ended.
    error NoCanary();
    /// @notice The referee cannot take that tile: it is none of the round's, too large, or its launch trapped elsewhere.
    error NotRefereeable(uint48 launch, uint32 tile);
    /// @notice The caller has challenged that tile already.
    error AlreadyChallenged(uint256 round, uint48 launch, uint32 tile);
    /// @notice The referee has found out what that tile is.
    error AlreadyProven(uint256 round, uint48 launch, uint32 tile);
    /// @notice That account has not challenged the tile.
    error NoChallenge(uint256 round, uint48 launch, uint32 tile);
    /// @notice A challenge takes exactly that much.
    error WrongBond(uint256 bond);
    /// @notice It is not known yet what the worker committed of that tile: `openChallenged` shows it.
    error NotOpened(uint256 round, uint48 launch, uint32 tile);
    /// @notice The chunk at that position does not hold. `what`: 0 its origin is of no kind, 1 the tile does not read the
    ///         buffer, 2 the buffer comes from elsewhere, 3 the version, 4 the tile, 5 the chunk is not the committed one.
    error BadChunk(uint256 index, uint8 what);
    /// @notice What was sent shows no difference.
    error NothingShown();
    /// @notice A list, or a call, has at most `most` entries.
    error TooMany(uint256 most);

    /// @notice A round began.
    event RoundBegun(
        uint256 indexed round, uint256 indexed job, address indexed worker, bytes32 program, uint32 segment, uint32 seats
    );
    /// @notice The seat is the verifier's: it recomputes that tile and seals what it finds.
    event SeatDrawn(uint256 indexed round, address indexed verifier, uint32 seat, uint48 launch, uint32 tile);
    /// @notice The round is in a new phase, which ends at `by`, 0 if that is not known yet.
    event PhaseChanged(uint256 indexed round, uint8 phase, uint256 by);
    /// @notice A seat sealed what it found.
    event SeatSealed(uint256 indexed round, uint32 seat);
    /// @notice The worker opened the seat's tile, and this is its digest.
    event TileOpened(uint256 indexed round, uint32 seat, bytes32 digest);
    /// @notice A seat revealed what it had sealed.
    event SeatRevealed(uint256 indexed round, uint32 seat, bytes32 digest);
    /// @notice The tile is put to the vote, of drawn seats or of everybody.
    event Disputed(uint256 indexed round, uint48 launch, uint32 tile, bool everybody);
    /// @notice The verifier votes on the disputed tile.
    event VoteDrawn(uint256 indexed round, address indexed verifier, uint32 seat, uint48 launch, uint32 tile);
    /// @notice Where the vote stands: `drawn` votes so far, the worker's `lead` (in units where everybody votes).
    event Counted(uint256 indexed round, uint48 launch, uint32 tile, int256 lead, uint32 drawn);
    /// @notice From this seed come all salts of the segment: now anybody can check all of it.
    event SeedPublished(uint256 indexed round, bytes32 seed);
    /// @notice The round is decided; the referee may still be called until `by`.
    event Decided(uint256 indexed round, uint256 indexed job, bool accepted, uint32 reason, uint8 guilty, uint256 by);
    /// @notice Nothing changes any more, and everybody was paid.
    event Closed(uint256 indexed round, uint256 indexed job, bool accepted, uint32 reason, uint8 guilty);
    /// @notice The verifier earned `amount` in the round.
    event Earned(uint256 indexed round, address indexed verifier, uint256 amount);
    /// @notice The verifier was silent in the round; it cost `amount`, 0 when that was waived.
    event Absent(uint256 indexed round, address indexed verifier, uint256 amount);
    /// @notice Somebody calls the referee for a tile; the verdict comes at `by` at the latest.
    event Challenged(
        uint256 indexed round, address indexed challenger, uint48 launch, uint32 tile, uint256 bond, uint256 by
    );
    /// @notice So many more chunks are there for a challenged tile.
    event ChunksStaged(uint256 indexed round, address indexed challenger, uint48 launch, uint32 tile, uint256 chunks);
    /// @notice The referee's verdict: 0 the challenge failed, 1 the worker is right, 2 it is wrong, 3 the program traps.
    ///         `digest` is the tile's, 0 when it was not computed.
    event Refereed(
        uint256 indexed round, address indexed challenger, uint48 launch, uint32 tile, uint8 verdict, bytes32 digest
    );
    /// @notice A validator registered a canary for which the treasury puts up `prize`.
    event CanaryRegistered(address indexed sponsor, bytes32 indexed canary, uint256 prize);
    /// @notice The round was a canary. `caught` went to the seats that caught it, the rest of the prize to the treasury.
    event CanaryRevealed(uint256 indexed round, address indexed sponsor, uint256 caught);
    /// @notice The canary was never revealed: its prize is the treasury's again.
    event CanaryExpired(address indexed sponsor, bytes32 indexed canary);

    /// @notice Seals what the caller's seats found. All or nothing.
    function seal(uint256 round, Seal[] calldata seals) external;

    /// @notice The worker opens the tiles of seats, once all have sealed or their time is over; in parts if it likes.
    function open(uint256 round, SeatOpening[] calldata openings) external;

    /// @notice Reveals what the caller's seats sealed, once the worker has opened.
    function reveal(uint256 round, Answer[] calldata answers) external;

    /// @notice The worker publishes the seed of its salts, once it has opened. Only then can a round be accepted for good.
    function publishSeed(uint256 round, bytes32 seed) external;

    /// @notice Seals the caller's votes on the disputed tile.
    function sealVotes(uint256 round, Seal[] calldata seals) external;

    /// @notice Reveals the caller's votes.
    function revealVotes(uint256 round, Answer[] calldata answers) external;

    /// @notice A validator of this epoch registers a canary: a job whose client and worker it is behind, with tiles that
    ///         are false on purpose. `canary` is keccak256(abi.encode(sponsor, client, worker, segmentRoot, nonce)), so
    ///         nobody can tell which round it will be. One for each validator in an epoch; the treasury puts up its prize.
    ///         The caller is at `position` of the epoch's set of validators.
    function registerCanary(uint32 position, bytes32 canary) external;

    /// @notice The client of a rejected round shows that it was a canary, before the round closes: then nobody is guilty,
    ///         those who caught it share the prize, and who passed it loses as ever.
    function revealCanary(uint256 round, address sponsor, bytes32 nonce) external;

    /// @notice Calls the referee for one tile of a round that waits for one or is decided, with the bond sent
    ///         (`challengeBond`). The gas pays for what every validator will do. The verdict comes at the end of
    ///         verification.refereeSeconds, or after `judge`; a challenge that shows nothing loses its bond. Others may
    ///         challenge the same tile.
    function challenge(uint256 round, uint48 launch, uint32 tile) external payable;

    /// @notice Opens a tile that the caller has challenged and no seat had, so that it is known what the worker committed.
    ///         `opening.seat` means nothing.
    function openChallenged(uint256 round, uint48 launch, uint32 tile, SeatOpening calldata opening) external;

    /// @notice Supplies chunks that the tile reads that the caller has challenged, at most 24,575 bytes in one call.
    function stage(uint256 round, uint48 launch, uint32 tile, Chunk[] calldata chunks) external;

    /// @notice The challenger says that everything is there: the verdict comes in the next block.
    function judge(uint256 round, uint48 launch, uint32 tile) external;

    /// @notice Shows that a committed output is not what the launches left: a chunk of the tile that was written last, and
    ///         chunks of the output that have other bytes in its place. The round is rejected at once.
    function challengeOutput(
        uint256 round, uint32 output, Chunk calldata written, OutputChunk[] calldata chunks
    ) external;

    /// @notice Shows that the committed checkpoint has another version of a buffer than the launches left: `claimed` is in
    ///         the checkpoint by `proof`, and `origin` leads to what was left. The round is rejected at once.
    function challengeCheckpoint(
        uint256 round, uint32 buffer, bytes32 claimed, Proof calldata proof, Origin calldata origin
    ) external;

    /// @notice What a challenge in that round takes now: twice as much for every four that wait already.
    function challengeBond(uint256 round) external view returns (uint256);

    /// @notice Somebody's challenge of that tile. Reverts with NoChallenge.
    function challengeOf(uint256 round, uint48 launch, uint32 tile, address challenger)
        external
        view
        returns (Challenge memory);

    /// @notice How many rounds were begun. They are numbered from 1.
    function roundCount() external view returns (uint256);

    /// @notice One round. Reverts with NoSuchRound.
    function roundOf(uint256 round) external view returns (Round memory);

    /// @notice The phases of `count` rounds from `first` on, at most 100: 0 for those that are closed, or not begun.
    function phasesOf(uint256 first, uint256 count) external view returns (uint8[] memory);

    /// @notice The content addresses of the job's inputs, and those of the outputs that the round's worker committed.
    function addressesOf(uint256 round) external view returns (bytes32[] memory inputs, bytes32[] memory outputs);

    /// @notice The seats of tier 0.
    function seatsOf(uint256 round) external view returns (Seat[] memory);

    /// @notice The tile that is voted on now, with the votes that `account` has in it.
    function disputeOf(uint256 round, address account) external view returns (Dispute memory);

    /// @notice All votes that were drawn in the round, from `start` on, at most 100.
    function votesOf(uint256 round, uint256 start, uint256 limit) external view returns (Vote[] memory);

    /// @notice What an accepted round is worth trusting; all 0 for one that is not.
    function assuranceOf(uint256 round) external view returns (Assurance memory);

    /// @notice How often in a row the verifier was silent without excuse. verification.jailAfter times jail it.
    function absencesOf(address verifier) external view returns (uint256);
}
