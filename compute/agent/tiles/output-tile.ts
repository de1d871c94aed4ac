/**
 * Whether an output is what the launches left: held to a tile that a seat has computed and the worker has opened. What
 * differs is proof by itself, which the chain takes without computing anything. docs/spec/referee.md.
 */
import { lastWriterBefore } from "../../program/last-writer.ts";
import { CHUNK_BYTES, proveChunk } from "../../program/merkle.ts";
import type { TileBytes } from "../../program/tiles.ts";
import type { Program } from "../../program/types.ts";
import type { ChainAction, RoundView, SeatOpening } from "../ports.ts";
import { bytesOfTile, divisionBy } from "./tile-sources.ts";
import { bytesOfBuffer } from "./touched-chunks.ts";

export interface WrittenOutput {
  /** In the order of the program's outputs. */
  readonly output: number;
  readonly buffer: number;
}

/** Outputs of which the launch writes the last version. */
export function outputsOfLaunch(program: Program, launch: number, end: number): readonly WrittenOutput[] {
  return program.outputs
    .map((buffer, output) => ({ output, buffer }))
    .filter(({ buffer }) => lastWriterBefore(program, end, buffer) === launch);
}

export interface OutputTile extends WrittenOutput {
  readonly launch: number;
  readonly tile: number;
  /** What the tile has in the buffer, as the worker opened it. */
  readonly written: Uint8Array;
}

export type FalseOutput = Extract<ChainAction, { kind: "challengeOutput" }>;

/** What proves that the contents, which have the output's address, are not what was left; undefined when they are. */
export function falseOutput(
  program: Program,
  round: RoundView,
  { output, buffer, launch, tile, written }: OutputTile,
  contents: Uint8Array,
  opening: SeatOpening,
): FalseOutput | undefined {
  const hasLength = contents.length === bytesOfBuffer(program, buffer);
  const at = bytesOfTile(program, divisionBy(program, launch, buffer), buffer, tile);
  const offset = hasLength ? firstDifference(at, written, contents) : 0;
  const opened = opening.tiles.find((one) => one.buffer === buffer)?.opening;
  if (offset === undefined || opened === undefined) return undefined;
  const chunkOf = (bytes: Uint8Array, place: number): { bytes: Uint8Array; proof: ReturnType<typeof proveChunk> } => {
    const index = Math.floor(place / CHUNK_BYTES);
    return { bytes: bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES), proof: proveChunk(bytes, index) };
  };
  const { outcome, proof } = opening;
  return {
    ...{ kind: "challengeOutput", round: round.id, output },
    written: {
      ...{ buffer, ...chunkOf(written, offset) },
      origin: { kind: "tile", launch, outcome, proof, tile, opening: opened },
    },
    // Of an output with another length, any chunk shows it.
    chunks: [chunkOf(contents, hasLength ? placeOf(at, offset) : 0)],
  };
}

/** Of the tile's contents. */
function firstDifference(at: TileBytes, written: Uint8Array, contents: Uint8Array): number | undefined {
  const offset = written.findIndex((byte, i) => contents[placeOf(at, i)] !== byte);
  return offset < 0 ? undefined : offset;
}

/** In the buffer. */
function placeOf({ start, width, pitch }: TileBytes, offset: number): number {
  return start + Math.floor(offset / width) * pitch + (offset % width);
}
