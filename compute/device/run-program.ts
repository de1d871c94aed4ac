/** Runs a program on an engine: launches in their order, blocks in theirs, budgets kept. */
import { equalBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { reject } from "../program/errors.ts";
import { CHUNK_BYTES, contentAddress } from "../program/merkle.ts";
import { type ScheduledLaunch, scheduleOf } from "../program/schedule.ts";
import { blockAt, blockCount, isWhole, tileBytes } from "../program/tiles.ts";
import type { Extent, Program, TileSpec } from "../program/types.ts";
import type { CheckedProgram } from "../ptx/check-program.ts";
import type { TileWindow, TrapReason } from "../ptx/wasm/machine.ts";
import type { Engine, Memory } from "./engine.ts";

export interface ProgramTrap {
  /** Counting every iteration. */
  readonly launch: number;
  readonly tile: number;
  readonly reason: TrapReason | "RACE" | "BYTES";
  /** Of the kernel's PTX; 0 when no one line is to blame. */
  readonly line: number;
}

/** After a launch: which buffers it wrote and how they are divided. */
export interface LaunchRecord {
  readonly scheduled: ScheduledLaunch;
  readonly fuel: number;
  /** The contents are views that the next launch changes. */
  readonly written: readonly { readonly buffer: number; readonly tile: TileSpec; readonly contents: Uint8Array }[];
}

export type ProgramResult =
  | { readonly kind: "done"; readonly fuel: number; readonly outputs: ReadonlyMap<string, Uint8Array> }
  | { readonly kind: "trap"; readonly fuel: number; readonly trap: ProgramTrap };

export interface RunOptions {
  readonly onLaunch?: (record: LaunchRecord) => void;
  /** Stops between blocks. */
  readonly signal?: AbortSignal;
}

/** Contents of input and constant buffers, by name. Throws PROGRAM_INPUT when they do not fit. */
export function runProgram(
  { program }: CheckedProgram,
  engine: Engine,
  inputs: ReadonlyMap<string, Uint8Array>,
  options: RunOptions = {},
): ProgramResult {
  fillBuffers(program, engine, inputs);
  let fuel = 0;
  for (const scheduled of scheduleOf(program)) {
    const { used, trap } = runLaunch(program, engine, scheduled, options.signal);
    fuel += used;
    if (trap !== undefined) return { kind: "trap", fuel, trap };
    options.onLaunch?.({ scheduled, fuel: used, written: writtenBy(engine, scheduled) });
  }
  return { kind: "done", fuel, outputs: outputsOf(program, engine) };
}

export function outputsOf({ outputs, buffers }: Program, memory: Memory): ReadonlyMap<string, Uint8Array> {
  return new Map(outputs.map((index) => [buffers[index]?.name ?? "", memory.buffer(index).slice()]));
}

/** What the buffers of one kind hold at the start, by their position; `undefined` for those of other kinds. */
export function contentsOf(
  { buffers }: Program,
  wanted: "input" | "constant",
  given: ReadonlyMap<string, Uint8Array>,
): readonly (Uint8Array | undefined)[] {
  return buffers.map(({ name, kind, bytes, address }, buffer) => {
    if (kind !== wanted) return undefined;
    const contents = given.get(name);
    if (contents?.length !== bytes) {
      reject("PROGRAM_INPUT", `buffer ${name} needs ${bytes} bytes, got ${contents?.length ?? "none"}`, { buffer });
    }
    if (address !== undefined && !equalBytes(contentAddress(contents), address)) {
      reject("PROGRAM_INPUT", `the contents of constant ${name} are not the ones that it names`, { buffer });
    }
    return contents;
  });
}

/** What buffers hold before a segment, by their position: what was written, else the inputs. Throws PROGRAM_INPUT. */
export function contentsAt(
  program: Program,
  inputs: ReadonlyMap<string, Uint8Array>,
  segment: { readonly contents: ReadonlyMap<number, Uint8Array> } | undefined,
): readonly (Uint8Array | undefined)[] {
  return contentsOf(program, "input", inputs).map((contents, buffer) => {
    const written = segment?.contents.get(buffer);
    const bytes = program.buffers[buffer]?.bytes;
    if (written !== undefined && written.length !== bytes) {
      reject("PROGRAM_INPUT", `buffer ${buffer} has ${bytes} bytes, got ${written.length}`, { buffer });
    }
    return written ?? contents;
  });
}

function fillBuffers(program: Program, engine: Engine, inputs: ReadonlyMap<string, Uint8Array>): void {
  const constants = contentsOf(program, "constant", inputs);
  for (const [index, contents] of contentsOf(program, "input", inputs).entries()) {
    const target = engine.buffer(index).fill(0);
    const start = contents ?? constants[index];
    if (start !== undefined) target.set(start);
  }
}

export function bufferOf({ arguments: bound }: ScheduledLaunch, parameter: number): number {
  const argument = bound[parameter];
  assert(argument?.kind === "buffer", "tiles belong to buffers");
  return argument.buffer;
}

export function writtenBy(engine: Memory, scheduled: ScheduledLaunch): LaunchRecord["written"] {
  return scheduled.launch.tiles.map(({ parameter, tile }) => {
    const buffer = bufferOf(scheduled, parameter);
    return { buffer, tile, contents: engine.buffer(buffer) };
  });
}

interface LaunchOutcome {
  readonly used: number;
  readonly trap: ProgramTrap | undefined;
}

function runLaunch(
  program: Program,
  engine: Engine,
  scheduled: ScheduledLaunch,
  signal: AbortSignal | undefined,
): LaunchOutcome {
  const steps = launchSteps(program, engine, scheduled);
  for (;;) {
    signal?.throwIfAborted();
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Blocks of a launch, counted x first; `end` is the first that is not among them. */
export interface BlockRange {
  readonly first: number;
  readonly end: number;
}

/** Runs a launch or a part of it, stopping after each block so that the caller can do something else. */
export function* launchSteps(
  program: Program,
  engine: Engine,
  scheduled: ScheduledLaunch,
  { first, end }: BlockRange = { first: 0, end: blockCount(scheduled.launch.grid) },
): Generator<number, LaunchOutcome> {
  const { launch, arguments: bound, index } = scheduled;
  const { grid, block, dynamicShared, fuel, bytes } = launch;
  engine.begin(launch.kernel, { grid, block, dynamicShared, arguments: bound });
  const whole = isWhole(launch);
  let used = 0;
  for (let i = first; i < end; i++) {
    yield i;
    const at = blockAt(i, grid);
    const outcome = engine.runBlock(at, windowsOf(program, scheduled, at), whole ? fuel - used : fuel);
    const tile = whole ? 0 : i;
    if (outcome.kind === "trap") {
      const { reason, line } = outcome;
      return { used, trap: { launch: index, tile, reason, line } };
    }
    used += outcome.fuel;
    // A launch that is one tile has its chunks counted at the end.
    if (whole && i < end - 1) continue;
    if (engine.takeTouchedChunks() * CHUNK_BYTES > bytes) {
      return { used, trap: { launch: index, tile, reason: "BYTES", line: 0 } };
    }
  }
  return { used, trap: undefined };
}

function windowsOf(program: Program, scheduled: ScheduledLaunch, at: Extent): ReadonlyMap<number, TileWindow> {
  const { launch } = scheduled;
  return new Map(
    launch.tiles.map(({ parameter, tile }) => {
      const length = program.buffers[bufferOf(scheduled, parameter)]?.bytes ?? 0;
      return [parameter, windowOf(tile, at, launch.grid, length)];
    }),
  );
}

/** What a block may touch of a buffer that its launch writes. */
function windowOf(tile: TileSpec, at: Extent, grid: Extent, length: number): TileWindow {
  if (tile.kind === "whole") return { kind: "whole" };
  const { start, width, rows, pitch } = tileBytes(tile, at, grid, length);
  if (tile.kind === "run") return { kind: "run", start, bytes: width };
  return { kind: "rows", pitch, row: Math.floor(start / pitch), rows, column: start % pitch, width };
}
