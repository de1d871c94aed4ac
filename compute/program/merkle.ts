/**
 * Merkle trees over bytes: a root commits to contents and length, and any chunk of 1 KiB can be proven alone. Trees are
 * binary SHA-256 over 32-byte words, padded with zeros to a power of two, hashed level by level by the native hasher.
 */
import { equalBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { hashPairs } from "../../base/hash-pairs.ts";

export const CHUNK_BYTES = 1_024;
const HASH = 32;

const ZEROS: Uint8Array[] = [new Uint8Array(HASH)];

/** The root of a subtree of zeros, by its height in words. */
export function zeroRoot(height: number): Uint8Array {
  for (let at = ZEROS.length; at <= height; at++) {
    const below = ZEROS[at - 1] as Uint8Array;
    ZEROS.push(hashPairs(joined(below, below)));
  }
  return ZEROS[height] as Uint8Array;
}

export function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const pair = new Uint8Array(2 * HASH);
  pair.set(left);
  pair.set(right, HASH);
  return pair;
}

/** One level up; an odd last node is paired with the root of zeros of its height. */
export function levelUp(level: Uint8Array, height: number): Uint8Array {
  const nodes = level.length / HASH;
  if (nodes % 2 === 0) return hashPairs(level);
  const even = new Uint8Array(level.length + HASH);
  even.set(level);
  even.set(zeroRoot(height), level.length);
  return hashPairs(even);
}

/** Hashes of whole subtrees of `heights` levels over `bytes`, one after the other. */
function reduce(bytes: Uint8Array, heights: number): Uint8Array {
  let level = bytes;
  for (let height = 0; height < heights; height++) level = levelUp(level, height);
  return level;
}

/** Levels above chunks until one node is left. */
export function levelsAbove(leaves: number): number {
  return leaves <= 1 ? 0 : 32 - Math.clz32(leaves - 1);
}

/** Of a chunk's root, in words. */
export const CHUNK_HEIGHT = 5;

/** The root of each chunk; the last one is filled up with zeros, and no bytes have one chunk of zeros. */
export function chunkRoots(bytes: Uint8Array): Uint8Array {
  const chunks = Math.max(1, Math.ceil(bytes.length / CHUNK_BYTES));
  if (bytes.length === chunks * CHUNK_BYTES) return reduce(bytes, CHUNK_HEIGHT);
  const padded = new Uint8Array(chunks * CHUNK_BYTES);
  padded.set(bytes);
  return reduce(padded, CHUNK_HEIGHT);
}

/** Binds a root to a number: without it, trailing zeros would not count. */
export function mixIn(root: Uint8Array, count: number): Uint8Array {
  const number = new Uint8Array(HASH);
  new DataView(number.buffer).setBigUint64(0, BigInt(count), true);
  return hashPairs(joined(root, number));
}

/** The root over leaves of 32 bytes each, padded with zero words to a power of two, bound to their number. */
export function leavesRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const level = new Uint8Array(Math.max(1, leaves.length) * HASH);
  leaves.forEach((leaf, i) => {
    assert(leaf.length === HASH, "a leaf has 32 bytes");
    level.set(leaf, i * HASH);
  });
  return mixIn(treeRoot(level, 0), leaves.length);
}

function treeRoot(leaves: Uint8Array, height: number): Uint8Array {
  let level = leaves;
  for (let at = 0; at < levelsAbove(leaves.length / HASH); at++) level = levelUp(level, height + at);
  return level;
}

/** The address of a blob, and the hash of a tile's contents. */
export function contentAddress(bytes: Uint8Array): Uint8Array {
  return mixIn(treeRoot(chunkRoots(bytes), CHUNK_HEIGHT), bytes.length);
}

/** The address of so many zeros, which takes no hashing of them. */
export function zeroAddress(length: number): Uint8Array {
  const chunks = Math.max(1, Math.ceil(length / CHUNK_BYTES));
  return mixIn(zeroRoot(CHUNK_HEIGHT + levelsAbove(chunks)), length);
}

/** Bytes that are hashed in one go: enough for the hasher to be at full speed, little enough to stay in the cache. */
const BATCH_BYTES = 1 << 18;

/**
 * The addresses of many contents of the same length, level by level for all of them together: the native hasher takes
 * 64 bytes in 44 ns among many and in 300 ns alone.
 */
export function contentAddresses(count: number, length: number, contentsOf: (index: number) => Uint8Array): Uint8Array {
  const words = Math.max(1, Math.ceil(length / HASH));
  const batch = Math.max(1, Math.floor(BATCH_BYTES / (words * HASH)));
  const addresses = new Uint8Array(count * HASH);
  for (let first = 0; first < count; first += batch) {
    const here = Math.min(batch, count - first);
    const bytes = new Uint8Array(here * words * HASH);
    for (let i = 0; i < here; i++) bytes.set(contentsOf(first + i), i * words * HASH);
    addresses.set(mixInAll(rootsOf(bytes, here, words), length), first * HASH);
  }
  return addresses;
}

/** The top of each of `count` trees with `words` words; what only zeros are below is known without hashing. */
function rootsOf(bytes: Uint8Array, count: number, words: number): Uint8Array {
  const heights = CHUNK_HEIGHT + levelsAbove(Math.ceil((words * HASH) / CHUNK_BYTES));
  let level = bytes;
  let width = words;
  for (let height = 0; height < heights; height++) {
    if (width % 2 === 1) level = withZeros(level, count, width, height);
    width = Math.ceil(width / 2);
    level = hashPairs(level);
  }
  return level;
}

/** Each tree's nodes with one more of zeros behind. */
function withZeros(level: Uint8Array, count: number, width: number, height: number): Uint8Array {
  const even = new Uint8Array(count * (width + 1) * HASH);
  for (let i = 0; i < count; i++) {
    even.set(level.subarray(i * width * HASH, (i + 1) * width * HASH), i * (width + 1) * HASH);
    even.set(zeroRoot(height), (i * (width + 1) + width) * HASH);
  }
  return even;
}

function mixInAll(roots: Uint8Array, number: number): Uint8Array {
  const pairs = new Uint8Array(2 * roots.length);
  const view = new DataView(pairs.buffer);
  for (let i = 0; i * HASH < roots.length; i++) {
    pairs.set(roots.subarray(i * HASH, (i + 1) * HASH), 2 * i * HASH);
    view.setBigUint64((2 * i + 1) * HASH, BigInt(number), true);
  }
  return hashPairs(pairs);
}

/** A path from a leaf to a root. */
export interface MerkleProof {
  /** The position of the leaf. */
  readonly index: number;
  /** Leaves, or bytes, that the root is bound to. */
  readonly count: number;
  /** From the leaf's neighbour up. */
  readonly siblings: readonly Uint8Array[];
}

function siblingsOf(leaves: Uint8Array, index: number, height: number): readonly Uint8Array[] {
  const siblings: Uint8Array[] = [];
  let level = leaves;
  let at = index;
  for (let i = 0; i < levelsAbove(leaves.length / HASH); i++) {
    const neighbour = (at ^ 1) * HASH;
    siblings.push(neighbour < level.length ? level.slice(neighbour, neighbour + HASH) : zeroRoot(height + i));
    level = levelUp(level, height + i);
    at >>>= 1;
  }
  return siblings;
}

function climb(leaf: Uint8Array, index: number, siblings: readonly Uint8Array[]): Uint8Array {
  let node = leaf;
  let at = index;
  for (const sibling of siblings) {
    node = hashPairs(at % 2 === 0 ? joined(node, sibling) : joined(sibling, node));
    at = Math.floor(at / 2);
  }
  return node;
}

/** That chunk `index` belongs to these contents. */
export function proveChunk(bytes: Uint8Array, index: number): MerkleProof {
  const roots = chunkRoots(bytes);
  assert(index >= 0 && index < roots.length / HASH, "the chunk exists");
  return { index, count: bytes.length, siblings: siblingsOf(roots, index, CHUNK_HEIGHT) };
}

/** Whether `chunk`, which is short only at the end, is chunk `proof.index` of the contents with this address. */
export function verifyChunk(address: Uint8Array, chunk: Uint8Array, proof: MerkleProof): boolean {
  const { index, count, siblings } = proof;
  const chunks = Math.max(1, Math.ceil(count / CHUNK_BYTES));
  if (!Number.isSafeInteger(count) || count < 0 || !Number.isInteger(index) || index < 0 || index >= chunks)
    return false;
  if (chunk.length !== Math.min(CHUNK_BYTES, count - index * CHUNK_BYTES)) return false;
  if (!wellFormed(siblings, chunks)) return false;
  const root = climb(chunkRoots(chunk), index, siblings);
  return equalBytes(mixIn(root, count), address);
}

function wellFormed(siblings: readonly Uint8Array[], leaves: number): boolean {
  return siblings.length === levelsAbove(leaves) && siblings.every(({ length }) => length === HASH);
}

/** That leaf `index` is one of `leaves`. */
export function proveLeaf(leaves: readonly Uint8Array[], index: number): MerkleProof {
  assert(index >= 0 && index < leaves.length, "the leaf exists");
  const level = new Uint8Array(leaves.length * HASH);
  leaves.forEach((leaf, i) => {
    level.set(leaf, i * HASH);
  });
  return { index, count: leaves.length, siblings: siblingsOf(level, index, 0) };
}

export function verifyLeaf(root: Uint8Array, leaf: Uint8Array, { index, count, siblings }: MerkleProof): boolean {
  if (!Number.isInteger(index) || !Number.isSafeInteger(count) || index < 0 || index >= count) return false;
  if (leaf.length !== HASH || count > 2 ** 31 || !wellFormed(siblings, count)) return false;
  return equalBytes(mixIn(climb(leaf, index, siblings), count), root);
}
