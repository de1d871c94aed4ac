/** Every penalty there was, in order, and which evidence is done with. */
import { bytes32, bytesToHex, type Hex } from "../../../base/bytes.ts";
import { slashingAbi } from "../../interfaces/abi/slashing.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { SLASHING_ADDRESS } from "../addresses.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { recordSpace, slotOf } from "../storage.ts";

export interface Slash {
  readonly operator: Address;
  /** Of offence-numbers.ts. */
  readonly offence: number;
  readonly epoch: bigint;
  readonly viewNumber: bigint;
  readonly blockNumber: bigint;
  readonly time: bigint;
  readonly amount: bigint;
  readonly reporter: Address;
  readonly digest: Hex;
}

/** Given at one time. */
export const MAX_SLASHES_LISTED = 100n;

const COUNT_SLOT: Hex = slotOf("slash count");
const slashes = recordSpace("slash", [
  "operator",
  "offence",
  "epoch",
  "viewNumber",
  "blockNumber",
  "time",
  "amount",
  "reporter",
  "digest",
]);

export function slashCount(call: ModuleCall): bigint {
  return call.in(SLASHING_ADDRESS).read(COUNT_SLOT);
}

export function isHandled(call: ModuleCall, digest: Hex): boolean {
  return call.in(SLASHING_ADDRESS).read(slotOf("handled", digest)) > 0n;
}

/** A penalty for evidence makes that evidence handled. */
export function recordSlash(call: ModuleCall, slash: Slash): void {
  const own = call.in(SLASHING_ADDRESS);
  const index = slashCount(own);
  own.write(COUNT_SLOT, index + 1n);
  slashes.set(own, "operator", addressToWord(slash.operator), index);
  slashes.set(own, "offence", BigInt(slash.offence), index);
  for (const field of ["epoch", "viewNumber", "blockNumber", "time", "amount"] as const) {
    slashes.set(own, field, slash[field], index);
  }
  const digest = BigInt(slash.digest);
  if (digest === 0n) return;
  slashes.set(own, "reporter", addressToWord(slash.reporter), index);
  slashes.set(own, "digest", digest, index);
  own.write(slotOf("handled", slash.digest), 1n);
}

/** Throws TooMany. */
export function slashesFrom(call: ModuleCall, start: bigint, limit: bigint): readonly Slash[] {
  if (limit > MAX_SLASHES_LISTED) throw revertWith(slashingAbi, "TooMany", [MAX_SLASHES_LISTED]);
  const own = call.in(SLASHING_ADDRESS);
  const count = slashCount(own);
  const end = start + limit < count ? start + limit : count;
  const found: Slash[] = [];
  for (let index = start; index < end; index++) found.push(slashAt(own, index));
  return found;
}

function slashAt(own: ModuleCall, index: bigint): Slash {
  return {
    operator: wordToAddress(slashes.get(own, "operator", index)),
    offence: Number(slashes.get(own, "offence", index)),
    epoch: slashes.get(own, "epoch", index),
    viewNumber: slashes.get(own, "viewNumber", index),
    blockNumber: slashes.get(own, "blockNumber", index),
    time: slashes.get(own, "time", index),
    amount: slashes.get(own, "amount", index),
    reporter: wordToAddress(slashes.get(own, "reporter", index)),
    digest: bytesToHex(bytes32(slashes.get(own, "digest", index))),
  };
}
