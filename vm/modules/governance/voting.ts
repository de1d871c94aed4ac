/**
 * Votes, by the stake that there was when the proposal's epoch began. A validator's vote weighs all its stake less what
 * those of its delegators have who vote themselves. That sum is kept per proposal and validator, so that either may vote
 * first, each may change its vote, and nobody counts delegators.
 */

import { governanceAbi } from "../../interfaces/abi/governance.ts";
import type { Address } from "../../state/account.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { delegationAt, validatorStakeAt } from "../staking/validators.ts";
import { type RecordSpace, recordSpace } from "../storage.ts";
import { proposalRecords, STATUSES, statusOf } from "./proposals.ts";

/** In the order of IGovernance's enum. */
const CHOICES = ["none", "yes", "no", "abstain", "veto"] as const;

type Choice = (typeof CHOICES)[number];

export interface Tally {
  readonly yes: bigint;
  readonly no: bigint;
  readonly abstain: bigint;
  readonly veto: bigint;
  /** All stake that could vote. */
  readonly total: bigint;
}

const tallies: RecordSpace<Choice> = recordSpace("tally", CHOICES);
const votes: RecordSpace<"choice" | "overridden"> = recordSpace("vote", ["choice", "overridden"]);
const delegatorVotes: RecordSpace<"choice" | "weight"> = recordSpace("delegator vote", ["choice", "weight"]);

export function readTally(call: ModuleCall, id: bigint): Tally {
  return {
    yes: tallies.get(call, "yes", id),
    no: tallies.get(call, "no", id),
    abstain: tallies.get(call, "abstain", id),
    veto: tallies.get(call, "veto", id),
    total: proposalRecords.get(call, "total", id),
  };
}

export function vote(call: ModuleCall, id: bigint, number: number): void {
  const validator = call.message.caller;
  const { choice, snapshot } = begin(call, id, number);
  const stake = validatorStakeAt(call, snapshot, validator);
  if (stake === 0n) throw revertWith(governanceAbi, "NoStake", [snapshot, validator, validator]);
  const weight = stake - votes.get(call, "overridden", id, validator);
  move(call, id, choiceOf(votes.get(call, "choice", id, validator)), choice, weight);
  votes.set(call, "choice", BigInt(number), id, validator);
  call.emit(governanceAbi, "Voted", { id, validator, choice: number, weight });
}

export function voteAsDelegator(call: ModuleCall, id: bigint, validator: Address, number: number): void {
  const delegator = call.message.caller;
  const { choice, snapshot } = begin(call, id, number);
  const before = choiceOf(delegatorVotes.get(call, "choice", id, validator, delegator));
  let weight = delegatorVotes.get(call, "weight", id, validator, delegator);
  if (before !== "none") move(call, id, before, choice, weight);
  else {
    weight = ownPart(call, id, snapshot, validator, delegator);
    votes.add(call, "overridden", weight, id, validator);
    delegatorVotes.set(call, "weight", weight, id, validator, delegator);
    // From the validator's choice, if it has made one already.
    move(call, id, choiceOf(votes.get(call, "choice", id, validator)), choice, weight);
  }
  delegatorVotes.set(call, "choice", BigInt(number), id, validator, delegator);
  call.emit(governanceAbi, "DelegatorVoted", { id, validator, delegator, choice: number, weight });
}

export function voteOf(call: ModuleCall, id: bigint, validator: Address): readonly [number, bigint] {
  return [Number(votes.get(call, "choice", id, validator)), votes.get(call, "overridden", id, validator)];
}

export function delegatorVoteOf(
  call: ModuleCall,
  id: bigint,
  validator: Address,
  delegator: Address,
): readonly [number, bigint] {
  const choice = Number(delegatorVotes.get(call, "choice", id, validator, delegator));
  return [choice, delegatorVotes.get(call, "weight", id, validator, delegator)];
}

/** What the delegator had there; never more than the validator has left, however shares were rounded. */
function ownPart(call: ModuleCall, id: bigint, snapshot: bigint, validator: Address, delegator: Address): bigint {
  const own = delegationAt(call, snapshot, validator, delegator);
  const left = validatorStakeAt(call, snapshot, validator) - votes.get(call, "overridden", id, validator);
  const weight = own < left ? own : left;
  if (weight <= 0n) throw revertWith(governanceAbi, "NoStake", [snapshot, validator, delegator]);
  return weight;
}

function begin(call: ModuleCall, id: bigint, number: number): { readonly choice: Choice; readonly snapshot: bigint } {
  checkVoting(call, id);
  const choice = CHOICES[number] ?? "none";
  if (choice === "none") throw revertWith(governanceAbi, "InvalidChoice", [number]);
  return { choice, snapshot: proposalRecords.get(call, "snapshot", id) };
}

/** Reverts unless votes count: the block that counts them may come later than the end of voting. */
export function checkVoting(call: ModuleCall, id: bigint): void {
  const status = statusOf(call, id);
  if (status === "voting" && protocolTime(call) < proposalRecords.get(call, "due", id)) return;
  throw revertWith(governanceAbi, "NotVoting", [id, STATUSES.indexOf(status)]);
}

function move(call: ModuleCall, id: bigint, from: Choice, to: Choice, weight: bigint): void {
  if (from === to) return;
  if (from !== "none") tallies.add(call, from, -weight, id);
  tallies.add(call, to, weight, id);
}

function choiceOf(word: bigint): Choice {
  return CHOICES[Number(word)] ?? "none";
}
