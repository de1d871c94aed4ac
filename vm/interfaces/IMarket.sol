// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Market: jobs, those who do them, and what they are paid
/// @notice Native module at 0x6f4750554d6f64756c650000000000000000000d. Pool tasks are small and race: a source names a
///         program once, providers join it with devices, tasks bring inputs. Auction jobs are long: sealed bids, one
///         worker, segments that are verified and paid one by one. Every state ends by itself when its time is over.
///         Amounts in wei, times protocol time in seconds, shares in millionths, regions short text padded with zeros.
///         docs/spec/market.md has the states, the reasons and the timeouts.
///
///         Status of a job: 0 none, 1 open (waits for racers or takes bids), 2 revealing (bids), 3 assigned (somebody
///         computes), 4 committed (is verified), 5 accepted (may still be challenged), 6 settled, 7 rejected, 8 cancelled,
///         9 expired.
interface IMarket {
    /// @notice A program that tasks are made of. Each task pays `price` now (base price of the tier, times compute units),
    ///         and `total` with the fees of `seats` verifiers. At most `racers` providers race for one, each with
    ///         `collateral` reserved (never less than the task's price), and with `workerLock` of its trust lock set aside
    ///         for the time of its membership. A task waits `waitSeconds` for racers at most, and they have `taskSeconds`.
    ///         A `maxPrice` of 0 is none. `waiting`: tasks without racers so far.
    struct Source {
        uint256 id;
        address owner;
        bytes32 program;
        uint8 tier;
        uint8 racers;
        uint8 seats;
        uint8 assurance;
        bool open;
        uint256 collateral;
        uint256 workerLock;
        uint256 maxPrice;
        uint256 taskSeconds;
        uint256 computeUnits;
        uint256 price;
        uint256 total;
        uint256 members;
        uint256 idle;
        uint256 waiting;
        uint256 tasks;
    }

    /// @notice A device that has joined a source. `job` is what it races for now, 0 if it is idle. `misses`: races in a row
    ///         in which it sealed nothing. `locked`: left of the trust lock behind it.
    struct Member {
        uint256 source;
        address provider;
        uint64 device;
        uint256 job;
        uint256 misses;
        uint256 locked;
    }

    /// @notice Somebody in a race, in the order of places that the beacon drew. `sealedAt`: the block of its seal, 0 for
    ///         none. `failed`: its result was refused, or it did not reveal in time.
    struct Racer {
        address worker;
        uint64 device;
        uint256 sealedAt;
        bool revealed;
        bool failed;
    }

    /// @notice What a worker commits to for a segment. `outputs`: content addresses in the order of the program's outputs,
    ///         with the last segment only (none when it traps). `traps`: `trapTile` is the lowest tile of launch `trapLaunch`
    ///         that traps, and that launch is the segment's last.
    struct Commitment {
        bytes32 segmentRoot;
        bytes32 checkpointRoot;
        bytes32[] outputs;
        bool traps;
        uint48 trapLaunch;
        uint32 trapTile;
    }

    /// @notice Who is told of the result, by `onJobResult(uint256 job, bool accepted, bytes32[] outputs)` with at most `gas`.
    ///         `tip` is prepaid for whoever calls `deliver`. A zero target is none.
    struct Callback {
        address target;
        uint64 gas;
        uint256 tip;
    }

    /// @notice What a client asks for in an auction. `budget`: all that it pays to workers, at most. `segments`: parts that
    ///         are verified and paid one by one. `tier`: of the hardware. `assurance`: 0 puts to the vote what the `seats`
    ///         doubt, 1 all that they check. `region`: near which data is, zero for anywhere.
    struct Terms {
        bytes32 program;
        uint256 budget;
        uint32 segments;
        uint8 tier;
        uint8 seats;
        uint8 assurance;
        uint256 bidSeconds;
        uint256 jobSeconds;
        bytes16 region;
    }

    /// @notice A job. `actor`: whose turn it is (0 nobody's, 1 the client's, 2 the worker's or the racers', 3 the bidders',
    ///         4 the verifiers', 5 the protocol's), until `by`; the job ends at `deadline` at the latest, or when the round
    ///         that runs then is decided. `source` is 0 for an auction job. `segment` is computed or verified now, from
    ///         `checkpoint` (zero for the first one). `worker`: who is verified or was assigned, zero while nobody is.
    ///         `budget`: what workers may still be paid; `paid`: what they were paid, fees included. `attempt`: how often
    ///         racers were drawn or an auction was held. `locked`: of the client's trust lock. `reserved`: of the collateral of
    ///         the worker, or of each racer; after the end as long as the worker answers for the outputs.
    struct Job {
        uint256 id;
        uint8 status;
        uint16 reason;
        uint8 actor;
        uint256 by;
        uint256 deadline;
        uint256 source;
        address client;
        bytes32 program;
        bytes32[] inputs;
        uint32 segments;
        uint32 segment;
        bytes32 checkpoint;
        address worker;
        Racer[] racers;
        uint256 round;
        uint256 budget;
        uint256 price;
        uint256 paid;
        uint8 tier;
        uint8 seats;
        uint8 assurance;
        bytes32[] outputs;
        bool traps;
        uint256 computeUnits;
        uint256 attempt;
        uint256 created;
        uint256 locked;
        bytes16 region;
        bool cancelling;
        Callback callback;
        bool delivered;
        uint256 reserved;
    }

    /// @notice A bid in the running auction of a job, or in its last one. `price`, `secondsTaken` and `region` are zero until
    ///         it is revealed. `score`: less is better; 0 for a bid that cannot win.
    struct Bid {
        address bidder;
        bytes32 seal;
        uint256 lock;
        bool revealed;
        uint256 price;
        uint256 secondsTaken;
        bytes16 region;
        uint256 score;
    }

    /// @notice Something that somebody must show on chain until `by`: chunk `chunk` of `item`, which is an input, an output or
    ///         a buffer of the checkpoint. `kind`: 1 input (the client answers), 2 output, 3 checkpoint (the worker answers).
    ///         `status`: 0 none, 1 waits, 2 answered, 3 not answered.
    struct Demand {
        uint256 job;
        uint8 kind;
        uint32 item;
        uint64 chunk;
        address demander;
        address accused;
        uint256 bond;
        uint256 by;
        uint8 status;
    }

    /// @notice Where a chunk's contents belong in a checkpoint. `version` is the buffer's leaf there, with the hashes beside
    ///         its path; `tile` is the content address of the tile, with its salt and the hashes beside its path in the
    ///         version. A buffer that nothing has written has no tiles: its version is its content address.
    struct CheckpointProof {
        bytes32 version;
        bytes32[] versionSiblings;
        bytes32 tile;
        bytes32 salt;
        bytes32[] tileSiblings;
    }

    /// @notice What the client got for its money, in numbers. The assurance is that of the last accepted round, as
    ///         IVerification.assuranceOf has it: `seats` found it true at `assurance` 0 (spot check) or 1 (vote), and stand to
    ///         lose `stakeAtRisk`; the worker stood to lose `workerAtRisk`. If verifiers with `adversaryShare` of the stake
    ///         lie, whoever falsified `corruptibleShare` of the compute passes with the chance `passChance`, and a vote errs
    ///         with `voteError` (in 10^-18). `refereeable`: the chain itself can recompute any tile.
    ///         paid = what workers got + `burned` + `treasury`; what was `minted` came on top.
    struct Receipt {
        uint256 job;
        uint8 status;
        uint16 reason;
        address client;
        address worker;
        bytes32 program;
        bytes32[] inputs;
        bytes32[] outputs;
        bool traps;
        uint256 round;
        uint32 seats;
        uint8 assurance;
        uint256 stakeAtRisk;
        uint256 workerAtRisk;
        uint256 adversaryShare;
        uint256 corruptibleShare;
        uint256 passChance;
        uint256 voteError;
        bool refereeable;
        uint256 paid;
        uint256 burned;
        uint256 treasury;
        uint256 verification;
        uint256 minted;
        uint256 refunded;
        uint256 created;
        uint256 ended;
    }

    /// @notice There is no such source.
    error NoSource(uint256 source);
    /// @notice The source takes no tasks or members any more.
    error SourceClosed(uint256 source);
    /// @notice Only the source's owner may do that.
    error NotOwner(address owner);
    /// @notice There is no such job.
    error NoJob(uint256 job);
    /// @notice The job is in status `status`, in which that cannot be done.
    error WrongStatus(uint256 job, uint8 status);
    /// @notice It is for another attempt than the job's present one, `attempt`.
    error WrongAttempt(uint256 job, uint256 attempt);
    /// @notice Only the job's client may do that.
    error NotClient(address client);
    /// @notice Only the job's worker may do that.
    error NotWorker(address worker);
    /// @notice The caller has no place in the race for this job.
    error NotRacer(uint256 job, address account);
    /// @notice That is for pool tasks only.
    error NotATask(uint256 job);
    /// @notice That is for auction jobs only.
    error NotAnAuction(uint256 job);
    /// @notice Nobody has published this program.
    error UnknownProgram(bytes32 program);
    /// @notice The program has `expected` inputs, or outputs.
    error WrongCount(uint256 given, uint256 expected);
    /// @notice `name` must be from `least` to `most`.
    error OutOfRange(string name, uint256 value, uint256 least, uint256 most);
    /// @notice The call needs `needed`, and got `sent`.
    error NotEnoughSent(uint256 sent, uint256 needed);
    /// @notice A task costs `price` now, more than the source allows.
    error PriceAboveCap(uint256 price, uint256 cap);
    /// @notice The provider is not active, or has too little collateral.
    error NotAvailable(address provider);
    /// @notice The provider has no such device.
    error NoDevice(address provider, uint64 device);
    /// @notice The device is of tier `tier`, the source or job wants `wanted`.
    error WrongTier(uint8 tier, uint8 wanted);
    /// @notice The device is a member already.
    error AlreadyMember(uint256 source, address provider, uint64 device);
    /// @notice The device is no member.
    error NotMember(uint256 source, address provider, uint64 device);
    /// @notice The device races for `job`: it can leave when that is over.
    error DeviceBusy(uint256 job);
    /// @notice There is room for `most`.
    error Full(uint256 most);
    /// @notice The provider has collateral for `most` joined devices (one providers.minCollateral each).
    error TooLittleCollateral(uint256 collateral, uint256 needed);
    /// @notice It was done already, and can be done once.
    error AlreadyDone();
    /// @notice What was revealed does not have the hash that was sealed.
    error SealMismatch(bytes32 expected);
    /// @notice There is no seal of the caller.
    error NoSeal(uint256 job, address account);
    /// @notice A reveal comes in a later block than its seal: or it could be copied before it counts.
    error TooEarly(uint256 notBefore);
    /// @notice The time for that ended at `by`.
    error TooLate(uint256 by);
    /// @notice Segment `expected` is next.
    error WrongSegment(uint32 segment, uint32 expected);
    /// @notice The commitment does not fit the program or the segment.
    error BadCommitment();
    /// @notice The budget cannot be less than `least`, what is promised already.
    error BudgetTooLow(uint256 budget, uint256 least);
    /// @notice The job was cancelled already and ends with its present segment.
    error CancelPending(uint256 job);
    /// @notice The proof does not show that chunk.
    error BadProof();
    /// @notice Nobody demands that, or it was answered.
    error NoDemand(uint256 job, uint8 kind, uint32 item, uint64 chunk);
    /// @notice Somebody demands that already.
    error DemandOpen(uint256 by);
    /// @notice The job has no callback.
    error NoCallback(uint256 job);
    /// @notice Callbacks run by a transaction to `deliver`, not from within a contract.
    error NotByContract();
    /// @notice A list gives at most `most` entries at a time.
    error TooMany(uint256 most);

    /// @notice A job came into a status, for a reason (docs/spec/market.md has them all). `actor` is whose turn it is until
    ///         `by`, numbered as in `Job`.
    event JobChanged(uint256 indexed job, uint8 indexed status, uint16 reason, uint8 actor, uint256 by);
    /// @notice A task came to a source. `price` for the worker and fees, `verification` for the seats.
    event TaskSubmitted(
        uint256 indexed job, uint256 indexed source, address indexed client, uint256 price, uint256 verification
    );
    /// @notice A job is auctioned. `verification` is for the seats of all segments.
    event JobPosted(uint256 indexed job, address indexed client, bytes32 indexed program, uint256 budget, uint256 verification);
    /// @notice A source was made, or changed.
    event SourceChanged(
        uint256 indexed source,
        address indexed owner,
        bytes32 indexed program,
        uint8 tier,
        uint8 racers,
        uint8 seats,
        uint8 assurance,
        uint256 collateral,
        uint256 maxPrice,
        uint256 taskSeconds
    );
    /// @notice No new tasks and members; those that are there end as usual.
    event SourceEnded(uint256 indexed source);
    /// @notice A device takes part in the draws of a source.
    event MemberJoined(uint256 indexed source, address indexed provider, uint64 device, uint256 locked);
    /// @notice It does not any more. `reason`: 0 by itself, 1 too many misses, 2 not available, 3 too little collateral,
    ///         4 its lock was used up, 5 its device is gone, 6 the source is closed.
    event MemberLeft(uint256 indexed source, address indexed provider, uint64 device, uint8 reason);
    /// @notice `worker` has place `place` in the race.
    event RacerDrawn(uint256 indexed job, address indexed worker, uint64 device, uint8 place, uint256 collateral);
    /// @notice A racer sealed its result.
    event Sealed(uint256 indexed job, address indexed worker, bytes32 seal);
    /// @notice A worker showed what it commits to.
    event Committed(
        uint256 indexed job,
        address indexed worker,
        uint32 segment,
        bytes32 segmentRoot,
        bytes32 checkpointRoot,
        bytes32[] outputs,
        bool traps,
        uint48 trapLaunch,
        uint32 trapTile
    );
    /// @notice Verifiers begin to check it.
    event RoundBegun(uint256 indexed job, uint256 indexed round, address indexed worker, uint32 segment);
    /// @notice A sealed bid, with `lock` of the bidder's trust lock behind it.
    event BidPlaced(uint256 indexed job, address indexed bidder, bytes32 seal, uint256 lock);
    /// @notice A bid was shown.
    event BidRevealed(
        uint256 indexed job, address indexed bidder, uint256 price, uint256 secondsTaken, bytes16 region, uint256 score
    );
    /// @notice `worker` won. `gap` is what it pays if it defaults, on the whole of what is left of the job.
    event Awarded(uint256 indexed job, address indexed worker, uint256 price, uint256 secondsTaken, uint256 gap);
    /// @notice The client holds the state after the segment.
    event CheckpointAttested(uint256 indexed job, uint32 segment, address by);
    /// @notice A segment was paid: `price` = `earned` + `burned` + `treasury`; `minted` came on top for the worker.
    event SegmentPaid(
        uint256 indexed job,
        address indexed worker,
        uint32 segment,
        uint256 price,
        uint256 earned,
        uint256 burned,
        uint256 treasury,
        uint256 minted
    );
    /// @notice A worker or client was punished, for the reason of `JobChanged`. Of lock and collateral, `toVictim` went to
    ///         whom it harmed; the rest was burned, given to the treasury, and to the catcher if `CatcherPaid` follows.
    event Punished(
        uint256 indexed job, address indexed account, uint16 reason, uint256 fromLock, uint256 fromCollateral, uint256 toVictim
    );
    /// @notice Of the penalty that was told just before, `amount` went to who proved the worker wrong.
    event CatcherPaid(uint256 indexed job, address indexed catcher, address indexed worker, uint256 amount);
    /// @notice The client got back what was not spent.
    event Refunded(uint256 indexed job, address indexed client, uint256 amount);
    /// @notice The client changed what it pays at most.
    event BudgetChanged(uint256 indexed job, uint256 budget);
    /// @notice The client wants to end the job: it ends when the segment that is verified now is decided.
    event CancelRequested(uint256 indexed job);
    /// @notice `accused` must show the chunk until `by`.
    event Demanded(
        uint256 indexed job, address indexed accused, address demander, uint8 kind, uint32 item, uint64 chunk, uint256 by
    );
    /// @notice It did. The bytes are in the transaction's input.
    event Answered(uint256 indexed job, address indexed accused, uint8 kind, uint32 item, uint64 chunk);
    /// @notice It did not.
    event Withheld(uint256 indexed job, address indexed accused, uint8 kind, uint32 item, uint64 chunk);
    /// @notice The callback ran, and whether it succeeded. `deliverer` got the tip either way.
    event Delivered(uint256 indexed job, address indexed target, bool succeeded, address deliverer, uint256 tip);

    /// @notice Makes a source of tasks. The program is published (IPrograms).
    /// @param collateral Reserved of each racer, at least; never less than the task's price is.
    /// @param assurance 0 puts to the vote what the seats doubt, 1 all that they check.
    /// @param maxPrice A task that would cost more is refused; 0 for no cap.
    /// @param taskSeconds How long racers have from the draw to their seal.
    function createSource(
        bytes32 program,
        uint8 tier,
        uint8 racers,
        uint256 collateral,
        uint8 seats,
        uint8 assurance,
        uint256 maxPrice,
        uint256 taskSeconds
    ) external returns (uint256 source);

    /// @notice By the owner: other terms for tasks that come from now on.
    function updateSource(
        uint256 source,
        uint8 racers,
        uint256 collateral,
        uint8 seats,
        uint8 assurance,
        uint256 maxPrice,
        uint256 taskSeconds
    ) external;

    /// @notice By the owner: no new tasks. Those that wait keep their place, and its members may leave.
    function closeSource(uint256 source) external;

    /// @notice By a provider: the device takes part in the source's draws, one task at a time. Sets `workerLock` of the
    ///         caller's trust lock aside; what is missing there is taken from the value sent, the rest of which comes back.
    function joinSource(uint256 source, uint64 device) external payable;

    /// @notice By the provider. While the device races it cannot.
    function leaveSource(uint256 source, uint64 device) external;

    /// @notice A task for whoever is drawn. Costs what `quoteTask` says, with the callback's tip; sets the client's part of
    ///         the trust lock aside as `joinSource` does. The rest of the value comes back.
    /// @param inputs Content addresses, in the order of the program's input buffers.
    function submitTask(uint256 source, bytes32[] calldata inputs, Callback calldata callback)
        external
        payable
        returns (uint256 job);

    /// @notice By a racer: `sealOf` of what it will reveal, for the draw that it knows of: one that comes when racers were
    ///         drawn anew is refused (WrongAttempt), since its sender may not know that it has to reveal it.
    function commitSealed(uint256 job, uint256 attempt, bytes32 seal) external;

    /// @notice By a racer, in a later block than its seal. The first seal that verifies earns the reward.
    function reveal(uint256 job, Commitment calldata commitment, bytes32 nonce) external;

    /// @notice An auction. Costs the budget, the seats of all segments and the callback's tip; and the client's lock.
    function postJob(Terms calldata terms, bytes32[] calldata inputs, Callback calldata callback)
        external
        payable
        returns (uint256 job);

    /// @notice By a provider with a device of the job's tier: a sealed bid (`bidSealOf`). Sets `bidLock` of its trust lock
    ///         aside, from the value sent where it is missing; who does not reveal loses it. One that comes when another
    ///         auction of the job has begun is refused (WrongAttempt): its seal could not be revealed there.
    function bid(uint256 job, uint256 attempt, bytes32 seal) external payable;

    /// @notice By a bidder, when bidding is over.
    /// @param price For all that is left of the job, fees included.
    /// @param secondsTaken In which it will be done.
    function revealBid(uint256 job, uint256 price, uint256 secondsTaken, bytes16 region, bytes32 nonce) external;

    /// @notice By the worker: what segment `segment` came to.
    function commitSegment(uint256 job, uint32 segment, Commitment calldata commitment) external;

    /// @notice By the client, or whom it named: it holds the state after that segment.
    function attestCheckpoint(uint256 job, uint32 segment) external;

    /// @notice By the client: who may attest in its place.
    function setHolder(uint256 job, address holder) external;

    /// @notice By the client: the value sent is added to the budget.
    function raiseBudget(uint256 job) external payable;

    /// @notice By the client: workers are paid at most `budget` from now on; the rest comes back. Never less than what is
    ///         promised to the present worker.
    function capBudget(uint256 job, uint256 budget) external;

    /// @notice By the client. A task can be cancelled until racers are drawn. An auction job always: its worker is paid for
    ///         the time that it has spent on the present segment, or for that segment if it is being verified.
    function cancel(uint256 job) external;

    /// @notice Anybody demands a chunk (1 KiB) of an output, as long as the worker is liable for it. The value sent is the
    ///         bond: at least market.demandBond. It pays for the answer, or comes back with a part of what is lost.
    function demandOutput(uint256 job, uint32 output, uint64 chunk) external payable;

    /// @notice A racer or worker that cannot get an input demands it of the client, while it is its turn.
    function demandInput(uint256 job, uint32 input, uint64 chunk) external payable;

    /// @notice The client demands a chunk of a buffer as the last accepted segment left it, until it has attested.
    /// @param chunk Of the tile `chunk >> 32`: its chunk `chunk & 0xffffffff`.
    function demandCheckpoint(uint256 job, uint32 buffer, uint64 chunk) external payable;

    /// @notice By the worker: the bytes of the chunk (fewer than 1 KiB for the last one), and the hashes beside its path.
    function answerOutput(uint256 job, uint32 output, uint64 chunk, bytes calldata contents, bytes32[] calldata siblings)
        external;

    /// @notice By the client, in the same way.
    function answerInput(uint256 job, uint32 input, uint64 chunk, bytes calldata contents, bytes32[] calldata siblings)
        external;

    /// @notice By the worker: the chunk in its tile, the tile in the buffer's version, the version in the checkpoint.
    function answerCheckpoint(
        uint256 job,
        uint32 buffer,
        uint64 chunk,
        bytes calldata contents,
        bytes32[] calldata siblings,
        CheckpointProof calldata proof
    ) external;

    /// @notice By anybody, for the tip: tells the callback's target that the job is over.
    function deliver(uint256 job) external;

    /// @notice What a racer seals.
    function sealOf(uint256 job, address worker, Commitment calldata commitment, bytes32 nonce)
        external
        pure
        returns (bytes32);

    /// @notice What a bidder seals, for the job's auction number `attempt`.
    function bidSealOf(
        uint256 job,
        uint256 attempt,
        address bidder,
        uint256 price,
        uint256 secondsTaken,
        bytes16 region,
        bytes32 nonce
    ) external pure returns (bytes32);

    /// @notice What a task costs now: `price` for the worker and fees, `verification` for the seats, `total` of both; and
    ///         `lock` of the client's trust lock, which is set aside and comes back.
    function quoteTask(uint256 source)
        external
        view
        returns (uint256 price, uint256 verification, uint256 total, uint256 lock);

    /// @notice What posting a job costs: the budget, `verification` for the seats, `total` of both, the client's `lock`, and
    ///         what a bidder sets aside (`bidLock`). `suggested`: the base price of the tier for the program.
    function quoteJob(Terms calldata terms)
        external
        view
        returns (uint256 suggested, uint256 verification, uint256 total, uint256 lock, uint256 bidLock);

    /// @notice A source; all zero if there is none.
    function sourceOf(uint256 source) external view returns (Source memory);

    /// @notice How many sources were ever made. They are numbered from 1.
    function sourceCount() external view returns (uint256);

    /// @notice Sources that take tasks and members, newest first.
    function openSources(uint256 start, uint256 limit) external view returns (Source[] memory);

    /// @notice All sources, newest first.
    function sources(uint256 start, uint256 limit) external view returns (Source[] memory);

    /// @notice Members of a source, in no order.
    function membersOf(uint256 source, uint256 start, uint256 limit) external view returns (Member[] memory);

    /// @notice Where devices of a provider are members.
    function membershipsOf(address provider, uint256 start, uint256 limit) external view returns (Member[] memory);

    /// @notice A job; all zero if there is none.
    function jobOf(uint256 job) external view returns (Job memory);

    /// @notice How many jobs there ever were. They are numbered from 1.
    function jobCount() external view returns (uint256);

    /// @notice All jobs, newest first.
    function jobs(uint256 start, uint256 limit) external view returns (uint256[] memory);

    /// @notice Jobs in a status from 1 to 5, in no order.
    function jobsByStatus(uint8 status, uint256 start, uint256 limit) external view returns (uint256[] memory);

    /// @notice How many jobs are in a status from 1 to 5.
    function countByStatus(uint8 status) external view returns (uint256);

    /// @notice Jobs of a client, newest first.
    function jobsOfClient(address client, uint256 start, uint256 limit) external view returns (uint256[] memory);

    /// @notice Jobs that an account raced for or was assigned to, newest first.
    function jobsOfWorker(address worker, uint256 start, uint256 limit) external view returns (uint256[] memory);

    /// @notice Bids of the running auction of a job, or of its last one.
    function bidsOf(uint256 job) external view returns (Bid[] memory);

    /// @notice What was demanded; all zero if nothing was.
    function demandOf(uint256 job, uint8 kind, uint32 item, uint64 chunk) external view returns (Demand memory);

    /// @notice Demands of a job that wait for an answer.
    function openDemands(uint256 job) external view returns (Demand[] memory);

    /// @notice For those who would rather look than be called. `done`: the job is over.
    function resultOf(uint256 job) external view returns (bool done, bool accepted, bytes32[] memory outputs);

    /// @notice What the client got for its money, at any time.
    function receiptOf(uint256 job) external view returns (Receipt memory);

    /// @notice All that the market holds for jobs: escrows, tips and bonds.
    function totalEscrow() external view returns (uint256);
}
