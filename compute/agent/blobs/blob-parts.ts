/**
 * Parts of a blob, each a whole subtree of the blob's tree, so that one alone can be checked against the address. To prove
 * a part takes the roots of all others: the blob is read once for that, and the roots of those proven last are kept.
 */
import type { Hex } from "../../../base/bytes.ts";
import type { ChunkRun } from "../../program/chunk-run.ts";
import { CHUNK_BYTES, CHUNK_HEIGHT, chunkRoots, levelUp } from "../../program/merkle.ts";
import type { BlobStore } from "./blob-store.ts";

const PART_CHUNKS = 256;
/** A power of two of chunks. */
export const PART_BYTES: number = PART_CHUNKS * CHUNK_BYTES;
const PART_LEVELS = 8;
const HASH = 32;
/** Roots that are kept, in bytes: of blobs of 32 GiB together. */
const MAX_ROOT_BYTES: number = 4 * 1024 * 1024;

export interface BlobPart {
  readonly bytes: Uint8Array;
  /** From beside the part up, as in a run of chunks. */
  readonly siblings: readonly Uint8Array[];
}

/** The part as a run of chunks, for `verifyRun`. */
export function runOfPart(part: number, { bytes, siblings }: BlobPart): ChunkRun {
  return { first: part * PART_CHUNKS, bytes, siblings };
}

interface KeptRoots {
  readonly roots: Promise<Uint8Array>;
  /** Kept here: the blob may have left the store when they are forgotten. */
  readonly bytes: number;
}

export class BlobParts {
  readonly #store: BlobStore;
  /** Those used last at the end. A promise: who asks meanwhile waits for the same reading. */
  readonly #roots = new Map<Hex, KeptRoots>();
  #rootBytes = 0;

  constructor(store: BlobStore) {
    this.#store = store;
  }

  length(address: Hex): number | undefined {
    return this.#store.entry(address)?.bytes;
  }

  /** `undefined` when the blob is not here, or has no such part. */
  async part(address: Hex, part: number): Promise<BlobPart | undefined> {
    const length = this.length(address);
    if (length === undefined || part >= partsOf(length)) return undefined;
    const siblings = length <= PART_BYTES ? [] : siblingsOf(await this.#rootsOf(address, length), part);
    return { bytes: await this.#read(address, part, length), siblings };
  }

  async #read(address: Hex, part: number, length: number): Promise<Uint8Array> {
    const start = part * PART_BYTES;
    const bytes = new Uint8Array(Math.min(PART_BYTES, length - start));
    let at = 0;
    for await (const piece of this.#store.pieces(address, start, start + bytes.length)) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }

  #rootsOf(address: Hex, length: number): Promise<Uint8Array> {
    const known = this.#roots.get(address);
    const kept = known ?? { roots: this.#readRoots(address, length), bytes: partsOf(length) * HASH };
    this.#roots.delete(address);
    this.#roots.set(address, kept);
    if (known === undefined) {
      this.#rootBytes += kept.bytes;
      kept.roots.catch(() => this.#forget(address, kept));
      for (const [old, oldest] of this.#roots) {
        if (this.#rootBytes <= MAX_ROOT_BYTES || old === address) break;
        this.#forget(old, oldest);
      }
    }
    return kept.roots;
  }

  #forget(address: Hex, kept: KeptRoots): void {
    if (this.#roots.get(address) !== kept) return;
    this.#roots.delete(address);
    this.#rootBytes -= kept.bytes;
  }

  async #readRoots(address: Hex, length: number): Promise<Uint8Array> {
    const parts = partsOf(length);
    const roots = new Uint8Array(parts * HASH);
    for (let part = 0; part < parts; part++) {
      let level = chunkRoots(await this.#read(address, part, length));
      for (let height = 0; height < PART_LEVELS; height++) level = levelUp(level, CHUNK_HEIGHT + height);
      roots.set(level, part * HASH);
    }
    return roots;
  }
}

function partsOf(length: number): number {
  return Math.max(1, Math.ceil(length / PART_BYTES));
}

function siblingsOf(roots: Uint8Array, part: number): readonly Uint8Array[] {
  const siblings: Uint8Array[] = [];
  let level = roots;
  let at = part;
  for (let height = CHUNK_HEIGHT + PART_LEVELS; level.length > HASH; height++) {
    const beside = (at ^ 1) * HASH;
    // None where only zeros are.
    if (beside < level.length) siblings.push(level.slice(beside, beside + HASH));
    level = levelUp(level, height);
    at >>>= 1;
  }
  return siblings;
}
