/**
 * Roots of Ethereum's Merkle-Patricia trie (yellow paper, appendix D), computed from a whole set at once.
 * The chain needs them for the ordered lists of a header (transactions, receipts), so that receipt-proof tools
 * of Ethereum work here; conformance needs them over accounts. Our own state has a tree of its own (vm/tree).
 */
import { compareBytes, EMPTY_BYTES } from "../base/bytes.ts";
import { assert } from "../base/errors.ts";
import { keccak256 } from "../base/keccak.ts";
import { encodeRlp, encodeRlpTransient, type RlpItem, rlpOfInteger } from "../base/rlp.ts";
import { finish, type Work } from "../base/work.ts";

export interface PatriciaEntry {
  readonly key: Uint8Array;
  /** Not empty: an empty value is an absent key. */
  readonly value: Uint8Array;
}

/** An entry with its key as nibbles. */
interface Leaf {
  readonly path: Uint8Array;
  readonly value: Uint8Array;
}

/** keccak-256 of the RLP of the empty string. */
export const EMPTY_PATRICIA_ROOT: Uint8Array = keccak256(encodeRlp(EMPTY_BYTES));

/** The root over `entries`, whose keys are distinct, in any order. */
export function patriciaRoot(entries: Iterable<PatriciaEntry>): Uint8Array {
  return finish(findingRoot(entries));
}

/** The root over a list whose keys are the RLP of the positions 0, 1, 2...: transactions, receipts. */
export function orderedRoot(values: readonly Uint8Array[]): Uint8Array {
  return finish(findingOrderedRoot(values));
}

/** The same in steps, of which each is a branch: a block's list takes milliseconds. */
export function findingOrderedRoot(values: readonly Uint8Array[]): Work<Uint8Array> {
  return findingRoot(values.map((value, index) => ({ key: encodeRlp(rlpOfInteger(BigInt(index))), value })));
}

function* findingRoot(entries: Iterable<PatriciaEntry>): Work<Uint8Array> {
  const leaves: Leaf[] = [];
  for (const { key, value } of entries) leaves.push({ path: toNibbles(key), value });
  if (leaves.length === 0) return EMPTY_PATRICIA_ROOT;
  leaves.sort((a, b) => compareBytes(a.path, b.path));
  return keccak256(encodeRlp(yield* node(leaves, 0, leaves.length, 0)));
}

/** The node over leaves[from, to), which agree in their first `depth` nibbles. */
function* node(leaves: readonly Leaf[], from: number, to: number, depth: number): Work<RlpItem> {
  const first = leaves[from] as Leaf;
  if (to - from === 1) return leaf(first, depth);
  const shared = sharedLength(first.path, (leaves[to - 1] as Leaf).path);
  assert(shared < (leaves[to - 1] as Leaf).path.length, "keys of a Patricia trie are distinct");
  if (shared > depth) {
    return [compactPath(first.path, false, depth, shared), reference(yield* branch(leaves, from, to, shared))];
  }
  return yield* branch(leaves, from, to, depth);
}

function leaf({ path, value }: Leaf, depth: number): RlpItem {
  return [compactPath(path, true, depth), value];
}

function* branch(leaves: readonly Leaf[], from: number, to: number, depth: number): Work<RlpItem> {
  const children: RlpItem[] = new Array(17).fill(EMPTY_BYTES);
  let start = from;
  const first = leaves[from] as Leaf;
  if (first.path.length === depth) {
    children[16] = first.value;
    start++;
  }
  while (start < to) {
    const nibble = (leaves[start] as Leaf).path[depth] as number;
    let end = start + 1;
    while (end < to && (leaves[end] as Leaf).path[depth] === nibble) end++;
    const isLeaf = end - start === 1;
    const child = isLeaf ? leaf(leaves[start] as Leaf, depth + 1) : yield* node(leaves, start, end, depth + 1);
    children[nibble] = reference(child);
    start = end;
  }
  yield;
  return children;
}

/** A node inside its parent: itself when shorter than 32 bytes, else its hash. */
function reference(item: RlpItem): RlpItem {
  const encoded = encodeRlpTransient(item);
  return encoded.length < 32 ? item : keccak256(encoded);
}

function sharedLength(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < length && a[shared] === b[shared]) shared++;
  return shared;
}

function toNibbles(key: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(key.length * 2);
  for (let i = 0; i < key.length; i++) {
    nibbles[2 * i] = (key[i] as number) >> 4;
    nibbles[2 * i + 1] = (key[i] as number) & 15;
  }
  return nibbles;
}

/**
 * Hex-prefix encoding (yellow paper, appendix C) of the nibbles from `start` to `end`: a flag nibble for leaf and odd
 * length, then the path.
 */
export function compactPath(
  path: Uint8Array,
  isLeaf: boolean,
  start: number = 0,
  end: number = path.length,
): Uint8Array {
  const odd = (end - start) % 2;
  const compact = new Uint8Array((end - start - odd) / 2 + 1);
  const flag = (isLeaf ? 2 : 0) + odd;
  compact[0] = (flag << 4) | (odd === 1 ? (path[start] as number) : 0);
  for (let i = 1; i < compact.length; i++) {
    const at = start + odd + 2 * (i - 1);
    compact[i] = ((path[at] as number) << 4) | (path[at + 1] as number);
  }
  return compact;
}
