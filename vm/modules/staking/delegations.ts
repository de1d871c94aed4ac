/**
 * Who has how many shares of which validator, and what they have earned. Rewards follow an index per share; whatever
 * changes somebody's shares first counts what they earned with them, and the fraction of a wei that this leaves goes
 * back to the validator's remainder, so that nothing is lost.
 */
import type { Address } from "../../state/account.ts";
import { addressToWord } from "../address-word.ts";
import type { ModuleCall } from "../module-call.ts";
import { type ListSpace, listSpace, recordSpace } from "../storage.ts";
import { checkpointSpace } from "./checkpoints.ts";
import { INDEX_BITS } from "./limits.ts";
import { worth } from "./shares.ts";
import { addToField, changeFund, field, fundOf, setField, standingOf } from "./validator-record.ts";

/** `index` is the validator's when `due` was last counted. */
const delegations = recordSpace("delegation", ["shares", "index", "due"]);
const history = checkpointSpace("delegations");

/** Those who can be chosen if their own stake is enough: neither jailed nor tombstoned, and with a stake of their own. */
export const candidates: ListSpace = listSpace("candidates");

const FRACTION = (1n << INDEX_BITS) - 1n;

export function sharesIn(call: ModuleCall, operator: Address, delegator: Address): bigint {
  return delegations.get(call, "shares", operator, delegator);
}

export function sharesAt(call: ModuleCall, epoch: bigint, operator: Address, delegator: Address): bigint {
  return history.at(call, epoch, operator, delegator);
}

/** What the operator itself has at stake. */
export function selfStake(call: ModuleCall, operator: Address): bigint {
  return worth(fundOf(call, operator), sharesIn(call, operator, operator));
}

/** Moves shares and the tokens that go with them, in or out. */
export function changeDelegation(
  call: ModuleCall,
  operator: Address,
  delegator: Address,
  tokens: bigint,
  shares: bigint,
): void {
  countRewards(call, operator, delegator);
  history.set(call, delegations.add(call, "shares", shares, operator, delegator), operator, delegator);
  changeFund(call, operator, tokens, shares);
  if (delegator === operator) refreshCandidate(call, operator);
}

/** To be called after whatever decides whether the validator can be chosen. */
export function refreshCandidate(call: ModuleCall, operator: Address): void {
  const { isJailed, isTombstoned } = standingOf(call, operator);
  const isCandidate = isJailed === 0n && isTombstoned === 0n && sharesIn(call, operator, operator) > 0n;
  if (isCandidate) candidates.add(call, addressToWord(operator));
  else candidates.remove(call, addressToWord(operator));
}

/** New rewards for all shares. Without any, they are the operator's. */
export function addRewards(call: ModuleCall, operator: Address, amount: bigint): void {
  const { shares } = fundOf(call, operator);
  if (shares === 0n) {
    addToField(call, "commission", amount, operator);
    return;
  }
  const scaled = (amount << INDEX_BITS) + field(call, "remainder", operator);
  addToField(call, "index", scaled / shares, operator);
  setField(call, "remainder", scaled % shares, operator);
  addToField(call, "rewards", amount, operator);
}

/** What the delegator could claim now. */
export function rewardsDue(call: ModuleCall, operator: Address, delegator: Address): bigint {
  const earned = earnedSince(call, operator, delegator);
  return delegations.get(call, "due", operator, delegator) + (earned >> INDEX_BITS);
}

/** Takes what is due out of the books, for the caller to pay. */
export function takeRewards(call: ModuleCall, operator: Address, delegator: Address): bigint {
  countRewards(call, operator, delegator);
  const due = delegations.get(call, "due", operator, delegator);
  if (due === 0n) return 0n;
  delegations.set(call, "due", 0n, operator, delegator);
  addToField(call, "rewards", -due, operator);
  return due;
}

/**
 * What counting costs, always: seven reads and three fresh words. They are needed only when the epoch has ended since the
 * last time, but what a wallet estimates before that has to be enough after it.
 */
const COUNT_GAS = 81_000n;

function countRewards(call: ModuleCall, operator: Address, delegator: Address): void {
  const before = call.gasUsed;
  writeRewards(call, operator, delegator);
  call.charge(COUNT_GAS - (call.gasUsed - before));
}

function writeRewards(call: ModuleCall, operator: Address, delegator: Address): void {
  const index = field(call, "index", operator);
  if (delegations.get(call, "index", operator, delegator) === index) return;
  const earned = earnedSince(call, operator, delegator);
  delegations.set(call, "index", index, operator, delegator);
  if (earned === 0n) return;
  delegations.add(call, "due", earned >> INDEX_BITS, operator, delegator);
  addToField(call, "remainder", earned & FRACTION, operator);
}

/** Times 2^INDEX_BITS. */
function earnedSince(call: ModuleCall, operator: Address, delegator: Address): bigint {
  const grown = field(call, "index", operator) - delegations.get(call, "index", operator, delegator);
  return sharesIn(call, operator, delegator) * grown;
}
