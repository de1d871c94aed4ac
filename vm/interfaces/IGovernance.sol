// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Governance: what those who stake decide together
/// @notice Native module at 0x6f4750554d6f64756c6500000000000000000008. A proposal changes parameters of the economy, spends
///         from the treasury, schedules an upgrade of the program, or is a text. Votes count by the stake that there was
///         at the beginning of the epoch in which the proposal was made. A validator votes with all that is delegated to
///         it; a delegator who votes takes its own part out of that, before or after its validator has voted.
/// @dev Nobody has to carry out anything: proposals are counted and carried out by the protocol at the beginning of
///      blocks. Amounts are wei, shares millionths, times seconds of protocol time (see IClock).
interface IGovernance {
    enum Choice {
        None,
        Yes,
        No,
        Abstain,
        Veto
    }

    enum Kind {
        None,
        Parameters,
        Spending,
        Upgrade,
        Text
    }

    /// @notice `Queued`: accepted, waits for the end of its time lock. `Failed`: accepted, and could not be carried out.
    enum Status {
        None,
        Voting,
        Queued,
        Executed,
        Failed,
        Rejected,
        NoQuorum,
        Vetoed,
        Cancelled
    }

    /// @notice `due` is when it moves on: the end of voting, then of the time lock; later, when it came to its end.
    struct Proposal {
        uint256 id;
        Kind kind;
        Status status;
        address proposer;
        uint256 deposit;
        uint256 snapshot;
        uint256 created;
        uint256 due;
        string title;
        bytes32 bodyHash;
    }

    struct Parameter {
        string name;
        uint256 value;
        uint256 least;
        uint256 most;
    }

    /// @notice `proposal` accepted it. `height` is the first block by the new rules.
    struct Upgrade {
        string name;
        uint256 height;
        uint256 proposal;
    }

    /// @notice There is no such proposal.
    error UnknownProposal(uint256 id);

    /// @notice A proposal costs exactly this deposit.
    error WrongDeposit(uint256 required, uint256 sent);

    /// @notice So many proposals are open already as there may be.
    error TooManyOpen(uint256 most);

    /// @notice A title has 1 to `most` bytes.
    error InvalidTitle(uint256 length, uint256 most);

    /// @notice A body has at most `most` bytes: put a longer one elsewhere and its hash here.
    error BodyTooLong(uint256 length, uint256 most);

    /// @notice A proposal changes 1 to `most` parameters, with as many values as names.
    error WrongNumberOfChanges(uint256 names, uint256 values, uint256 most);

    /// @notice There is no parameter of that name.
    error UnknownParameter(string name);

    /// @notice The proposal names it twice.
    error RepeatedParameter(string name);

    /// @notice The economy would not hold together: `problem` of parameter `name`.
    error InvalidParameters(string name, string problem);

    /// @notice Spending is of more than nothing, and to somebody.
    error InvalidSpending(address to, uint256 amount);

    /// @notice An upgrade's name has 1 to 32 letters, digits and hyphens, in lower case.
    error InvalidUpgradeName(string name);

    /// @notice An upgrade is scheduled at a block from `least` to `most`.
    error InvalidUpgradeHeight(uint256 height, uint256 least, uint256 most);

    /// @notice The upgrade has taken place.
    error UpgradeIsActive(string name);

    /// @notice Only an upgrade that is scheduled can be called off.
    error UpgradeNotScheduled(string name);

    /// @notice So many upgrades are scheduled already as there may be.
    error TooManyUpgrades(uint256 most);

    /// @notice The votes on it are not counted, or not any more.
    error NotVoting(uint256 id, Status status);

    /// @notice A vote is Yes, No, Abstain or Veto.
    error InvalidChoice(uint8 choice);

    /// @notice `voter` had no stake with `validator` when epoch `snapshot` began.
    error NoStake(uint256 snapshot, address validator, address voter);

    /// @notice Only its proposer withdraws a proposal.
    error NotProposer(uint256 id, address caller);

    /// @notice A new proposal. `body` is nowhere else but here: the state has its hash.
    event Proposed(
        uint256 indexed id,
        address indexed proposer,
        Kind indexed kind,
        uint256 snapshot,
        uint256 votingEnds,
        string title,
        string body
    );

    /// @notice `validator` voted with `weight`: all that was delegated to it, less those parts that vote themselves.
    event Voted(uint256 indexed id, address indexed validator, Choice choice, uint256 weight);

    /// @notice `delegator` voted with its own part of `validator`'s stake.
    event DelegatorVoted(
        uint256 indexed id, address indexed validator, address indexed delegator, Choice choice, uint256 weight
    );

    /// @notice The votes were counted, or the proposal was withdrawn: `status` is Queued, Rejected, NoQuorum, Vetoed or
    ///         Cancelled. `returned` of the deposit went back to the proposer, the rest to the treasury.
    event Decided(
        uint256 indexed id,
        Status indexed status,
        uint256 yes,
        uint256 no,
        uint256 abstain,
        uint256 veto,
        uint256 total,
        uint256 returned
    );

    /// @notice It was carried out.
    event Executed(uint256 indexed id);

    /// @notice It was accepted but could not be carried out, and never will be.
    event ExecutionFailed(uint256 indexed id, string reason);

    /// @notice The parameter has another value from this block on.
    event ParameterChanged(uint256 indexed id, string name, uint256 before, uint256 value);

    /// @notice Nodes whose program does not know the upgrade stop before block `height`. Height 0: called off.
    event UpgradeScheduled(uint256 indexed id, string name, uint256 height);

    /// @notice From this block on the upgrade's rules hold.
    event UpgradeActivated(string name, uint256 height);

    /// @notice Proposes to give parameters other values. Both now and when it is carried out, the economy as a whole is
    ///         verified as at genesis.
    /// @return id The proposal's number, from 1.
    function proposeParameters(
        string calldata title,
        string calldata body,
        string[] calldata names,
        uint256[] calldata values
    ) external payable returns (uint256 id);

    /// @notice Proposes to pay from the treasury.
    function proposeSpending(string calldata title, string calldata body, address to, uint256 amount)
        external
        payable
        returns (uint256 id);

    /// @notice Proposes that the rules change at a block. For an upgrade that is scheduled, another height; 0 calls it off.
    function proposeUpgrade(string calldata title, string calldata body, string calldata name, uint256 height)
        external
        payable
        returns (uint256 id);

    /// @notice Proposes a text, of which nothing follows by itself.
    function proposeText(string calldata title, string calldata body) external payable returns (uint256 id);

    /// @notice Withdraws an own proposal while votes are counted. The deposit comes back less the part of the voting time
    ///         that has passed; not at all if the votes so far are a veto.
    function cancel(uint256 id) external;

    /// @notice Votes as a validator. A vote can be changed until voting ends.
    function vote(uint256 id, Choice choice) external;

    /// @notice Votes with what the caller has delegated to `validator`, whatever that votes.
    function voteAsDelegator(uint256 id, address validator, Choice choice) external;

    /// @notice How many proposals there were; they are numbered from 1.
    function proposalCount() external view returns (uint256);

    /// @notice One proposal.
    function proposal(uint256 id) external view returns (Proposal memory);

    /// @notice Proposals from number `start` on, at most 50.
    function proposals(uint256 start, uint256 limit) external view returns (Proposal[] memory);

    /// @notice Numbers of those that are Voting or Queued, in no order, at most 50 from position `start` on.
    function openProposals(uint256 start, uint256 limit) external view returns (uint256[] memory);

    /// @notice The votes so far by stake, and all stake that could vote.
    function tally(uint256 id)
        external
        view
        returns (uint256 yes, uint256 no, uint256 abstain, uint256 veto, uint256 total);

    /// @notice By which shares it is decided, and the seconds of its time lock: as they were when it was made.
    function rulesOf(uint256 id)
        external
        view
        returns (uint256 quorumShare, uint256 thresholdShare, uint256 vetoShare, uint256 timelockSeconds);

    /// @notice What a proposal of kind Parameters wants.
    function changesOf(uint256 id) external view returns (string[] memory names, uint256[] memory values);

    /// @notice What a proposal of kind Spending wants.
    function spendingOf(uint256 id) external view returns (address to, uint256 amount);

    /// @notice What a proposal of kind Upgrade wants.
    function upgradeOf(uint256 id) external view returns (string memory name, uint256 height);

    /// @notice Why it could not be carried out; empty unless it is Failed.
    function failureOf(uint256 id) external view returns (string memory);

    /// @notice What a validator voted, and how much of its stake votes for itself.
    function voteOf(uint256 id, address validator) external view returns (Choice choice, uint256 overridden);

    /// @notice What a delegator voted with its part of a validator's stake.
    function delegatorVoteOf(uint256 id, address validator, address delegator)
        external
        view
        returns (Choice choice, uint256 weight);

    /// @notice What this module holds for proposals that are not decided.
    function depositsHeld() external view returns (uint256);

    /// @notice A parameter as it is now, by a name such as "staking.unbondingSeconds".
    function parameter(string calldata name) external view returns (uint256);

    /// @notice All parameters with their bounds, in their order, at most 50 from position `start` on.
    function parameters(uint256 start, uint256 limit) external view returns (Parameter[] memory);

    /// @notice The upgrades to come, in no order.
    function scheduledUpgrades() external view returns (Upgrade[] memory);

    /// @notice The upgrades that have taken place, in their order, at most 50 from position `start` on.
    function activeUpgrades(uint256 start, uint256 limit) external view returns (Upgrade[] memory);

    /// @notice Whether the chain runs by the rules of that upgrade.
    function isUpgradeActive(string calldata name) external view returns (bool);
}
