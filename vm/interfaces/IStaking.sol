// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Staking: validators and those who delegate to them
/// @notice Native module at 0x6f4750554d6f64756c6500000000000000000003. A validator is its operator's address. A
///         delegation is a number of shares of the validator's stake: rewards come by an index per share, slashes by a
///         lower price of a share. Amounts are wei, shares of a whole are millionths, times are seconds of protocol
///         time (IClock). docs/spec/staking.md and docs/spec/rewards.md have the formulas.
interface IStaking {
    /// @param isRegistered Whether the address has ever registered; all else is zero otherwise.
    /// @param isCandidate Whether it can be chosen at the end of this epoch.
    /// @param publicKey The BLS key of this epoch, 48 bytes.
    /// @param nextPublicKey The key that takes its place when the epoch ends, or nothing.
    /// @param stake What is bonded to it, its own included.
    /// @param shares All shares of it.
    /// @param selfStake What its operator has bonded to it.
    /// @param commission The operator's part of the rewards, in millionths.
    /// @param commissionDue Commission that nobody has claimed yet.
    /// @param rewardsHeld What the module holds for those who delegate to it.
    /// @param jailedUntil When `unjail` is possible; 0 if it is not jailed.
    struct Validator {
        bool isRegistered;
        bool isCandidate;
        bool isTombstoned;
        bytes publicKey;
        bytes nextPublicKey;
        address payout;
        uint256 stake;
        uint256 shares;
        uint256 selfStake;
        uint256 commission;
        uint256 maxCommission;
        uint256 maxCommissionChange;
        uint256 commissionChangedAt;
        uint256 commissionDue;
        uint256 rewardsHeld;
        uint256 jailedUntil;
        string metadata;
    }

    /// @param amount What the shares are worth now.
    /// @param rewards What `claimRewards` would pay.
    /// @param liableShares Those that came from another validator and still answer for it.
    struct Delegation {
        uint256 shares;
        uint256 amount;
        uint256 rewards;
        uint256 liableShares;
    }

    /// @param amount What it would pay if it were due now; a slash lowers it.
    /// @param dueAt From when on `withdraw` pays it.
    /// @param liableFor The validator whose offences before `since` it still answers for, or nobody.
    struct Unbonding {
        uint256 amount;
        uint256 dueAt;
        address liableFor;
        uint256 since;
    }

    /// @param source The validator that the stake came from.
    /// @param shares Shares of the validator that it went to.
    /// @param since When it left: it answers for what the source did until then.
    /// @param until Whoever is found out later is not its business any more.
    struct Liability {
        address source;
        uint256 shares;
        uint256 since;
        uint256 until;
    }

    /// @notice No such validator.
    error NotValidator(address operator);
    /// @notice The address has registered already.
    error AlreadyValidator(address operator);
    /// @notice Not 48 bytes, not a point of the group, or infinity.
    error BadPublicKey();
    /// @notice The proof does not show that somebody has the private half of the key.
    error BadProof();
    /// @notice The key is or was somebody's; keys are never used twice.
    error KeyTaken(address operator);
    /// @notice A new key waits for the end of the epoch; one at a time.
    error KeyChangePending();
    /// @notice More than the whole, than the validator's own maximum, or further from the last than it may be.
    error BadCommission(uint256 commission, uint256 least, uint256 most);
    /// @notice The commission was changed not long ago.
    error CommissionChangeTooEarly(uint256 possibleAt);
    /// @notice Nobody could use the money there.
    error BadPayout();
    /// @notice What is said about the validator has `length` bytes; at most `most` are kept.
    error MetadataTooLong(uint256 length, uint256 most);
    /// @notice Less than the parameter asks for.
    error TooLittle(uint256 amount, uint256 least);
    /// @notice What would stay is less than a delegation must have, or an operator's own stake; leave that much or nothing.
    error TooLittleLeft(uint256 amount, uint256 least);
    /// @notice An amount of nothing, or nothing there to take out.
    error NothingAsked();
    /// @notice The caller has only `available` bonded to that validator.
    error NotEnoughStake(uint256 asked, uint256 available);
    /// @notice The rest came from another validator lately and cannot move on yet.
    error StillLiable(uint256 asked, uint256 available);
    /// @notice The validator does not take delegations: it is tombstoned, or its operator has left.
    error NotOpen(address operator);
    /// @notice Slashes have left so little that its shares cannot be counted any more.
    error Worthless(address operator);
    /// @notice Source and destination are the same.
    error SameValidator();
    /// @notice The caller has `most` parts on their way out of that validator; withdraw what is due first.
    error TooManyUnbondings(uint256 most);
    /// @notice The caller has moved stake to that validator `most` times lately.
    error TooManyLiabilities(uint256 most);
    /// @notice Nothing of the caller has finished unbonding from that validator.
    error NothingDue();
    /// @notice There are no rewards, or no commission, of a whole wei.
    error NothingToClaim();
    /// @notice No stake of that delegation has to answer for anybody.
    error NothingToSettle();
    /// @notice Only a jailed validator comes back by `unjail`.
    error NotJailed(address operator);
    /// @notice `unjail` is possible from `time` on.
    error JailedUntil(uint256 time);
    /// @notice The validator has broken the rules of consensus and never comes back.
    error Tombstoned(address operator);

    /// @notice A validator has registered.
    event Registered(address indexed operator, bytes publicKey, address payout, uint256 commission);
    /// @notice What an operator may never pass.
    event CommissionBounds(address indexed operator, uint256 maxCommission, uint256 maxCommissionChange);
    /// @notice The operator's part of the rewards is `commission` millionths from now on.
    event CommissionChanged(address indexed operator, uint256 commission);
    /// @notice Commission and the operator's own rewards go to `payout` from now on.
    event PayoutChanged(address indexed operator, address payout);
    /// @notice What the operator says about the validator.
    event MetadataChanged(address indexed operator, string metadata);
    /// @notice From `epoch` on the validator signs with `publicKey`.
    event KeyRotated(address indexed operator, bytes publicKey, uint256 epoch);
    /// @notice `amount` was bonded for `shares`; also when a validator registers.
    event Delegated(address indexed delegator, address indexed operator, uint256 amount, uint256 shares);
    /// @notice `shares` were given up for `amount`, all of it due at `dueAt` at the latest.
    event Unbonded(
        address indexed delegator,
        address indexed operator,
        uint256 amount,
        uint256 shares,
        uint256 dueAt
    );
    /// @notice Stake went from one validator to another.
    event Redelegated(
        address indexed delegator,
        address indexed from,
        address indexed to,
        uint256 amount,
        uint256 sharesLeft,
        uint256 sharesGained
    );
    /// @notice What was due of unbonding stake was paid.
    event Withdrawn(address indexed delegator, address indexed operator, uint256 amount);
    /// @notice Rewards were paid to `to`.
    event RewardsClaimed(address indexed delegator, address indexed operator, address to, uint256 amount);
    /// @notice The operator's commission was paid to `to`.
    event CommissionClaimed(address indexed operator, address to, uint256 amount);
    /// @notice Redelegated stake has answered for its source.
    event LiabilitySettled(address indexed delegator, address indexed operator, address indexed source, uint256 amount);
    /// @notice `share` millionths were taken: `bonded` of what is bonded, `unbonding` of what is leaving.
    event Slashed(address indexed operator, uint256 share, uint256 bonded, uint256 unbonding);
    /// @notice The validator is not chosen any more; `unjail` is possible from `until` on.
    event Jailed(address indexed operator, uint256 until);
    /// @notice The validator can be chosen again.
    event Unjailed(address indexed operator);
    /// @notice The validator is never chosen again.
    event TombstonedForever(address indexed operator);
    /// @notice What the epoch has earned the validator: `commission` for its operator, the rest for those who delegate.
    event Rewarded(address indexed operator, uint256 indexed epoch, uint256 commission, uint256 rest);
    /// @notice `minted` of the `emission` that was for those who finalise; the rest was for the absent and is not minted.
    event EpochRewarded(uint256 indexed epoch, uint256 countedBlocks, uint256 emission, uint256 minted);
    /// @notice The validators of `epoch`, and what is bonded to them.
    event ActiveSetChosen(uint256 indexed epoch, uint256 count, uint256 stake);

    /// @notice Becomes a validator with the value as its own stake, at least `staking.minSelfStake`. It can be chosen
    ///         when the epoch ends.
    /// @param publicKey BLS, 48 bytes; never used before by anybody.
    /// @param proof Proof of possession of the key, 96 bytes.
    /// @param commission In millionths, at most `maxCommission`, which never changes.
    /// @param maxCommissionChange The most that one change may be. It never changes.
    /// @param payout Where commission and the operator's own rewards go.
    function register(
        bytes calldata publicKey,
        bytes calldata proof,
        uint256 commission,
        uint256 maxCommission,
        uint256 maxCommissionChange,
        address payout,
        string calldata metadata
    ) external payable;

    /// @notice Once per `staking.commissionChangeSeconds`. It holds from the rewards of this epoch on.
    function setCommission(uint256 commission) external;

    /// @notice Where commission and the operator's own rewards go.
    function setPayout(address payout) external;

    /// @notice Says something else about the validator.
    /// @param metadata Anything about the validator for people and tools, at most 512 bytes.
    function setMetadata(string calldata metadata) external;

    /// @notice A new BLS key from the next epoch on. The old one stays the operator's, and slashable.
    function rotateKey(bytes calldata publicKey, bytes calldata proof) external;

    /// @notice The operator takes all its own stake out: the validator is not chosen any more. It comes back when the
    ///         operator delegates enough to itself.
    function exit() external;

    /// @notice A jailed validator comes back, when its time is over and its own stake is enough.
    function unjail() external;

    /// @notice Bonds the value to the validator, at least `staking.minDelegation`. With it an operator must have at least
    /// `staking.minSelfStake` bonded to its own validator.
    /// @return shares What the caller got for it.
    function delegate(address operator) external payable returns (uint256 shares);

    /// @notice Moves bonded stake to another validator at once. It stays liable for what `from` has done so far.
    /// @return shares Shares of `to`.
    function redelegate(address from, address to, uint256 amount) external returns (uint256 shares);

    /// @notice Takes stake out: paid by `withdraw` after `staking.unbondingSeconds`, and liable until then.
    /// @return dueAt When the last of it is due.
    function unbond(address operator, uint256 amount) external returns (uint256 dueAt);

    /// @notice Pays the caller everything unbonded from the validator that is due.
    function withdraw(address operator) external returns (uint256 amount);

    /// @notice Pays the caller its rewards; an operator's own go to its payout address.
    function claimRewards(address operator) external returns (uint256 amount);

    /// @notice Pays the calling operator's commission to its payout address.
    function claimCommission() external returns (uint256 amount);

    /// @notice Anybody may make redelegated stake answer for a source that was found out.
    /// @return amount What was taken.
    function settleRedelegation(address delegator, address operator) external returns (uint256 amount);

    /// @notice All about one validator, or one that is not registered.
    function validator(address operator) external view returns (Validator memory);

    /// @notice All that have ever registered, from `start` on, at most 100 at a time.
    function validators(uint256 start, uint256 limit) external view returns (address[] memory operators);

    /// @notice How many have ever registered.
    function validatorCount() external view returns (uint256);

    /// @notice How many validators the epoch has.
    function activeCount() external view returns (uint256);

    /// @notice The validator at a position of the epoch's set, with what counts for it: its stake when it was chosen,
    ///         its voting weight, and how many blocks of the running epoch it has signed.
    function activeAt(
        uint256 index
    )
        external
        view
        returns (address operator, bytes memory publicKey, uint256 stake, uint256 weight, uint256 signedBlocks);

    /// @notice Blocks of the running epoch whose signers are known.
    function countedBlocks() external view returns (uint256);

    /// @notice Whose key it is or ever was; the zero address if nobody's.
    function operatorOfKey(bytes calldata publicKey) external view returns (address);

    /// @notice What somebody has bonded to a validator, and earned with it.
    function delegation(address delegator, address operator) external view returns (Delegation memory);

    /// @notice What is on its way out of a validator: at most 16 parts.
    function unbondings(address delegator, address operator) external view returns (Unbonding[] memory);

    /// @notice What of a delegation is still liable for where it came from: at most 7 parts.
    function liabilities(address delegator, address operator) external view returns (Liability[] memory);

    /// @notice All that is bonded, is unbonding, and is held as rewards and commission. The module's balance is their
    ///         sum, and whatever somebody has sent to it without a call.
    function totals() external view returns (uint256 bonded, uint256 unbonding, uint256 rewards);

    /// @notice All that was bonded when `epoch` began.
    function totalStakeAt(uint256 epoch) external view returns (uint256);

    /// @notice What was bonded to the validator when `epoch` began.
    function validatorStakeAt(uint256 epoch, address operator) external view returns (uint256);

    /// @notice What the delegator had bonded to the validator when `epoch` began.
    function delegationAt(uint256 epoch, address operator, address delegator) external view returns (uint256);
}
