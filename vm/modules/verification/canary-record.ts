/** Canaries that are registered, and the rounds that turned out to be one. */
import type { Hex } from "../../../base/bytes.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import type { ModuleCall } from "../module-call.ts";
import { recordSpace } from "../storage.ts";

/** By canary: who registered it, in which block, what was put up for it; and its number for the agenda. */
const canaries = recordSpace("canary", ["sponsor", "block", "prize", "number"]);
const numbers = recordSpace("canary number", ["canary"]);
const totals = recordSpace("canaries", ["count"]);
/** By epoch: what was put up in it. */
const epochs = recordSpace("canary epoch", ["reserved"]);
/** By epoch and sponsor: whether it has registered one. */
const sponsors = recordSpace("canary sponsor", ["used"]);
/** By round: the prize and sponsor of the canary that it was. */
const rounds = recordSpace("canary round", ["sponsor", "prize"]);

export interface Canary {
  readonly sponsor: Address;
  readonly block: bigint;
  readonly prize: bigint;
}

/** `undefined` if there is none, or it has ended. */
export function readCanary(own: ModuleCall, canary: Hex): Canary | undefined {
  const sponsor = canaries.get(own, "sponsor", canary);
  if (sponsor === 0n) return undefined;
  return {
    sponsor: wordToAddress(sponsor),
    block: canaries.get(own, "block", canary),
    prize: canaries.get(own, "prize", canary),
  };
}

/** Gives its number. */
export function writeCanary(own: ModuleCall, canary: Hex, { sponsor, block, prize }: Canary): bigint {
  const number = totals.add(own, "count", 1n);
  canaries.set(own, "sponsor", addressToWord(sponsor), canary);
  canaries.set(own, "block", block, canary);
  canaries.set(own, "prize", prize, canary);
  canaries.set(own, "number", number, canary);
  numbers.set(own, "canary", BigInt(canary), number);
  return number;
}

export function canaryNumbered(own: ModuleCall, number: bigint): bigint {
  return numbers.get(own, "canary", number);
}

export function removeCanary(own: ModuleCall, canary: Hex): void {
  numbers.set(own, "canary", 0n, canaries.get(own, "number", canary));
  for (const field of ["sponsor", "block", "prize", "number"] as const) canaries.set(own, field, 0n, canary);
}

export function reservedIn(own: ModuleCall, epoch: bigint): bigint {
  return epochs.get(own, "reserved", epoch);
}

export function reserveIn(own: ModuleCall, epoch: bigint, amount: bigint): void {
  epochs.add(own, "reserved", amount, epoch);
}

/** Says whether this is the sponsor's first in the epoch. */
export function useEpoch(own: ModuleCall, epoch: bigint, sponsor: Address): boolean {
  if (sponsors.get(own, "used", epoch, sponsor) > 0n) return false;
  sponsors.set(own, "used", 1n, epoch, sponsor);
  return true;
}

export function markRound(own: ModuleCall, round: bigint, sponsor: Address, prize: bigint): void {
  rounds.set(own, "sponsor", addressToWord(sponsor), round);
  rounds.set(own, "prize", prize, round);
}

/** `undefined` if the round was none. */
export function canaryOfRound(
  own: ModuleCall,
  round: bigint,
): { readonly sponsor: Address; readonly prize: bigint } | undefined {
  const sponsor = rounds.get(own, "sponsor", round);
  if (sponsor === 0n) return undefined;
  return { sponsor: wordToAddress(sponsor), prize: rounds.get(own, "prize", round) };
}
