/** What delegators do, operators with their own stake among them: bond, move, unbond, withdraw, claim. */

import { stakingAbi } from "../../interfaces/abi/staking.ts";
import type { Address } from "../../state/account.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { changeDelegation, selfStake, sharesIn, takeRewards } from "./delegations.ts";
import { type Liability, liableShares, settleLiabilities, writeLiabilities } from "./liabilities.ts";
import { MAX_LIABILITIES } from "./limits.ts";
import { payoutOf } from "./operate.ts";
import { isWorthless, sharesFor, sharesOf, worth } from "./shares.ts";
import { beginUnbonding, type Leaving, takeDue } from "./unbonding.ts";
import { addToTotal, fundOf, isRegistered, standingOf } from "./validator-record.ts";

export function delegate(call: ModuleCall, operator: Address): bigint {
  const { caller: delegator, value: amount } = call.message;
  checkOpen(call, operator, delegator);
  checkEnough(call, amount);
  settleLiabilities(call, operator, delegator);
  const shares = bond(call, operator, delegator, amount);
  call.emit(stakingAbi, "Delegated", { delegator, operator, amount, shares });
  return shares;
}

export function unbond(call: ModuleCall, operator: Address, amount: bigint): bigint {
  const delegator = call.message.caller;
  checkRegistered(call, operator);
  const { left } = settleLiabilities(call, operator, delegator);
  const shares = leavingShares(call, operator, delegator, amount);
  return leave(call, operator, amount, shares, left);
}

/** All of the operator's own stake. */
export function exit(call: ModuleCall): bigint {
  const operator = call.message.caller;
  checkRegistered(call, operator);
  const { left } = settleLiabilities(call, operator, operator);
  const amount = selfStake(call, operator);
  if (amount === 0n) throw revertWith(stakingAbi, "NothingAsked", []);
  return leave(call, operator, amount, sharesIn(call, operator, operator), left);
}

export function redelegate(call: ModuleCall, from: Address, to: Address, amount: bigint): bigint {
  const delegator = call.message.caller;
  if (from === to) throw revertWith(stakingAbi, "SameValidator", []);
  checkRegistered(call, from);
  checkOpen(call, to, delegator);
  checkEnough(call, amount);
  const { left } = settleLiabilities(call, from, delegator);
  const settledThere = settleLiabilities(call, to, delegator);
  const sharesLeft = leavingShares(call, from, delegator, amount);
  const free = sharesIn(call, from, delegator) - liableShares(left);
  if (sharesLeft > free) throw revertWith(stakingAbi, "StillLiable", [amount, worth(fundOf(call, from), free)]);
  changeDelegation(call, from, delegator, -amount, -sharesLeft);
  const sharesGained = bond(call, to, delegator, amount);
  // Whoever was found out has been slashed with this stake still in it, and is not found out again.
  if (standingOf(call, from).slashedAt === 0n) addLiability(call, from, to, sharesGained, settledThere.left);
  call.emit(stakingAbi, "Redelegated", { delegator, from, to, amount, sharesLeft, sharesGained });
  return sharesGained;
}

export function withdraw(call: ModuleCall, operator: Address): bigint {
  const delegator = call.message.caller;
  const amount = takeDue(call, operator, delegator);
  if (amount > 0n) call.pay(delegator, amount);
  call.emit(stakingAbi, "Withdrawn", { delegator, operator, amount });
  return amount;
}

export function claimRewards(call: ModuleCall, operator: Address): bigint {
  const delegator = call.message.caller;
  settleLiabilities(call, operator, delegator);
  const amount = takeRewards(call, operator, delegator);
  if (amount === 0n) throw revertWith(stakingAbi, "NothingToClaim", []);
  addToTotal(call, "rewards", -amount);
  const to = delegator === operator ? payoutOf(call, operator) : delegator;
  call.pay(to, amount);
  call.emit(stakingAbi, "RewardsClaimed", { delegator, operator, to, amount });
  return amount;
}

export function settleRedelegation(call: ModuleCall, delegator: Address, operator: Address): bigint {
  const { settled, taken } = settleLiabilities(call, operator, delegator);
  if (settled === 0) throw revertWith(stakingAbi, "NothingToSettle", []);
  return taken;
}

function checkRegistered(call: ModuleCall, operator: Address): void {
  if (!isRegistered(call, operator)) throw revertWith(stakingAbi, "NotValidator", [operator]);
}

/** An operator who left can come back; nobody else's money waits for that. A jailed validator stays open. */
function checkOpen(call: ModuleCall, operator: Address, delegator: Address): void {
  checkRegistered(call, operator);
  const isGone = delegator !== operator && selfStake(call, operator) < call.parameters.staking.minSelfStake;
  if (isGone || standingOf(call, operator).isTombstoned > 0n) throw revertWith(stakingAbi, "NotOpen", [operator]);
  if (isWorthless(fundOf(call, operator))) throw revertWith(stakingAbi, "Worthless", [operator]);
}

function checkEnough(call: ModuleCall, amount: bigint): void {
  const { minDelegation } = call.parameters.staking;
  if (amount < minDelegation) throw revertWith(stakingAbi, "TooLittle", [amount, minDelegation]);
}

/**
 * What a delegation has, at least, after its owner has changed it. An operator's own is enough for a validator or nothing:
 * or validators that nobody can choose would cost little, and the end of every epoch looks at each of them.
 */
function leastIn(call: ModuleCall, operator: Address, delegator: Address): bigint {
  const { minSelfStake, minDelegation } = call.parameters.staking;
  return delegator === operator && minSelfStake > minDelegation ? minSelfStake : minDelegation;
}

function bond(call: ModuleCall, operator: Address, delegator: Address, amount: bigint): bigint {
  const shares = sharesFor(fundOf(call, operator), amount);
  changeDelegation(call, operator, delegator, amount, shares);
  if (delegator === operator) {
    const [own, least] = [selfStake(call, operator), leastIn(call, operator, delegator)];
    if (own < least) throw revertWith(stakingAbi, "TooLittle", [own, least]);
  }
  return shares;
}

/** The shares that go with the amount. Throws NothingAsked, NotEnoughStake or TooLittleLeft. */
function leavingShares(call: ModuleCall, operator: Address, delegator: Address, amount: bigint): bigint {
  if (amount === 0n) throw revertWith(stakingAbi, "NothingAsked", []);
  const fund = fundOf(call, operator);
  const all = sharesIn(call, operator, delegator);
  const available = worth(fund, all);
  if (amount > available) throw revertWith(stakingAbi, "NotEnoughStake", [amount, available]);
  if (amount === available) return all;
  const least = leastIn(call, operator, delegator);
  if (available - amount < least) throw revertWith(stakingAbi, "TooLittleLeft", [available - amount, least]);
  return sharesOf(fund, amount);
}

/** The caller's shares begin to unbond: first those that are free, then those that are liable longest. */
function leave(
  call: ModuleCall,
  operator: Address,
  amount: bigint,
  shares: bigint,
  liabilities: readonly Liability[],
): bigint {
  const delegator = call.message.caller;
  const free = sharesIn(call, operator, delegator) - liableShares(liabilities);
  const { parts, left } = splitLeaving(amount, shares, free, liabilities);
  writeLiabilities(call, operator, delegator, liabilities, left);
  changeDelegation(call, operator, delegator, -amount, -shares);
  const dueAt = beginUnbonding(call, operator, delegator, parts);
  call.emit(stakingAbi, "Unbonded", { delegator, operator, amount, shares, dueAt });
  return dueAt;
}

/** Tokens by shares, rounded down; the first part, which is the free one if there is any, has the rest. */
function splitLeaving(
  amount: bigint,
  shares: bigint,
  free: bigint,
  liabilities: readonly Liability[],
): { parts: readonly Leaving[]; left: readonly Liability[] } {
  const fromFree = shares < free ? shares : free;
  let open = shares - fromFree;
  const parts: Leaving[] = [];
  const left: Liability[] = [];
  for (const liability of liabilities) {
    const taken = open < liability.shares ? open : liability.shares;
    if (taken > 0n) parts.push({ tokens: (amount * taken) / shares, origin: liability });
    if (taken < liability.shares) left.push({ ...liability, shares: liability.shares - taken });
    open -= taken;
  }
  const rest = amount - parts.reduce((sum, { tokens }) => sum + tokens, 0n);
  if (fromFree > 0n) parts.push({ tokens: rest, origin: undefined });
  else if (parts[0] !== undefined) parts[0] = { ...parts[0], tokens: parts[0].tokens + rest };
  return { parts: parts.filter(({ tokens }) => tokens > 0n), left };
}

function addLiability(
  call: ModuleCall,
  source: Address,
  to: Address,
  shares: bigint,
  before: readonly Liability[],
): void {
  const since = protocolTime(call);
  const until = since + call.parameters.staking.unbondingSeconds;
  const last = before.at(-1);
  const isSame = last !== undefined && last.source === source && last.since === since && last.until === until;
  const after = isSame
    ? [...before.slice(0, -1), { ...last, shares: last.shares + shares }]
    : [...before, { source, since, until, shares }];
  if (after.length > MAX_LIABILITIES) throw revertWith(stakingAbi, "TooManyLiabilities", [BigInt(MAX_LIABILITIES)]);
  writeLiabilities(call, to, call.message.caller, before, after);
}
