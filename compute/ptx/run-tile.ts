/**
 * Computes one tile of one launch from the buffers as they were before it, in checking mode: what a verifier does for a tile
 * that was drawn, and the referee for one that is disputed. Pure, so that it runs the same in a worker thread, in the
 * state transition and in a browser.
 */
import { CHUNK_BYTES } from "../program/merkle.ts";
import type { ScheduledLaunch } from "../program/schedule.ts";
import { blockAt, blockCount, isWhole, readTile, tileBytes } from "../program/tiles.ts";
import type { Extent, Program, TileSpec } from "../program/types.ts";
import type { CheckedKernel } from "./check.ts";
import { compileKernel } from "./wasm/compile.ts";
import { type LoadedKernel, Machine, scratchBytes, type TileWindow, type TrapReason } from "./wasm/machine.ts";

export interface TileTask {
  readonly program: Program;
  readonly kernel: CheckedKernel;
  readonly scheduled: ScheduledLaunch;
  /** The number of the block; 0 for a launch that is one tile as a whole. */
  readonly tile: number;
  /** A buffer's contents before the launch. Of a buffer that the launch writes, only the tile needs to be right. */
  contents(buffer: number): Uint8Array;
}

export type TileResult =
  | {
      readonly kind: "done";
      readonly fuel: number;
      /** For each buffer that the launch writes, the tile's bytes, row after row. */
      readonly written: ReadonlyMap<number, Uint8Array>;
    }
  | { readonly kind: "trap"; readonly reason: TrapReason | "BYTES"; readonly line: number };

export function runTile(task: TileTask): TileResult {
  const { kernel, scheduled } = task;
  const { grid, block, dynamicShared, fuel, bytes } = scheduled.launch;
  const compiled = compileKernel(kernel, { trackChunks: true, findRaces: true });
  const buffers = [
    ...new Set(scheduled.arguments.flatMap((argument) => (argument.kind === "buffer" ? [argument.buffer] : []))),
  ];
  const machine = new Machine(
    scratchBytes(compiled, blockCount(block)),
    buffers.map((buffer) => task.program.buffers[buffer]?.bytes ?? 0),
  );
  buffers.forEach((buffer, i) => {
    machine.buffer(i).set(task.contents(buffer));
  });
  const loaded = machine.load(compiled);
  loaded.begin({
    ...{ grid, block, dynamicShared },
    arguments: scheduled.arguments.map((argument) =>
      argument.kind === "bytes" ? argument : { kind: "buffer", buffer: buffers.indexOf(argument.buffer) },
    ),
  });
  const blocks = isWhole(scheduled.launch) ? Array.from({ length: blockCount(grid) }, (_, i) => i) : [task.tile];
  let used = 0;
  for (const index of blocks) {
    const outcome = runBlock(loaded, task, blockAt(index, grid), fuel - used);
    if (outcome.kind === "trap") return outcome;
    used += outcome.fuel;
  }
  if (loaded.takeTouchedChunks() * CHUNK_BYTES > bytes) return { kind: "trap", reason: "BYTES", line: 0 };
  return { kind: "done", fuel: used, written: written(task, (buffer) => machine.buffer(buffers.indexOf(buffer))) };
}

function runBlock(
  loaded: LoadedKernel,
  { program, scheduled }: TileTask,
  at: Extent,
  fuel: number,
): ReturnType<LoadedKernel["runBlock"]> {
  for (const { parameter, tile } of scheduled.launch.tiles) {
    const length = program.buffers[bufferOf(scheduled, parameter)]?.bytes ?? 0;
    loaded.setTile(parameter, windowOf(tile, at, scheduled.launch.grid, length));
  }
  return loaded.runBlock(at, fuel);
}

function bufferOf({ arguments: bound }: ScheduledLaunch, parameter: number): number {
  const argument = bound[parameter];
  return argument?.kind === "buffer" ? argument.buffer : -1;
}

function written(task: TileTask, contents: (buffer: number) => Uint8Array): ReadonlyMap<number, Uint8Array> {
  const { launch } = task.scheduled;
  const at = blockAt(task.tile, launch.grid);
  return new Map(
    launch.tiles.map(({ parameter, tile }) => {
      const buffer = bufferOf(task.scheduled, parameter);
      const bytes = contents(buffer);
      return [buffer, readTile(bytes, tileBytes(tile, at, launch.grid, bytes.length))];
    }),
  );
}

/** What a block may touch of a buffer that its launch writes. */
export function windowOf(tile: TileSpec, at: Extent, grid: Extent, length: number): TileWindow {
  if (tile.kind === "whole") return { kind: "whole" };
  const { start, width, rows, pitch } = tileBytes(tile, at, grid, length);
  if (tile.kind === "run") return { kind: "run", start, bytes: width };
  return { kind: "rows", pitch, row: Math.floor(start / pitch), rows, column: start % pitch, width };
}
