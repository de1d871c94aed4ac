/**
 * Chunks that follow each other, proven together: the hashes beside the run, and none between its chunks. What one tile
 * reads is mostly runs, and a proof for each chunk would be longer than the chunks.
 */
import { equalBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { hashPairs } from "../../base/hash-pairs.ts";
import {
  CHUNK_BYTES,
  CHUNK_HEIGHT,
  chunkRoots,
  levelsAbove,
  levelUp,
  type MerkleProof,
  mixIn,
  zeroRoot,
} from "./merkle.ts";

const HASH = 32;

export interface ChunkRun {
  /** The number of its first chunk. */
  readonly first: number;
  /** Whole chunks; short only at the end of the contents. */
  readonly bytes: Uint8Array;
  /** Level by level from below, on each the left one first; none where only zeros are. */
  readonly siblings: readonly Uint8Array[];
}

function chunksOf(length: number): number {
  return Math.max(1, Math.ceil(length / CHUNK_BYTES));
}

/** Chunks `first` to `end` (which is not among them) of the contents. `roots` are those of its chunks, if they are known. */
export function proveRun(contents: Uint8Array, first: number, end: number, roots?: Uint8Array): ChunkRun {
  let level = roots ?? chunkRoots(contents);
  const chunks = level.length / HASH;
  assert(first >= 0 && first < end && end <= chunks, "the run lies in the contents");
  const siblings: Uint8Array[] = [];
  let [low, high] = [first, end];
  for (let height = 0; height < levelsAbove(chunks); height++) {
    const nodes = level.length / HASH;
    if (low % 2 === 1) siblings.push(level.slice((low - 1) * HASH, low * HASH));
    if (high % 2 === 1 && high < nodes) siblings.push(level.slice(high * HASH, (high + 1) * HASH));
    [low, high] = [Math.floor(low / 2), Math.ceil(high / 2)];
    level = levelUp(level, CHUNK_HEIGHT + height);
  }
  return { first, bytes: contents.slice(first * CHUNK_BYTES, end * CHUNK_BYTES), siblings };
}

/** The nodes above a run on one level, with their neighbours, so that their number is even but at the top. */
interface RunLevel {
  readonly low: number;
  readonly nodes: Uint8Array;
}

/** From the chunks up, or `undefined` when the siblings are not as many as there must be. */
function levelsOf(length: number, { first, bytes, siblings }: ChunkRun): readonly RunLevel[] | undefined {
  const chunks = chunksOf(length);
  const levels: RunLevel[] = [];
  let nodes = chunkRoots(bytes);
  let [low, high] = [first, first + nodes.length / HASH];
  let width = chunks;
  let taken = 0;
  for (let height = 0; height < levelsAbove(chunks); height++) {
    const parts = [nodes];
    if (low % 2 === 1) parts.unshift(siblings[taken++] ?? new Uint8Array(0));
    if (high % 2 === 1)
      parts.push(high < width ? (siblings[taken++] ?? new Uint8Array(0)) : zeroRoot(CHUNK_HEIGHT + height));
    low -= low % 2;
    high += high % 2;
    nodes = new Uint8Array((high - low) * HASH);
    let at = 0;
    for (const part of parts) {
      if (part.length === 0 || part.length % HASH !== 0 || at + part.length > nodes.length) return undefined;
      nodes.set(part, at);
      at += part.length;
    }
    levels.push({ low, nodes });
    nodes = hashPairs(nodes);
    [low, high, width] = [low / 2, high / 2, Math.ceil(width / 2)];
  }
  return taken === siblings.length ? [...levels, { low, nodes }] : undefined;
}

function fits(length: number, { first, bytes }: ChunkRun): boolean {
  if (!Number.isSafeInteger(length) || length < 0 || !Number.isSafeInteger(first) || first < 0) return false;
  const chunks = chunksOf(bytes.length);
  const end = first + chunks;
  if (bytes.length === 0 && length !== 0) return false;
  if (end > chunksOf(length)) return false;
  return bytes.length === Math.min(chunks * CHUNK_BYTES, length - first * CHUNK_BYTES);
}

/** Whether the run belongs to the contents with this address and length. */
export function verifyRun(address: Uint8Array, length: number, run: ChunkRun): boolean {
  if (!fits(length, run)) return false;
  const top = levelsOf(length, run)?.at(-1)?.nodes;
  return top !== undefined && equalBytes(mixIn(top, length), address);
}

/** A proof of its own for each chunk of a run that was verified, as the chain takes them. */
export function proofsOf(length: number, run: ChunkRun): readonly MerkleProof[] {
  const levels = levelsOf(length, run);
  assert(levels !== undefined, "the run was verified");
  const count = chunksOf(run.bytes.length);
  return Array.from({ length: count }, (_, i) => {
    let at = run.first + i;
    const siblings = levels.slice(0, -1).map(({ low, nodes }) => {
      const place = ((at ^ 1) - low) * HASH;
      at = Math.floor(at / 2);
      return nodes.slice(place, place + HASH);
    });
    return { index: run.first + i, count: length, siblings };
  });
}
