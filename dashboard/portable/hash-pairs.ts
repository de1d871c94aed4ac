/** Stands in for base/hash-pairs.ts in the browser, as keccak.ts does for keccak. */
import { sha256 } from "@noble/hashes/sha2.js";

const PAIR = 64;
const HASH = 32;

export function hashPairs(input: Uint8Array, output: Uint8Array = new Uint8Array(input.length / 2)): Uint8Array {
  for (let index = 0; index * PAIR < input.length; index++) {
    output.set(sha256(input.subarray(index * PAIR, (index + 1) * PAIR)), index * HASH);
  }
  return output;
}
