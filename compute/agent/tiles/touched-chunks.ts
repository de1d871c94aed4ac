/** Which chunks of buffers a tile depends on: found by computing it. */
import { assert } from "../../../base/errors.ts";
import { CHUNK_BYTES } from "../../program/merkle.ts";
import type { ScheduledLaunch } from "../../program/schedule.ts";
import type { Program, TileSpec } from "../../program/types.ts";
import type { CheckedProgram } from "../../ptx/check-program.ts";
import { runPagedTile } from "../../ptx/run-paged-tile.ts";
import type { TileResult } from "../../ptx/run-tile.ts";

/** Buffers that the launch is given, ascending. */
export function buffersOfLaunch({ arguments: bound }: ScheduledLaunch): readonly number[] {
  const buffers = bound.flatMap((argument) => (argument.kind === "buffer" ? [argument.buffer] : []));
  return [...new Set(buffers)].sort((a, b) => a - b);
}

/** Buffers that the launch writes and how they are divided, ascending. */
export function writesOf(scheduled: ScheduledLaunch): readonly { readonly buffer: number; readonly tile: TileSpec }[] {
  const writes = scheduled.launch.tiles.map(({ parameter, tile }) => {
    const argument = scheduled.arguments[parameter];
    assert(argument?.kind === "buffer", "tiles belong to buffers");
    return { buffer: argument.buffer, tile };
  });
  return writes.sort((a, b) => a.buffer - b.buffer);
}

export function bytesOfBuffer({ buffers }: Program, buffer: number): number {
  return buffers[buffer]?.bytes ?? 0;
}

export interface TouchedChunks {
  readonly result: TileResult;
  /** Ascending, by buffer. A tile that traps touched them until then. */
  readonly chunks: ReadonlyMap<number, readonly number[]>;
}

/** `contents`: of a buffer before the launch. */
export function touchedChunks(
  { program, kernels }: CheckedProgram,
  scheduled: ScheduledLaunch,
  tile: number,
  contents: (buffer: number) => Uint8Array,
): TouchedChunks {
  const touched = new Map<number, number[]>();
  const chunk = (buffer: number, index: number): Uint8Array => {
    const known = touched.get(buffer);
    if (known === undefined) touched.set(buffer, [index]);
    else known.push(index);
    return contents(buffer).subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
  };
  const kernel = kernels[scheduled.launch.kernel];
  assert(kernel !== undefined, "the program was checked");
  const result = runPagedTile({ program, kernel, scheduled, tile, chunk });
  for (const chunks of touched.values()) chunks.sort((a, b) => a - b);
  return { result, chunks: touched };
}
