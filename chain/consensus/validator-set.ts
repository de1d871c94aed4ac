/** The validators of an epoch and their weights, in a fixed order. */
import { bytesToHex, compareBytes, type Hex, hexToBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { encodeRlp, rlpOfInteger } from "../../base/rlp.ts";
import { sha256 } from "../../base/sha256.ts";

/** The validator's BLS public key. */
export type ValidatorId = Hex;

export interface ValidatorStake {
  readonly id: ValidatorId;
  readonly stake: bigint;
}

export interface ValidatorSet {
  /** By key, ascending: the bitmap of a certificate counts in this order. */
  readonly ids: readonly ValidatorId[];
  readonly weights: readonly bigint[];
  readonly total: bigint;
  /** Commits to keys and weights. */
  readonly hash: Hex;
  readonly indexOf: ReadonlyMap<ValidatorId, number>;
}

/** Of weights, which are stakes that were capped where they came from (base/capped-weights.ts). */
export function makeValidatorSet(stakes: readonly ValidatorStake[]): ValidatorSet {
  assert(stakes.length > 0, "a validator set is not empty");
  const sorted = [...stakes].sort((a, b) => compareBytes(hexToBytes(a.id), hexToBytes(b.id)));
  const ids = sorted.map(({ id }) => id);
  const weights = sorted.map(({ stake }) => stake);
  const indexOf = new Map(ids.map((id, index) => [id, index]));
  assert(indexOf.size === ids.length, "a validator is in a set once");
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  return { ids, weights, total, hash: validatorSetHash(ids, weights), indexOf };
}

export function validatorSetHash(ids: readonly ValidatorId[], weights: readonly bigint[]): Hex {
  const items = ids.map((id, index) => [hexToBytes(id), rlpOfInteger(weights[index] ?? 0n)]);
  return bytesToHex(sha256(encodeRlp(items)));
}

export function idAt(set: ValidatorSet, index: number): ValidatorId {
  const id = set.ids[index];
  assert(id !== undefined, "a validator index is within its set");
  return id;
}

/** Of these validators together. */
export function weightOf(set: ValidatorSet, indices: readonly number[]): bigint {
  return indices.reduce((sum, index) => sum + weightAt(set, index), 0n);
}

export function weightAt(set: ValidatorSet, index: number): bigint {
  return set.weights[index] ?? 0n;
}
