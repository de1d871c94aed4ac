/** The validators of the epoch, as the staking module has chosen them: in the order of their keys, as consensus has them. */
import {
  bytes32,
  bytesToBigint,
  bytesToHex,
  compareBytes,
  concatBytes,
  type Hex,
  hexToBytes,
} from "../../../base/bytes.ts";
import { cappedWeights } from "../../../base/capped-weights.ts";
import type { Address } from "../../state/account.ts";
import type { StateReader } from "../../state/reader.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { STAKING_ADDRESS } from "../addresses.ts";
import type { ModuleCall } from "../module-call.ts";
import { readOnlyCall } from "../read-only-call.ts";
import { recordSpace, slotOf } from "../storage.ts";

export interface ActiveValidator {
  readonly operator: Address;
  /** BLS, 48 bytes. */
  readonly publicKey: Hex;
  /** What counts for it, before the cap of consensus. */
  readonly stake: bigint;
}

const COUNT_SLOT: Hex = slotOf("active count");
const TOTAL_WEIGHT_SLOT: Hex = slotOf("active weight");
const FIELDS = ["operator", "keyHigh", "keyLow", "stake", "weight"] as const;
const entries = recordSpace("active", FIELDS);

/** A key is a word and a half. */
const WORD_BYTES = 32;
const HALF_WORD = 16;

export function activeCount(call: ModuleCall): number {
  return Number(call.in(STAKING_ADDRESS).read(COUNT_SLOT));
}

/** Who is at that position of the epoch's set, or nobody. */
export function activeAt(call: ModuleCall, index: number): ActiveValidator | undefined {
  const own = call.in(STAKING_ADDRESS);
  const operator = entries.get(own, "operator", index);
  if (operator === 0n) return undefined;
  const high = bytes32(entries.get(own, "keyHigh", index));
  const low = bytes32(entries.get(own, "keyLow", index)).subarray(WORD_BYTES - HALF_WORD);
  return {
    operator: wordToAddress(operator),
    publicKey: bytesToHex(concatBytes(high, low)),
    stake: entries.get(own, "stake", index),
  };
}

/** Its voting weight, as consensus counts it. */
export function activeWeight(call: ModuleCall, index: number): bigint {
  return entries.get(call.in(STAKING_ADDRESS), "weight", index);
}

export function activeTotalWeight(call: ModuleCall): bigint {
  return call.in(STAKING_ADDRESS).read(TOTAL_WEIGHT_SLOT);
}

export function writeActiveSet(call: ModuleCall, validators: readonly ActiveValidator[], capDivisor: number): void {
  const before = activeCount(call);
  const sorted = [...validators].sort((a, b) => compareBytes(hexToBytes(a.publicKey), hexToBytes(b.publicKey)));
  const stakes = sorted.map(({ stake }) => stake);
  const weights = cappedWeights(stakes, BigInt(capDivisor));
  for (const [index, { operator, publicKey, stake }] of sorted.entries()) {
    const key = hexToBytes(publicKey);
    entries.set(call, "operator", addressToWord(operator), index);
    entries.set(call, "keyHigh", bytesToBigint(key.subarray(0, WORD_BYTES)), index);
    entries.set(call, "keyLow", bytesToBigint(key.subarray(WORD_BYTES)), index);
    entries.set(call, "stake", stake, index);
    entries.set(call, "weight", weights[index] ?? 0n, index);
  }
  for (let index = sorted.length; index < before; index++) {
    for (const field of FIELDS) entries.set(call, field, 0n, index);
  }
  call.write(COUNT_SLOT, BigInt(sorted.length));
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  call.write(TOTAL_WEIGHT_SLOT, total);
}

/** All of them, for those outside of a block. */
export function readActiveSet(state: StateReader): readonly ActiveValidator[] {
  return activeSet(readOnlyCall(STAKING_ADDRESS, state));
}

export function activeSet(call: ModuleCall): ActiveValidator[] {
  return Array.from({ length: activeCount(call) }, (_, index) => activeAt(call, index)).filter(
    (validator) => validator !== undefined,
  );
}
