/** Who leads a view: drawn by weight, the same for everybody, fixed by the epoch's seed. */
import { bytesToBigint, type Hex, hexToBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { encodeRlp, rlpOfInteger } from "../../base/rlp.ts";
import { sha256 } from "../../base/sha256.ts";
import type { ValidatorSet } from "./validator-set.ts";

/** The remainder of 256 random bits favours small values by less than W / 2^256. */
export function leaderOf(set: ValidatorSet, seed: Hex, view: number): number {
  const digest = sha256(encodeRlp([hexToBytes(seed), rlpOfInteger(BigInt(view))]));
  let point = bytesToBigint(digest) % set.total;
  for (const [index, weight] of set.weights.entries()) {
    if (point < weight) return index;
    point -= weight;
  }
  assert(false, "the weights sum to the total");
}
