/**
 * Stake on its way out. What leaves a validator within one era (a sixteenth of the time that unbonding takes) goes into
 * one pool, and whoever it belongs to has shares of the pool: a slash lowers the price of at most seventeen pools,
 * however many unbond. A pool is opened by the first who unbonds after the last one's era.
 */
import { WHOLE } from "../../../genesis/economy.ts";
import { stakingAbi } from "../../interfaces/abi/staking.ts";
import type { Address } from "../../state/account.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { distributeSlash } from "../slashing/distribute-slash.ts";
import { recordSpace } from "../storage.ts";
import { type Row, rowSpace } from "./bounded-rows.ts";
import { type Origin, packOrigin, penaltyOf, unpackOrigin } from "./liabilities.ts";
import { ERAS, MAX_POOLS_HIT, MAX_UNBONDINGS } from "./limits.ts";
import { packedWord } from "./packed-word.ts";
import { ceilDiv, type Fund, fundWord, isWorthless, sharesFor, worth } from "./shares.ts";
import { addToTotal, field, setField } from "./validator-record.ts";

/** A part that leaves: tokens, and for whom they are still liable. */
export interface Leaving {
  readonly tokens: bigint;
  readonly origin: Origin | undefined;
}

export interface UnbondingEntry {
  readonly pool: bigint;
  readonly shares: bigint;
  readonly dueAt: bigint;
  readonly origin: Origin | undefined;
}

const entryWord = packedWord({ shares: 128, pool: 48, dueAt: 48 });
const rows = rowSpace("unbondings", 2);

/** By validator and number, from 1 on. Nothing enters a pool from `closesAt` on. */
const pools = recordSpace("unbonding pool", ["closesAt", "fund"]);

export function readUnbondings(call: ModuleCall, operator: Address, delegator: Address): readonly UnbondingEntry[] {
  return rows.read(call, operator, delegator).map(([entry = 0n, origin = 0n]) => ({
    ...entryWord.unpack(entry),
    origin: origin === 0n ? undefined : unpackOrigin(origin),
  }));
}

function rowOf({ shares, pool, dueAt, origin }: UnbondingEntry): Row {
  return [entryWord.pack({ shares, pool, dueAt }), origin === undefined ? 0n : packOrigin(origin)];
}

/** What the entry would pay now, before it answers for its origin. */
export function unbondingWorth(call: ModuleCall, operator: Address, { pool, shares }: UnbondingEntry): bigint {
  return worth(poolFund(call, operator, pool), shares);
}

/** The parts are on their way out from now on. When the last is due. */
export function beginUnbonding(
  call: ModuleCall,
  operator: Address,
  delegator: Address,
  parts: readonly Leaving[],
): bigint {
  const before = readUnbondings(call, operator, delegator);
  if (before.length + parts.length > MAX_UNBONDINGS) {
    throw revertWith(stakingAbi, "TooManyUnbondings", [BigInt(MAX_UNBONDINGS)]);
  }
  const due = protocolTime(call) + call.parameters.staking.unbondingSeconds;
  const pool = openPool(call, operator);
  const entries = parts.map(({ tokens, origin }) => {
    const shares = sharesFor(poolFund(call, operator, pool), tokens);
    changePool(call, operator, pool, tokens, shares);
    // Should governance have shortened unbonding, what it answers for still lasts as long as it did.
    return { pool, shares, dueAt: origin !== undefined && origin.until > due ? origin.until : due, origin };
  });
  rows.replace(call, before.map(rowOf), [...before, ...entries].map(rowOf), operator, delegator);
  return entries.reduce((last, { dueAt }) => (dueAt > last ? dueAt : last), due);
}

/** Takes what is due out of the books, for the caller to pay. Throws NothingDue. */
export function takeDue(call: ModuleCall, operator: Address, delegator: Address): bigint {
  const now = protocolTime(call);
  const before = readUnbondings(call, operator, delegator);
  const due = before.filter(({ dueAt }) => dueAt <= now);
  if (due.length === 0) throw revertWith(stakingAbi, "NothingDue", []);
  const left = before.filter(({ dueAt }) => dueAt > now);
  rows.replace(call, before.map(rowOf), left.map(rowOf), operator, delegator);
  let paid = 0n;
  let taken = 0n;
  for (const entry of due) {
    const amount = unbondingWorth(call, operator, entry);
    changePool(call, operator, entry.pool, -amount, -entry.shares);
    const penalty = entry.origin === undefined ? 0n : ceilDiv(amount * penaltyOf(call, entry.origin), WHOLE);
    if (entry.origin !== undefined && penalty > 0n) {
      call.emit(stakingAbi, "LiabilitySettled", { delegator, operator, source: entry.origin.source, amount: penalty });
    }
    paid += amount - penalty;
    taken += penalty;
  }
  distributeSlash(call, taken, undefined);
  return paid;
}

/** Takes the share of all pools that something may have entered at or after `since`. What it took. */
export function slashPools(call: ModuleCall, operator: Address, share: bigint, since: bigint): bigint {
  const last = field(call, "pools", operator);
  let taken = 0n;
  for (let pool = last; pool > 0n && last - pool < MAX_POOLS_HIT; pool--) {
    // This one and all before it hold only what had left by then.
    if (pools.get(call, "closesAt", operator, pool) <= since) break;
    const amount = ceilDiv(poolFund(call, operator, pool).tokens * share, WHOLE);
    if (amount > 0n) changePool(call, operator, pool, -amount, 0n);
    taken += amount;
  }
  return taken;
}

function openPool(call: ModuleCall, operator: Address): bigint {
  const now = protocolTime(call);
  const last = field(call, "pools", operator);
  const isOpen = last > 0n && now < pools.get(call, "closesAt", operator, last);
  if (isOpen && !isWorthless(poolFund(call, operator, last))) return last;
  const era = ceilDiv(call.parameters.staking.unbondingSeconds, ERAS);
  setField(call, "pools", last + 1n, operator);
  pools.set(call, "closesAt", now + era, operator, last + 1n);
  return last + 1n;
}

function poolFund(call: ModuleCall, operator: Address, pool: bigint): Fund {
  return fundWord.unpack(pools.get(call, "fund", operator, pool));
}

function changePool(call: ModuleCall, operator: Address, pool: bigint, tokens: bigint, shares: bigint): void {
  const before = poolFund(call, operator, pool);
  const after = { tokens: before.tokens + tokens, shares: before.shares + shares };
  pools.set(call, "fund", fundWord.pack(after), operator, pool);
  addToTotal(call, "unbonding", tokens);
}
