/** What the module keeps of each validator, and how it reads and writes it. Calls are in the module's own account. */
import type { Address } from "../../state/account.ts";
import type { ModuleCall } from "../module-call.ts";
import { type ListSpace, listSpace, recordSpace } from "../storage.ts";
import { checkpointSpace } from "./checkpoints.ts";
import { type PackedWord, packedWord } from "./packed-word.ts";
import { type Fund, fundWord } from "./shares.ts";

const records = recordSpace("validator", [
  "terms",
  "standing",
  "payout",
  "fund",
  /** Rewards per share so far, times 2^INDEX_BITS. */
  "index",
  /** Rewards that no share has got yet, times 2^INDEX_BITS. */
  "remainder",
  /** All rewards that are held for those who delegate to it, the remainder included. */
  "rewards",
  /** Commission that is not claimed. */
  "commission",
  /** How many unbonding pools it has had. */
  "pools",
]);

/** What the operator has promised. Millionths, and a time. */
export interface Terms {
  readonly isRegistered: bigint;
  readonly commission: bigint;
  readonly maxCommission: bigint;
  readonly maxCommissionChange: bigint;
  readonly commissionChangedAt: bigint;
}

/** `slashShare`, `offenceAt` and `slashedAt` are of the one slash that reaches what has left: see slash.ts. */
export interface Standing {
  readonly isJailed: bigint;
  readonly isTombstoned: bigint;
  readonly jailedUntil: bigint;
  readonly slashShare: bigint;
  readonly offenceAt: bigint;
  readonly slashedAt: bigint;
}

const termsWord: PackedWord<keyof Terms> = packedWord({
  isRegistered: 8,
  commission: 32,
  maxCommission: 32,
  maxCommissionChange: 32,
  commissionChangedAt: 48,
});

const standingWord: PackedWord<keyof Standing> = packedWord({
  isJailed: 8,
  isTombstoned: 8,
  jailedUntil: 48,
  slashShare: 32,
  offenceAt: 48,
  slashedAt: 48,
});

type NumberField = "payout" | "index" | "remainder" | "rewards" | "commission" | "pools";

/** `index 0` is the first who ever registered, and so on. */
export const registered: ListSpace = listSpace("validators");

const totals = recordSpace("totals", ["bonded", "unbonding", "rewards"]);
const fundHistory = checkpointSpace("stake of validators");
const totalHistory = checkpointSpace("stake of all");

export function termsOf(call: ModuleCall, operator: Address): Terms {
  return termsWord.unpack(records.get(call, "terms", operator));
}

export function writeTerms(call: ModuleCall, operator: Address, terms: Terms): void {
  records.set(call, "terms", termsWord.pack(terms), operator);
}

export function isRegistered(call: ModuleCall, operator: Address): boolean {
  return termsOf(call, operator).isRegistered > 0n;
}

export function standingOf(call: ModuleCall, operator: Address): Standing {
  return standingWord.unpack(records.get(call, "standing", operator));
}

export function writeStanding(call: ModuleCall, operator: Address, standing: Standing): void {
  records.set(call, "standing", standingWord.pack(standing), operator);
}

export function field(call: ModuleCall, name: NumberField, operator: Address): bigint {
  return records.get(call, name, operator);
}

export function setField(call: ModuleCall, name: NumberField, value: bigint, operator: Address): void {
  records.set(call, name, value, operator);
}

export function addToField(call: ModuleCall, name: NumberField, change: bigint, operator: Address): bigint {
  return records.add(call, name, change, operator);
}

/** What is bonded to the validator, and in how many shares. */
export function fundOf(call: ModuleCall, operator: Address): Fund {
  return fundWord.unpack(records.get(call, "fund", operator));
}

export function changeFund(call: ModuleCall, operator: Address, tokens: bigint, shares: bigint): void {
  const before = fundOf(call, operator);
  const word = fundWord.pack({ tokens: before.tokens + tokens, shares: before.shares + shares });
  records.set(call, "fund", word, operator);
  fundHistory.set(call, word, operator);
  if (tokens !== 0n) totalHistory.set(call, totals.add(call, "bonded", tokens));
}

/** When the epoch began. */
export function fundAt(call: ModuleCall, epoch: bigint, operator: Address): Fund {
  return fundWord.unpack(fundHistory.at(call, epoch, operator));
}

export function bondedAt(call: ModuleCall, epoch: bigint): bigint {
  return totalHistory.at(call, epoch);
}

export function total(call: ModuleCall, name: "bonded" | "unbonding" | "rewards"): bigint {
  return totals.get(call, name);
}

export function addToTotal(call: ModuleCall, name: "unbonding" | "rewards", change: bigint): void {
  totals.add(call, name, change);
}
