/**
 * Stake that went from one validator to another at once, without unbonding, still answers for what the first has done
 * before. A validator is found out at most once, with one recorded slash, so this can wait: it is settled exactly once,
 * when the delegation is touched or somebody asks for it.
 */
import { WHOLE } from "../../../genesis/economy.ts";
import { stakingAbi } from "../../interfaces/abi/staking.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { protocolTime } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { distributeSlash } from "../slashing/distribute-slash.ts";
import { type Row, rowSpace } from "./bounded-rows.ts";
import { changeDelegation } from "./delegations.ts";
import { packedWord } from "./packed-word.ts";
import { ceilDiv, worth } from "./shares.ts";
import { fundOf, standingOf } from "./validator-record.ts";

/** Whose offences until `since` count if they are found out until `until`. */
export interface Origin {
  readonly source: Address;
  readonly since: bigint;
  readonly until: bigint;
}

export interface Liability extends Origin {
  /** Of the validator that the stake went to. */
  readonly shares: bigint;
}

const originWord = packedWord({ source: 160, since: 48, until: 48 });
const rows = rowSpace("liabilities", 2);

export function packOrigin({ source, since, until }: Origin): bigint {
  return originWord.pack({ source: addressToWord(source), since, until });
}

export function unpackOrigin(word: bigint): Origin {
  const { source, since, until } = originWord.unpack(word);
  return { source: wordToAddress(source), since, until };
}

export function readLiabilities(call: ModuleCall, operator: Address, delegator: Address): readonly Liability[] {
  return rows
    .read(call, operator, delegator)
    .map(([origin = 0n, shares = 0n]) => ({ ...unpackOrigin(origin), shares }));
}

export function writeLiabilities(
  call: ModuleCall,
  operator: Address,
  delegator: Address,
  before: readonly Liability[],
  after: readonly Liability[],
): void {
  const row = (liability: Liability): Row => [packOrigin(liability), liability.shares];
  rows.replace(call, before.map(row), after.map(row), operator, delegator);
}

/** What the stake has to give for its origin, in millionths; 0 if that was not found out, or not in time. */
export function penaltyOf(call: ModuleCall, { source, since, until }: Origin): bigint {
  const { slashShare, offenceAt, slashedAt } = standingOf(call, source);
  return slashedAt > 0n && offenceAt <= since && slashedAt <= until ? slashShare : 0n;
}

/**
 * Settles what can be, forgets what has expired. How many were settled, what that took, and what is still liable; the
 * oldest come first.
 */
export function settleLiabilities(
  call: ModuleCall,
  operator: Address,
  delegator: Address,
): { readonly settled: number; readonly taken: bigint; readonly left: readonly Liability[] } {
  const before = readLiabilities(call, operator, delegator);
  if (before.length === 0) return { settled: 0, taken: 0n, left: before };
  const now = protocolTime(call);
  const left: Liability[] = [];
  let settled = 0;
  let taken = 0n;
  for (const liability of before) {
    const penalty = penaltyOf(call, liability);
    if (penalty > 0n) {
      taken += burnShares(call, operator, delegator, liability, penalty);
      settled++;
    } else if (now <= liability.until) left.push(liability);
  }
  writeLiabilities(call, operator, delegator, before, left);
  distributeSlash(call, taken, undefined);
  return { settled, taken, left };
}

function burnShares(
  call: ModuleCall,
  operator: Address,
  delegator: Address,
  { source, shares }: Liability,
  penalty: bigint,
): bigint {
  const burned = ceilDiv(shares * penalty, WHOLE);
  const amount = worth(fundOf(call, operator), burned);
  changeDelegation(call, operator, delegator, -amount, -burned);
  call.emit(stakingAbi, "LiabilitySettled", { delegator, operator, source, amount });
  return amount;
}

export function liableShares(liabilities: readonly Liability[]): bigint {
  return liabilities.reduce((sum, { shares }) => sum + shares, 0n);
}
