// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Trust lock: money that stands behind promises
/// @notice Native module at 0x6f4750554d6f64756c6500000000000000000005. Clients and providers lock oGPU and set parts of
///         it aside for commitments: a job of the market, or an object of any other protocol. Whoever controls a
///         commitment, and nobody else, releases its money or takes it for a breach. Locked money reaches a wallet in two
///         ways only: its owner unlocks it and waits, or a module of the protocol finds a breach. Times are protocol time
///         in seconds, amounts wei.
interface ITrustLock {
    /// @notice What an owner has promised to one controller under one name. `left` = amount - released - breached -
    ///         reclaimed. `status`: 0 none, 1 open (something is left), 2 released, 3 breached (in part or whole), 4
    ///         reclaimed after the deadline.
    struct Commitment {
        address owner;
        address controller;
        bytes32 commitment;
        uint8 status;
        uint256 amount;
        uint256 released;
        uint256 breached;
        uint256 reclaimed;
        uint256 left;
        uint256 since;
        uint256 deadline;
    }

    /// @notice The call needs money and got none.
    error NothingSent();
    /// @notice The amount is zero.
    error ZeroAmount();
    /// @notice The account has a lock already: use `topUp`.
    error LockExists(uint256 total);
    /// @notice The account has no lock: use `lock`.
    error NoLock();
    /// @notice The lock would hold `amount`, less than `minimum`. Unlocking everything is allowed.
    error BelowMinimum(uint256 amount, uint256 minimum);
    /// @notice Only `free` is neither set aside nor leaving.
    error NotEnoughFree(uint256 free, uint256 wanted);
    /// @notice Only `unlocking` is leaving.
    error NotEnoughUnlocking(uint256 unlocking, uint256 wanted);
    /// @notice Nothing can be withdrawn yet. `nextDue` is when something can, 0 if nothing is leaving.
    error NothingDue(uint256 nextDue);
    /// @notice A controller is another account than the owner, and not zero. Modules set money aside by themselves, in
    ///         the owner's own transactions to them.
    error BadController(address controller);
    /// @notice The deadline must be after `earliest` and not after `latest`.
    error BadDeadline(uint256 deadline, uint256 earliest, uint256 latest);
    /// @notice The owner has given this controller that commitment before. Names are used once.
    error CommitmentUsed(address owner, address controller, bytes32 commitment);
    /// @notice The owner has never given this controller such a commitment.
    error NoCommitment(address owner, address controller, bytes32 commitment);
    /// @notice Nothing is left in the commitment.
    error CommitmentClosed(address owner, address controller, bytes32 commitment);
    /// @notice Only `left` is left in the commitment.
    error NotEnoughLeft(uint256 left, uint256 wanted);
    /// @notice It is the controller's until `deadline`.
    error DeadlineAhead(uint256 deadline, uint256 time);
    /// @notice A breach names as many beneficiaries as amounts, from 1 to `most`.
    error BadSplit(uint256 beneficiaries, uint256 amounts, uint256 most);
    /// @notice The amounts of a breach sum to `sum` and not to `amount`.
    error SplitNotWhole(uint256 sum, uint256 amount);
    /// @notice A module other than the treasury gets nothing from a breach.
    error BadBeneficiary(address beneficiary);
    /// @notice A list gives at most `most` entries at a time.
    error TooMany(uint256 most);

    /// @notice `owner` locked `amount`, and has `total` locked now.
    event Locked(address indexed owner, uint256 amount, uint256 total);
    /// @notice `amount` stands behind `commitment` until `controller` decides, or `deadline` is over.
    event Allocated(
        address indexed owner, address indexed controller, bytes32 indexed commitment, uint256 amount, uint256 deadline
    );
    /// @notice `amount` more stands behind it.
    event Increased(address indexed owner, address indexed controller, bytes32 indexed commitment, uint256 amount);
    /// @notice It has a later deadline.
    event Extended(address indexed owner, address indexed controller, bytes32 indexed commitment, uint256 deadline);
    /// @notice The controller gave `amount` back to the owner's lock; `left` is still set aside.
    event Released(
        address indexed owner, address indexed controller, bytes32 indexed commitment, uint256 amount, uint256 left
    );
    /// @notice The controller took `amount`, for a reason of its own numbering; `left` is still set aside.
    event Breached(
        address indexed owner,
        address indexed controller,
        bytes32 indexed commitment,
        uint256 amount,
        uint32 reason,
        uint256 left
    );
    /// @notice What `beneficiary` got of that breach; the zero address stands for burned. `locked`: it was added to the
    ///         beneficiary's own lock; otherwise it was paid.
    event BreachPaid(
        address indexed owner, bytes32 indexed commitment, address indexed beneficiary, uint256 amount, bool locked
    );
    /// @notice After the deadline the owner took `amount` back into its lock.
    event Reclaimed(address indexed owner, address indexed controller, bytes32 indexed commitment, uint256 amount);
    /// @notice `amount` leaves the lock and can be withdrawn at `due`.
    event UnlockStarted(address indexed owner, uint256 amount, uint256 due);
    /// @notice `amount` stays after all.
    event UnlockCancelled(address indexed owner, uint256 amount);
    /// @notice `amount` was paid to its owner.
    event Withdrawn(address indexed owner, uint256 amount);

    /// @notice Locks the value sent, at least the minimum (trustLock.minLock).
    function lock() external payable;

    /// @notice Adds the value sent to the caller's lock.
    function topUp() external payable;

    /// @notice Sets free money of the caller aside for a commitment that `controller` decides on. Names are used once per
    ///         owner and controller. The deadline is when the caller may reclaim what is left, at most ten years away.
    function allocate(bytes32 commitment, address controller, uint256 amount, uint256 deadline) external;

    /// @notice Sets more aside for an open commitment.
    function increase(bytes32 commitment, address controller, uint256 amount) external;

    /// @notice Gives an open commitment a later deadline.
    function extend(bytes32 commitment, address controller, uint256 deadline) external;

    /// @notice After the deadline: takes back all that the controller has left in it.
    function reclaim(bytes32 commitment, address controller) external returns (uint256 amount);

    /// @notice By the controller: gives `amount` back to the owner's lock.
    function release(address owner, bytes32 commitment, uint256 amount) external;

    /// @notice By the controller: takes `amount` and shares it out, wei by wei. The zero address burns its part, the
    ///         treasury is paid, and all others get theirs in their own lock, which they unlock like any other money: or
    ///         breaking a promise to oneself would be a way around the delay.
    /// @param reason Any number; what it means is the controller's to say.
    function breach(
        address owner,
        bytes32 commitment,
        uint256 amount,
        uint32 reason,
        address[] calldata beneficiaries,
        uint256[] calldata amounts
    ) external;

    /// @notice Free money begins to leave; it can be withdrawn after trustLock.unlockSeconds. At most 16 unlocks wait at a
    ///         time: one more is added to the last of them, which then waits for the later time.
    function unlock(uint256 amount) external returns (uint256 due);

    /// @notice What leaves stays after all, the last of it first.
    function cancelUnlock(uint256 amount) external;

    /// @notice Pays the caller all that is due.
    function withdraw() external returns (uint256 amount);

    /// @notice total = free + allocated + unlocking.
    function accountOf(address owner)
        external
        view
        returns (uint256 total, uint256 free, uint256 allocated, uint256 unlocking);

    /// @notice What leaves the owner's lock, in the order in which it can be withdrawn.
    function unlocksOf(address owner) external view returns (uint256[] memory amounts, uint256[] memory dues);

    /// @notice One commitment; status 0 and zeros if there never was.
    function commitmentOf(address owner, address controller, bytes32 commitment)
        external
        view
        returns (Commitment memory);

    /// @notice How many commitments the owner has ever made.
    function commitmentCount(address owner) external view returns (uint256);

    /// @notice The owner's commitments, open and closed, in the order in which they were made. `limit` is at most 100.
    function commitmentsOf(address owner, uint256 start, uint256 limit) external view returns (Commitment[] memory);

    /// @notice All that is locked, by everybody. The module's balance is at least that.
    function totalLocked() external view returns (uint256);
}
