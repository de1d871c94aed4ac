/** The content address of bytes that come in pieces: what was hashed is forgotten, so that any length takes the same memory. */
import { hashPairs } from "../../base/hash-pairs.ts";
import {
  CHUNK_BYTES,
  CHUNK_HEIGHT,
  chunkRoots,
  contentAddress,
  joined,
  levelsAbove,
  levelUp,
  mixIn,
  zeroRoot,
} from "./merkle.ts";

/** Chunks that are hashed in one go: enough for the hasher to be at full speed. */
const BATCH_LEVELS = 8;
const BATCH_BYTES: number = CHUNK_BYTES << BATCH_LEVELS;
const BATCH_HEIGHT: number = CHUNK_HEIGHT + BATCH_LEVELS;

export class StreamingAddress {
  #length = 0;
  readonly #batch = new Uint8Array(BATCH_BYTES);
  #filled = 0;
  /** A binary counter: at position h, the root of 2^h batches that have no neighbour yet. */
  readonly #roots: (Uint8Array | undefined)[] = [];

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  update(bytes: Uint8Array): void {
    this.#length += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      // A full batch waits for the byte behind it: contents of one batch are hashed as a whole.
      if (this.#filled === BATCH_BYTES) this.#endBatch();
      const taken = Math.min(BATCH_BYTES - this.#filled, bytes.length - at);
      this.#batch.set(bytes.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
    }
  }

  /** The address of all bytes so far; more may follow. */
  address(): Uint8Array {
    if (this.#length <= BATCH_BYTES) return contentAddress(this.#batch.subarray(0, this.#filled));
    const roots = [...this.#roots];
    carry(roots, batchRoot(this.#batch.subarray(0, this.#filled)));
    const levels = levelsAbove(Math.ceil(this.#length / CHUNK_BYTES)) - BATCH_LEVELS;
    let node: Uint8Array | undefined;
    for (let height = 0; height < levels; height++) {
      const left = roots[height];
      const zeros = zeroRoot(BATCH_HEIGHT + height);
      if (left !== undefined) node = hashPairs(joined(left, node ?? zeros));
      else if (node !== undefined) node = hashPairs(joined(node, zeros));
    }
    return mixIn(node ?? (roots[levels] as Uint8Array), this.#length);
  }

  #endBatch(): void {
    carry(this.#roots, batchRoot(this.#batch));
    this.#filled = 0;
  }
}

function carry(roots: (Uint8Array | undefined)[], root: Uint8Array): void {
  let node = root;
  let height = 0;
  for (let left = roots[0]; left !== undefined; left = roots[++height]) {
    node = hashPairs(joined(left, node));
    roots[height] = undefined;
  }
  roots[height] = node;
}

function batchRoot(bytes: Uint8Array): Uint8Array {
  let level = chunkRoots(bytes);
  for (let at = 0; at < BATCH_LEVELS; at++) level = levelUp(level, CHUNK_HEIGHT + at);
  return level;
}
