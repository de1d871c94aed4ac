/** Where the bytes come from that a tile reads: by arithmetic on the program, so that asker and worker need not agree on it. */
import { assert } from "../../../base/errors.ts";
import { lastWriterBefore } from "../../program/last-writer.ts";
import { CHUNK_BYTES } from "../../program/merkle.ts";
import { launchAt, type ScheduledLaunch } from "../../program/schedule.ts";
import { blockAt, blockCount, type TileBytes, tileBytes } from "../../program/tiles.ts";
import type { Program, TileSpec } from "../../program/types.ts";
import { bytesOfBuffer, writesOf } from "./touched-chunks.ts";

/** How a launch divided a buffer that it wrote. */
export interface Division {
  readonly launch: number;
  readonly scheduled: ScheduledLaunch;
  readonly tile: TileSpec;
}

export type BufferSource =
  | { readonly kind: "zeros" }
  /** An input or a constant. */
  | { readonly kind: "start" }
  | { readonly kind: "segment"; readonly division: Division }
  | { readonly kind: "checkpoint"; readonly division: Division };

/** What a buffer holds before `launch`, in a segment that begins with launch `first`. */
export function sourceOf(program: Program, first: number, launch: number, buffer: number): BufferSource {
  const writer = lastWriterBefore(program, launch, buffer);
  if (writer === undefined) {
    const kind = program.buffers[buffer]?.kind;
    return { kind: kind === "input" || kind === "constant" ? "start" : "zeros" };
  }
  return { kind: writer >= first ? "segment" : "checkpoint", division: divisionBy(program, writer, buffer) };
}

export function divisionBy(program: Program, launch: number, buffer: number): Division {
  const scheduled = launchAt(program, launch);
  const write = scheduled && writesOf(scheduled).find((one) => one.buffer === buffer);
  assert(scheduled !== undefined && write !== undefined, "the launch writes the buffer");
  return { launch, scheduled, tile: write.tile };
}

export function bytesOfTile(program: Program, { scheduled, tile }: Division, buffer: number, index: number): TileBytes {
  const { grid } = scheduled.launch;
  return tileBytes(tile, blockAt(index, grid), grid, bytesOfBuffer(program, buffer));
}

/** Of a run of bytes in a buffer, the part that lies in one row of a tile. */
export interface TilePart {
  readonly tile: number;
  /** In the buffer. */
  readonly start: number;
  readonly end: number;
  /** Of `start` in the tile's contents. */
  readonly offset: number;
}

/** Bytes `start` to before `end` of a buffer, as parts of the tiles that own them. */
export function partsOf(
  program: Program,
  division: Division,
  buffer: number,
  start: number,
  end: number,
): readonly TilePart[] {
  const { tile, scheduled } = division;
  const [columns, lines] = scheduled.launch.grid;
  if (tile.kind === "whole") return [{ tile: 0, start, end, offset: start }];
  const parts: TilePart[] = [];
  for (let at = start; at < end; ) {
    const part = tile.kind === "run" ? runPart(tile.bytes, at) : rowPart(tile, columns, lines, at);
    const { offset, stop } = within(bytesOfTile(program, division, buffer, part), at);
    parts.push({ tile: part, start: at, end: Math.min(stop, end), offset });
    at = Math.min(stop, end);
  }
  assert(
    parts.every((part) => part.tile < blockCount(scheduled.launch.grid)),
    "tiles cover the buffer",
  );
  return parts;
}

function runPart(bytes: number, at: number): number {
  return Math.floor(at / bytes);
}

function rowPart(
  { pitch, width, rows, plane }: Extract<TileSpec, { kind: "rows" }>,
  columns: number,
  lines: number,
  at: number,
): number {
  const row = Math.floor(at / pitch);
  const x = Math.floor((at % pitch) / width);
  const y = Math.floor((row % plane) / rows);
  const z = Math.floor(row / plane);
  return x + columns * (y + lines * z);
}

/** Where a byte of the buffer is in its tile's contents, and where the tile's row ends in the buffer. */
function within({ start, width, pitch }: TileBytes, at: number): { readonly offset: number; readonly stop: number } {
  const row = Math.floor((at - start) / pitch);
  const column = at - start - row * pitch;
  return { offset: row * width + column, stop: at + width - column };
}

/** The bytes of a chunk of a buffer. */
export function chunkBytes(
  program: Program,
  buffer: number,
  chunk: number,
): { readonly start: number; readonly end: number } {
  const start = chunk * CHUNK_BYTES;
  return { start, end: Math.min(start + CHUNK_BYTES, bytesOfBuffer(program, buffer)) };
}
