/**
 * The tree stated again, as the specification states it: a recursive function over the sorted keys, one hash at a
 * time, by another library. Slow and obvious.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes, padLeft } from "../../../base/bytes.ts";

export type Leaves = ReadonlyMap<string, Uint8Array>;

function bits(hexKey: string): string {
  return Array.from(hexToBytes(hexKey), (byte) => byte.toString(2).padStart(8, "0"))
    .join("")
    .padEnd(512, "0");
}

function withTag(tag: number, hash: Uint8Array): Uint8Array {
  return concatBytes(new Uint8Array([Math.floor(tag / 256), tag % 256]), hash.subarray(2));
}

function subtree(leaves: readonly { bits: string; id: Uint8Array }[], from = 0): Uint8Array {
  const first = leaves[0];
  if (first === undefined) return new Uint8Array(32);
  if (leaves.length === 1) return first.id;
  let depth = from;
  while (leaves.every((leaf) => leaf.bits[depth] === first.bits[depth])) depth++;
  const left = subtree(
    leaves.filter((leaf) => leaf.bits[depth] === "0"),
    depth + 1,
  );
  const right = subtree(
    leaves.filter((leaf) => leaf.bits[depth] === "1"),
    depth + 1,
  );
  return withTag(depth, sha256(concatBytes(left, right)));
}

/** The root of the tree with these leaves: node ids by key in hex. */
export function naiveRoot(leaves: Leaves): Uint8Array {
  return subtree([...leaves].map(([key, id]) => ({ bits: bits(key), id })));
}

export function naiveAccountLeaf(
  key: Uint8Array,
  nonce: Uint8Array,
  balance: Uint8Array,
  codeHash: Uint8Array,
): Uint8Array {
  const amounts = sha256(concatBytes(padLeft(nonce, 32), padLeft(balance, 32)));
  return withTag(0xffff, sha256(concatBytes(key, sha256(concatBytes(amounts, codeHash)))));
}

export function naiveSlotLeaf(key: Uint8Array, value: Uint8Array): Uint8Array {
  return withTag(0xfffe, sha256(concatBytes(sha256(key), padLeft(value, 32))));
}

/** Some leaf for a key, different for each version. */
export function someLeaf(key: Uint8Array, version: number): Uint8Array {
  return withTag(key.length === 32 ? 0xffff : 0xfffe, sha256(concatBytes(key, new Uint8Array([version]))));
}

export function keyText(key: Uint8Array): string {
  return bytesToHex(key);
}
