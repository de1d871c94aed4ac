/**
 * SHA-256 of many 64-byte inputs in one call: what every node of the state tree and of the task trees is made
 * of. The native hasher interleaves several inputs in vector registers: 22 million per second in batches of 256
 * or more, 3 million one at a time (measured), so callers collect first and hash once.
 *
 * Light clients, which hash one path, use sha256.ts and need no binary.
 */
import { assert } from "./errors.ts";
import { sha256 } from "./sha256.ts";

type HashInto = (input: Uint8Array, output: Uint8Array) => void;

function portable(input: Uint8Array, output: Uint8Array): void {
  for (let i = 0; i * 64 < input.length; i++) output.set(sha256(input.subarray(i * 64, i * 64 + 64)), i * 32);
}

/** A binary that loads but computes something else would split the chain, so it must answer like the portable one. */
function agrees(hashInto: HashInto): boolean {
  const input = new Uint8Array(64 * 33).map((_, i) => i * 167 + (i >> 6));
  const expected = new Uint8Array(32 * 33);
  const actual = new Uint8Array(32 * 33);
  portable(input, expected);
  hashInto(input, actual);
  return actual.every((byte, i) => byte === expected[i]);
}

async function loadNative(): Promise<HashInto | undefined> {
  try {
    const { hashInto } = await import("@chainsafe/hashtree");
    return agrees(hashInto) ? hashInto : undefined;
  } catch {
    // No binary for this machine: the portable hasher serves, and `hashPairsEngine` tells.
    return undefined;
  }
}

const native = await loadNative();
const hashInto = native ?? portable;

export const hashPairsEngine: "native" | "portable" = native === undefined ? "portable" : "native";

/**
 * The hashes of `input`'s 64-byte parts, 32 bytes each, in `output` (made when not given; exactly half as long
 * as the input, and not overlapping it).
 */
export function hashPairs(input: Uint8Array, output: Uint8Array = new Uint8Array(input.length / 2)): Uint8Array {
  assert(input.length % 64 === 0 && output.length * 2 === input.length, "pairs are 64 bytes each, hashes 32");
  if (input.length > 0) hashInto(input, output);
  return output;
}

/** The portable implementation, for tests. */
export function hashPairsPortable(input: Uint8Array): Uint8Array {
  const output = new Uint8Array(input.length / 2);
  portable(input, output);
  return output;
}
