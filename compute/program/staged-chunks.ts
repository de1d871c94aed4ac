/**
 * What a challenged tile reads, chunk by chunk, each proven against what the worker committed or the job began with. Where
 * a byte must come from follows from the program alone, so there is one right origin for each buffer.
 */
import { assert } from "../../base/errors.ts";
import { type LaunchOutcome, launchLeaf, type TileOpening, tileCount, verifyTile } from "./commitment.ts";
import { lastWriterBefore } from "./last-writer.ts";
import { CHUNK_BYTES, type MerkleProof, verifyChunk, verifyLeaf } from "./merkle.ts";
import { launchAt, type ScheduledLaunch } from "./schedule.ts";
import { blockAt, type TileBytes, tileBytes } from "./tiles.ts";
import type { Program } from "./types.ts";

/** What is on chain of a segment. */
export interface SegmentClaims {
  readonly program: Program;
  /** Committed launches: from `first` up to `end`. */
  readonly first: number;
  readonly end: number;
  readonly segmentRoot: Uint8Array;
  /** Where the segment starts; none for the first. */
  readonly startCheckpoint: Uint8Array | undefined;
  /** Content addresses of the job's inputs, in the order of the program's buffers. */
  readonly inputs: readonly Uint8Array[];
}

export type ChunkOrigin =
  /** An input or a constant, which nothing has written. */
  | { readonly kind: "start" }
  /** A tile that an earlier launch of the segment wrote. */
  | {
      readonly kind: "tile";
      readonly launch: number;
      readonly outcome: LaunchOutcome;
      readonly proof: MerkleProof;
      readonly tile: number;
      readonly opening: TileOpening;
    }
  /** A tile of the version that the checkpoint before the segment has of the buffer. */
  | {
      readonly kind: "checkpoint";
      readonly root: Uint8Array;
      readonly proof: MerkleProof;
      readonly tile: number;
      readonly opening: TileOpening;
    };

export interface ProvenChunk {
  readonly buffer: number;
  readonly origin: ChunkOrigin;
  readonly bytes: Uint8Array;
  /** To the content address that the origin leads to. */
  readonly proof: MerkleProof;
}

/** What a chunk's proof does not show. */
export const CHUNK_FLAW = { buffer: 1, origin: 2, version: 3, tile: 4, chunk: 5 } as const;

/** Where proven bytes belong: chunk `index` of the buffer's start, or of a tile that `writer` wrote. */
export interface ChunkPlace {
  readonly buffer: number;
  readonly writer: number | undefined;
  readonly tile: number;
  readonly index: number;
}

/** Holds the chunk to the claims, as an input of `launch`. Gives where it belongs, or the number of the flaw. */
export function placeOfChunk(claims: SegmentClaims, launch: number, chunk: ProvenChunk): ChunkPlace | number {
  if (!isReached(launchAt(claims.program, launch), chunk.buffer)) return CHUNK_FLAW.buffer;
  return placeAfter(claims, launch, chunk);
}

/** The same for any chunk of the state that the launches before `end` leave. */
export function placeAfter(claims: SegmentClaims, end: number, chunk: ProvenChunk): ChunkPlace | number {
  const { program } = claims;
  const { buffer, origin, bytes, proof } = chunk;
  const spec = program.buffers[buffer];
  if (spec === undefined) return CHUNK_FLAW.buffer;
  const writer = lastWriterBefore(program, end, buffer);
  if (writer === undefined) {
    const address = startAddress(claims, buffer);
    if (origin.kind !== "start" || address === undefined) return CHUNK_FLAW.origin;
    const isIt = proof.count === spec.bytes && verifyChunk(address, bytes, proof);
    return isIt ? { buffer, writer, tile: 0, index: proof.index } : CHUNK_FLAW.chunk;
  }
  if (origin.kind !== (writer >= claims.first ? "tile" : "checkpoint")) return CHUNK_FLAW.origin;
  return placeInTile(claims, writer, chunk, origin as Exclude<ChunkOrigin, { kind: "start" }>);
}

function isReached(scheduled: ScheduledLaunch | undefined, buffer: number): boolean {
  return scheduled?.arguments.some((argument) => argument.kind === "buffer" && argument.buffer === buffer) === true;
}

/** The content address of an input or constant; `undefined` for what starts as zeros. */
export function startAddress({ program, inputs }: SegmentClaims, buffer: number): Uint8Array | undefined {
  const { buffers } = program;
  if (buffers[buffer]?.kind !== "input") return buffers[buffer]?.address;
  return inputs[buffers.slice(0, buffer).filter(({ kind }) => kind === "input").length];
}

/** The tile of a committed version, as the origin of a chunk of it leads there. */
function placeInTile(
  claims: SegmentClaims,
  writer: number,
  { buffer, bytes, proof }: ProvenChunk,
  origin: Exclude<ChunkOrigin, { kind: "start" }>,
): ChunkPlace | number {
  const root = versionRoot(claims, writer, buffer, origin);
  if (root === undefined) return CHUNK_FLAW.version;
  const { tile, opening } = origin;
  const own = tileIn(claims.program, writer, buffer, tile);
  if (own === undefined || opening.proof.count !== own.count || !verifyTile(root, tile, opening))
    return CHUNK_FLAW.tile;
  const length = own.bytes.width * own.bytes.rows;
  if (proof.count !== length || !verifyChunk(opening.address, bytes, proof)) return CHUNK_FLAW.chunk;
  return { buffer, writer, tile, index: proof.index };
}

/** The root of the buffer's version that the claims have after `writer`; `undefined` when the origin does not show it. */
export function versionRoot(
  { program, first, end, segmentRoot, startCheckpoint }: SegmentClaims,
  writer: number,
  buffer: number,
  origin: Exclude<ChunkOrigin, { kind: "start" }>,
): Uint8Array | undefined {
  const { proof } = origin;
  if (origin.kind === "checkpoint") {
    const isIt = proof.index === buffer && proof.count === program.buffers.length;
    return isIt && startCheckpoint !== undefined && verifyLeaf(startCheckpoint, origin.root, proof)
      ? origin.root
      : undefined;
  }
  const { launch, outcome } = origin;
  const isIt = launch === writer && proof.index === writer - first && proof.count === end - first;
  if (!isIt || outcome.kind !== "done" || !verifyLeaf(segmentRoot, launchLeaf(writer, outcome), proof))
    return undefined;
  return outcome.versions.find((version) => version.buffer === buffer)?.root;
}

/** Where a tile that a launch wrote lies in the buffer, and how many there are; `undefined` when there is no such tile. */
export function tileIn(
  program: Program,
  launch: number,
  buffer: number,
  tile: number,
): { readonly bytes: TileBytes; readonly count: number } | undefined {
  const scheduled = launchAt(program, launch);
  const spec = scheduled?.launch.tiles.find(({ parameter }) => {
    const argument = scheduled.arguments[parameter];
    return argument?.kind === "buffer" && argument.buffer === buffer;
  })?.tile;
  if (scheduled === undefined || spec === undefined) return undefined;
  const { grid } = scheduled.launch;
  const count = tileCount(spec, grid);
  if (!Number.isInteger(tile) || tile < 0 || tile >= count) return undefined;
  return { bytes: tileBytes(spec, blockAt(tile, grid), grid, program.buffers[buffer]?.bytes ?? 0), count };
}

interface KnownChunk {
  readonly bytes: Uint8Array;
  /** One for each byte: 1 when it is there. */
  readonly known: Uint8Array;
}

/** Puts proven chunks of tiles and inputs together to chunks of buffers, as the engine asks for them. */
export class ChunkAssembly {
  readonly #program: Program;
  readonly #launch: number;
  readonly #tile: number;
  readonly #chunks = new Map<string, KnownChunk>();
  readonly #needed = new Map<number, TileBytes | undefined>();

  constructor(program: Program, launch: number, tile: number) {
    this.#program = program;
    this.#launch = launch;
    this.#tile = tile;
  }

  /** The place is one that `placeOfChunk` gave for these bytes. */
  add({ buffer, writer, tile, index }: ChunkPlace, bytes: Uint8Array): void {
    const at = writer === undefined ? this.#whole(buffer) : tileIn(this.#program, writer, buffer, tile)?.bytes;
    assert(at !== undefined, "the chunk was proven");
    for (let done = 0; done < bytes.length; ) {
      const offset = index * CHUNK_BYTES + done;
      const row = Math.floor(offset / at.width);
      const some = Math.min(at.width - (offset % at.width), bytes.length - done);
      this.#put(buffer, at.start + row * at.pitch + (offset % at.width), bytes.subarray(done, done + some));
      done += some;
    }
  }

  #put(buffer: number, start: number, bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const inside = (start + done) % CHUNK_BYTES;
      const some = Math.min(CHUNK_BYTES - inside, bytes.length - done);
      const name = `${buffer} ${Math.floor((start + done) / CHUNK_BYTES)}`;
      const chunk = this.#chunks.get(name) ?? {
        bytes: new Uint8Array(CHUNK_BYTES),
        known: new Uint8Array(CHUNK_BYTES),
      };
      this.#chunks.set(name, chunk);
      chunk.bytes.set(bytes.subarray(done, done + some), inside);
      chunk.known.fill(1, inside, inside + some);
      done += some;
    }
  }

  /**
   * A chunk of the buffer before the launch; `undefined` when some of it is missing that matters: all of it, or of a buffer
   * that the launch writes, the bytes of the tile.
   */
  chunk(buffer: number, index: number): Uint8Array | undefined {
    const first = index * CHUNK_BYTES;
    const size = Math.min(CHUNK_BYTES, this.#whole(buffer).width - first);
    const needed = this.#neededOf(buffer);
    if (needed === undefined) return new Uint8Array(size);
    const found = this.#chunks.get(`${buffer} ${index}`);
    const isThere = rowsWithin(needed, first, first + size).every(({ from, to }) => {
      for (let at = from - first; at < to - first; at++) if (found?.known[at] !== 1) return false;
      return true;
    });
    if (!isThere) return undefined;
    return found?.bytes.subarray(0, size) ?? new Uint8Array(size);
  }

  #whole(buffer: number): TileBytes {
    const length = this.#program.buffers[buffer]?.bytes ?? 0;
    return { start: 0, width: length, rows: 1, pitch: length };
  }

  /** The part of the buffer that matters; `undefined` when nothing has written it and it starts as zeros. */
  #neededOf(buffer: number): TileBytes | undefined {
    if (!this.#needed.has(buffer)) {
      const kind = this.#program.buffers[buffer]?.kind;
      const isWritten = lastWriterBefore(this.#program, this.#launch, buffer) !== undefined;
      const isGiven = isWritten || kind === "input" || kind === "constant";
      const own = tileIn(this.#program, this.#launch, buffer, this.#tile)?.bytes;
      this.#needed.set(buffer, isGiven ? (own ?? this.#whole(buffer)) : undefined);
    }
    return this.#needed.get(buffer);
  }
}

/** The parts of the rows that lie in bytes `low` up to `high`. */
export function rowsWithin(
  { start, width, rows, pitch }: TileBytes,
  low: number,
  high: number,
): readonly { readonly from: number; readonly to: number }[] {
  const parts: { from: number; to: number }[] = [];
  const first = Math.max(0, Math.floor((low - start - width) / pitch));
  for (let row = first; row < rows && start + row * pitch < high; row++) {
    const from = Math.max(low, start + row * pitch);
    const to = Math.min(high, start + row * pitch + width);
    if (from < to) parts.push({ from, to });
  }
  return parts;
}
