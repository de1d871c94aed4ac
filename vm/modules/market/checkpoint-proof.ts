/** Which chunks the state after a segment has, and proofs that bytes are one of them. Pure. */

import { concatBytes, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { hashPairs } from "../../../base/hash-pairs.ts";
import { lastWriterBefore } from "../../../compute/program/last-writer.ts";
import { CHUNK_BYTES, verifyChunk, verifyLeaf } from "../../../compute/program/merkle.ts";
import { launchAt } from "../../../compute/program/schedule.ts";
import { blockAt, tileBytes, tilesOf } from "../../../compute/program/tiles.ts";
import type { Program } from "../../../compute/program/types.ts";

/** Chunks of contents with so many bytes. */
export function chunksOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / CHUNK_BYTES));
}

/** Tile and chunk in it, as one number. */
const CHUNK_BITS = 32n;

/** A part of a buffer that is hashed alone: a tile of the launch that wrote it last, or the buffer as it was at the start. */
interface Part {
  readonly tile: number | undefined;
  readonly tiles: number;
  readonly chunk: number;
  readonly bytes: number;
}

/** What `chunk` names in the buffer as launches before `end` left it; `undefined` if there is no such chunk. */
function partOf(plan: Program, end: number, buffer: number, chunk: bigint): Part | undefined {
  const length = plan.buffers[buffer]?.bytes;
  if (length === undefined) return undefined;
  const [tile, index] = [Number(chunk >> CHUNK_BITS), Number(chunk & ((1n << CHUNK_BITS) - 1n))];
  const writer = lastWriterBefore(plan, end, buffer);
  if (writer === undefined) {
    return tile === 0 && index < chunksOf(length)
      ? { tile: undefined, tiles: 0, chunk: index, bytes: length }
      : undefined;
  }
  const scheduled = launchAt(plan, writer);
  const assigned = scheduled?.launch.tiles.find(({ parameter }) => {
    const argument = scheduled.arguments[parameter];
    return argument?.kind === "buffer" && argument.buffer === buffer;
  });
  if (scheduled === undefined || assigned === undefined || tile >= tilesOf(scheduled.launch)) return undefined;
  const { grid } = scheduled.launch;
  const { width, rows } = tileBytes(assigned.tile, blockAt(tile, grid), grid, length);
  const tiles = tilesOf(scheduled.launch);
  return index < chunksOf(width * rows) ? { tile, tiles, chunk: index, bytes: width * rows } : undefined;
}

export function hasChunk(plan: Program, end: number, buffer: number, chunk: bigint): boolean {
  return partOf(plan, end, buffer, chunk) !== undefined;
}

export interface CheckpointProof {
  readonly version: Hex;
  readonly versionSiblings: readonly Hex[];
  readonly tile: Hex;
  readonly salt: Hex;
  readonly tileSiblings: readonly Hex[];
}

export interface CheckpointChunk {
  readonly plan: Program;
  /** The first launch after the checkpoint. */
  readonly end: number;
  readonly root: Hex;
  readonly buffer: number;
  readonly chunk: bigint;
  readonly contents: Uint8Array;
  readonly siblings: readonly Hex[];
  readonly proof: CheckpointProof;
}

const bytesOf = (hashes: readonly Hex[]): readonly Uint8Array[] => hashes.map(hexToBytes);

export function isCheckpointChunk(claim: CheckpointChunk): boolean {
  const { plan, end, root, buffer, chunk, contents, siblings, proof } = claim;
  const part = partOf(plan, end, buffer, chunk);
  if (part === undefined) return false;
  const version = hexToBytes(proof.version);
  const versionPath = { index: buffer, count: plan.buffers.length, siblings: bytesOf(proof.versionSiblings) };
  if (!verifyLeaf(hexToBytes(root), version, versionPath)) return false;
  const path = { index: part.chunk, count: part.bytes, siblings: bytesOf(siblings) };
  if (part.tile === undefined) return verifyChunk(version, contents, path);
  const tile = hexToBytes(proof.tile);
  const leaf = hashPairs(concatBytes(tile, hexToBytes(proof.salt)));
  const tilePath = { index: part.tile, count: part.tiles, siblings: bytesOf(proof.tileSiblings) };
  return verifyLeaf(version, leaf, tilePath) && verifyChunk(tile, contents, path);
}
