// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Verifiers: who recomputes parts of jobs, with stake of their own
/// @notice Native module at 0x6f4750554d6f64756c6500000000000000000007. This stake is apart from validators' stake,
///         providers' collateral and trust locks. Seats are drawn by units of stake, with replacement, from a snapshot that
///         the end of an epoch leaves behind. Times are protocol time in seconds, amounts wei.
interface IVerifiers {
    /// @notice `status`: 0 none, 1 active, 2 paused, 3 leaving. `stake` counts in draws; `frozen` is withheld until a
    ///         penalty is decided; `leaving` has begun to leave. All three are liable. `units` is what the verifier would
    ///         have in a snapshot taken now. `jailedUntil` is not 0 while it is jailed: it ends by `unjail`.
    struct Verifier {
        address account;
        uint8 status;
        uint256 stake;
        uint256 frozen;
        uint256 leaving;
        uint256 units;
        uint256 jailedUntil;
        uint256 since;
    }

    /// @notice One verifier's weight in draws.
    struct Weight {
        address account;
        uint256 units;
    }

    /// @notice The account is a verifier already, or has not left entirely.
    error AlreadyRegistered(address account);
    /// @notice The account is no verifier.
    error NotRegistered(address account);
    /// @notice The verifier is leaving: all that is left is to withdraw.
    error IsLeaving(address account);
    /// @notice Only an active verifier can pause.
    error NotActive(address account);
    /// @notice Only a paused verifier can resume.
    error NotPaused(address account);
    /// @notice Only a jailed verifier can be unjailed.
    error NotJailed(address account);
    /// @notice The verifier is jailed until `until`.
    error StillJailed(uint256 until, uint256 time);
    /// @notice There are `most` verifiers already (verifiers.maxVerifiers).
    error TooManyVerifiers(uint256 most);
    /// @notice The verifier counts with `weight`, which is not less than what the newcomer stakes.
    error NotWeaker(address account, uint256 weight);
    /// @notice The call needs money and got none.
    error NothingSent();
    /// @notice The amount is zero.
    error ZeroAmount();
    /// @notice The stake would be `amount`, less than `minimum`. To take everything, exit.
    error BelowMinimum(uint256 amount, uint256 minimum);
    /// @notice Only `stake` is neither frozen nor leaving.
    error NotEnoughStake(uint256 stake, uint256 wanted);
    /// @notice Only `leaving` is leaving.
    error NotEnoughLeaving(uint256 leaving, uint256 wanted);
    /// @notice Nothing can be withdrawn yet. `nextDue` is when something can, 0 if nothing is leaving.
    error NothingDue(uint256 nextDue);
    /// @notice There is no snapshot for draws of that epoch: none was taken yet, or it is gone.
    error NoSnapshot(uint256 epoch);
    /// @notice A list gives at most `most` entries at a time.
    error TooMany(uint256 most);

    /// @notice A new verifier, with its stake. It is drawn from the next epoch on.
    event Registered(address indexed verifier, uint256 amount);
    /// @notice More stake.
    event ToppedUp(address indexed verifier, uint256 amount);
    /// @notice `amount` leaves and can be withdrawn at `due`, or so long after the end of this epoch, if that is later.
    event WithdrawalRequested(address indexed verifier, uint256 amount, uint256 due);
    /// @notice `amount` stays after all.
    event WithdrawalCancelled(address indexed verifier, uint256 amount);
    /// @notice `amount` was paid to the verifier.
    event Withdrawn(address indexed verifier, uint256 amount);
    /// @notice It is not drawn from the next epoch on, until it resumes.
    event Paused(address indexed verifier);
    /// @notice It is drawn again, from the next epoch on.
    event Resumed(address indexed verifier);
    /// @notice It is not drawn from the next epoch on, and its stake leaves.
    event ExitStarted(address indexed verifier);
    /// @notice All its stake is gone; the account may register again.
    event Exited(address indexed verifier);
    /// @notice It is not drawn from the next epoch on, until it is unjailed.
    event Jailed(address indexed verifier, uint256 until);
    /// @notice It is out of jail.
    event Unjailed(address indexed verifier);
    /// @notice `amount` is withheld until a penalty is decided.
    event Frozen(address indexed verifier, uint256 amount);
    /// @notice There is no penalty: `amount` is stake again.
    event Unfrozen(address indexed verifier, uint256 amount);
    /// @notice The verifier lost `amount` to `to`, which shares it out.
    event Slashed(address indexed verifier, address indexed to, uint256 amount, uint32 reason);
    /// @notice The end of `epoch` left a snapshot behind: draws of the epochs after it, until the next one, go by it.
    event SnapshotTaken(uint256 indexed epoch, uint256 size, uint256 units);

    /// @notice Makes the caller a verifier, with the value sent as its stake: at least verifiers.minStake.
    function register() external payable;

    /// @notice As `register`; and when there are verifiers.maxVerifiers already, in the place of `other`, which then leaves
    ///         as by `exit`. The value must be more than what `other` counts with in draws: its stake, or nothing while it
    ///         is paused or jailed.
    function registerInPlaceOf(address other) external payable;

    /// @notice Adds the value sent to the caller's stake.
    function topUp() external payable;

    /// @notice Stake begins to leave. It can be withdrawn verifiers.exitSeconds after the end of this epoch, whose draws
    ///         still count it, and is liable until it is paid; `due` is the earliest that this can be. What stays is at
    ///         least the minimum. At most 16 withdrawals wait at a time: one more is added to the last of them, which then
    ///         waits for the later time.
    function requestWithdrawal(uint256 amount) external returns (uint256 due);

    /// @notice What leaves stays after all, the last of it first.
    function cancelWithdrawal(uint256 amount) external;

    /// @notice Pays the caller all that is due. The last withdrawal of a verifier that leaves ends its registration.
    function withdraw() external returns (uint256 amount);

    /// @notice The caller is not drawn from the next epoch on. Seats that it has, or still gets in this epoch, are its to
    ///         answer for.
    function pause() external;

    /// @notice The caller is drawn again, from the next epoch on.
    function resume() external;

    /// @notice The caller leaves, for good: as paused, and all its stake leaves with the delay of a withdrawal; what is
    ///         frozen follows when its penalty is decided.
    function exit() external;

    /// @notice Ends the caller's jail when its time is over.
    function unjail() external;

    /// @notice One verifier; status 0 if the account is none.
    function verifierOf(address account) external view returns (Verifier memory);

    /// @notice What leaves the verifier's stake, in the order in which it can be withdrawn. What began to leave in the
    ///         epoch that still runs is due so long after now, at the earliest.
    function withdrawalsOf(address account) external view returns (uint256[] memory amounts, uint256[] memory dues);

    /// @notice How many verifiers there are, without those that leave.
    function verifierCount() external view returns (uint256);

    /// @notice Verifiers that do not leave, in no order that means anything. `limit` is at most 100.
    function verifiers(uint256 start, uint256 limit) external view returns (Verifier[] memory);

    /// @notice The snapshot by which draws of `epoch` go: how many verifiers and units it has. Reverts with NoSnapshot.
    function snapshotOf(uint256 epoch) external view returns (uint256 size, uint256 units);

    /// @notice Its weights, in the order of addresses. `limit` is at most 100. Reverts with NoSnapshot.
    function snapshotWeights(uint256 epoch, uint256 start, uint256 limit) external view returns (Weight[] memory);

    /// @notice Who gets seat number `seat` of a draw of `epoch` with that seed, without the excluded; the zero address if
    ///         there is nobody. At most 16 are excluded. Reverts with NoSnapshot.
    function draw(uint256 epoch, bytes32 seed, uint32 seat, address[] calldata excluded)
        external
        view
        returns (address);

    /// @notice All stake, of everybody. The module's balance is at least that.
    function totalStake() external view returns (uint256);
}
