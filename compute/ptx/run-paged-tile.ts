/**
 * Computes one tile of one launch as `runTile` does, from chunks of buffers that are asked for as the tile touches them: what
 * the referee does with chunks that were staged, and a verifier with chunks that a worker sent. Memory depends on what the
 * tile touches, not on how large the buffers are.
 */
import { assert } from "../../base/errors.ts";
import { CHUNK_BYTES } from "../program/merkle.ts";
import { chunksOfTile } from "../program/refereeable.ts";
import type { ScheduledLaunch } from "../program/schedule.ts";
import { blockAt, blockCount, isWhole, type TileBytes, tileBytes } from "../program/tiles.ts";
import type { Program } from "../program/types.ts";
import type { CheckedKernel } from "./check.ts";
import { type TileResult, windowOf } from "./run-tile.ts";
import { compileKernel } from "./wasm/compile.ts";
import { type LoadedKernel, scratchBytes } from "./wasm/machine.ts";
import { PagedMachine } from "./wasm/paged-machine.ts";

export interface PagedTileTask {
  readonly program: Program;
  readonly kernel: CheckedKernel;
  readonly scheduled: ScheduledLaunch;
  /** The number of the block; 0 for a launch that is one tile as a whole. */
  readonly tile: number;
  /**
   * Chunk `chunk` of a buffer before the launch, shorter at the buffer's end; asked for once. Of a buffer that the launch
   * writes, only the bytes of the tile need to be right. What it throws comes through.
   */
  chunk(buffer: number, chunk: number): Uint8Array;
  /**
   * What checking may take that fuel does not count: each access to shared memory or to what the launch writes counts its bytes
   * and four more; threads that go on after a wait count 16, an eighth of the kernel's registers, and the registers that
   * each has kept; and threads that wait in different places count for finding out who goes on. Beyond it CheckBudgetError is thrown. As much as it takes when not given.
   */
  readonly checks?: number;
}

export function runPagedTile(task: PagedTileTask): TileResult {
  const { program, kernel, scheduled } = task;
  const { launch } = scheduled;
  const compiled = compileKernel(kernel, { paged: true, findRaces: true });
  const buffers = buffersOf(scheduled);
  const lengths = buffers.map((buffer) => bytesOf(program, buffer));
  const own = ownTiles(program, scheduled, task.tile);
  const all = lengths.reduce((sum, length) => sum + Math.ceil(length / CHUNK_BYTES), 0);
  const machine = new PagedMachine(scratchBytes(compiled, blockCount(launch.block)), {
    lengths,
    budget: Math.min(Math.floor(launch.bytes / CHUNK_BYTES), all),
    reserve: own.reduce((sum, { bytes }) => sum + chunksOfTile(bytes), 0),
    chunk: (index, chunk) => task.chunk(buffers[index] as number, chunk),
  });
  const loaded = machine.load(compiled, task.checks);
  loaded.begin({
    ...{ grid: launch.grid, block: launch.block, dynamicShared: launch.dynamicShared },
    arguments: scheduled.arguments.map((argument) =>
      argument.kind === "bytes" ? argument : { kind: "buffer", buffer: buffers.indexOf(argument.buffer) },
    ),
  });
  const outcome = runBlocks(loaded, task);
  if (outcome.kind === "trap") return outcome;
  const written = own.map(({ buffer, bytes }) => [buffer, readOwn(machine, buffers.indexOf(buffer), bytes)] as const);
  return { kind: "done", fuel: outcome.fuel, written: new Map(written) };
}

/** The buffers that a launch reaches, each once. */
function buffersOf(scheduled: ScheduledLaunch): readonly number[] {
  const reached = scheduled.arguments.flatMap((argument) => (argument.kind === "buffer" ? [argument.buffer] : []));
  return [...new Set(reached)];
}

function bytesOf(program: Program, buffer: number): number {
  const spec = program.buffers[buffer];
  assert(spec !== undefined, "the program was checked");
  return spec.bytes;
}

export interface OwnTile {
  readonly buffer: number;
  readonly bytes: TileBytes;
}

/** Where the tile lies in each buffer that the launch writes. */
export function ownTiles(program: Program, { launch, arguments: bound }: ScheduledLaunch, tile: number): OwnTile[] {
  return launch.tiles.map(({ parameter, tile: spec }) => {
    const argument = bound[parameter];
    assert(argument?.kind === "buffer", "tiles belong to buffers");
    const { buffer } = argument;
    return { buffer, bytes: tileBytes(spec, blockAt(tile, launch.grid), launch.grid, bytesOf(program, buffer)) };
  });
}

function runBlocks(loaded: LoadedKernel, task: PagedTileTask): ReturnType<LoadedKernel["runBlock"]> {
  const { launch } = task.scheduled;
  const [first, end] = isWhole(launch) ? [0, blockCount(launch.grid)] : [task.tile, task.tile + 1];
  let fuel = 0;
  for (let index = first; index < end; index++) {
    const outcome = runBlock(loaded, task, index, launch.fuel - fuel);
    if (outcome.kind === "trap") return outcome;
    fuel += outcome.fuel;
  }
  return { kind: "done", fuel };
}

function runBlock(
  loaded: LoadedKernel,
  { program, scheduled }: PagedTileTask,
  index: number,
  fuel: number,
): ReturnType<LoadedKernel["runBlock"]> {
  const { grid, tiles } = scheduled.launch;
  const at = blockAt(index, grid);
  for (const { parameter, tile } of tiles) {
    const argument = scheduled.arguments[parameter];
    const length = argument?.kind === "buffer" ? bytesOf(program, argument.buffer) : 0;
    loaded.setTile(parameter, windowOf(tile, at, grid, length));
  }
  return loaded.runBlock(at, fuel);
}

/** The tile's bytes, row after row. */
function readOwn(machine: PagedMachine, buffer: number, { start, width, rows, pitch }: TileBytes): Uint8Array {
  const bytes = new Uint8Array(width * rows);
  for (let row = 0; row < rows; row++) {
    machine.read(buffer, start + row * pitch, bytes.subarray(row * width, (row + 1) * width));
  }
  return bytes;
}
