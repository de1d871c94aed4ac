/**
 * The buffers of a job in memory that threads share, and copies of them in the memories of WebAssembly engines. A copy knows
 * how old each buffer in it is, so that what does not change, as weights, is copied once.
 */
import { CodedError } from "../../../base/errors.ts";
import type { ScheduledLaunch } from "../../program/schedule.ts";
import { blockAt, tileBytes } from "../../program/tiles.ts";
import type { Program } from "../../program/types.ts";
import type { DeviceErrorCode, Memory } from "../engine.ts";
import { type BlockRange, bufferOf, launchSteps, type ProgramTrap } from "../run-program.ts";
import type { WasmEngine } from "../wasm-engine.ts";

export class JobMemory implements Memory {
  readonly shared: readonly SharedArrayBuffer[];
  /** How often each buffer was written. */
  readonly versions: number[];
  readonly #views: readonly Uint8Array[];
  readonly #isConstant: (index: number) => boolean;

  /** `inputs` by position; the others start as zeros. Constants are nobody's to write, so jobs share them. */
  constructor({ buffers }: Program, constants: SharedContents, inputs: readonly (Uint8Array | undefined)[]) {
    this.shared = buffers.map(({ bytes }, index) => constants[index] ?? sharedCopy(inputs[index], bytes));
    this.#views = this.shared.map((buffer) => new Uint8Array(buffer));
    this.versions = buffers.map(() => 0);
    this.#isConstant = (index) => constants[index] !== undefined;
  }

  /** For another job on the same constants; what it overwrites before it reads it may stay as it is. */
  restart(inputs: readonly (Uint8Array | undefined)[], isOverwritten: (buffer: number) => boolean): void {
    for (const [index, view] of this.#views.entries()) {
      const contents = inputs[index];
      this.versions[index] = 0;
      if (contents !== undefined) view.set(contents);
      else if (!this.#isConstant(index) && !isOverwritten(index)) view.fill(0);
    }
  }

  buffer(index: number): Uint8Array {
    return this.#views[index] as Uint8Array;
  }

  /** To be said after each launch. */
  wrote(scheduled: ScheduledLaunch): void {
    for (const { parameter } of scheduled.launch.tiles) {
      const buffer = bufferOf(scheduled, parameter);
      this.versions[buffer] = (this.versions[buffer] ?? 0) + 1;
    }
  }
}

/** By position; what is not there has no contents yet. */
export type SharedContents = readonly (SharedArrayBuffer | undefined)[];

/** Zeros without contents. */
export function sharedCopy(contents: Uint8Array | undefined, bytes: number): SharedArrayBuffer {
  const shared = allocate(bytes);
  if (contents !== undefined) new Uint8Array(shared).set(contents);
  return shared;
}

function allocate(bytes: number): SharedArrayBuffer {
  try {
    return new SharedArrayBuffer(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = `this machine does not give ${bytes} bytes to one buffer`;
    throw new CodedError<DeviceErrorCode>("DEVICE_MEMORY", message, { bytes });
  }
}

/** One engine with its copy of the buffers. */
export class EngineCopy {
  readonly #program: Program;
  readonly #engine: WasmEngine;
  readonly #memory: readonly Uint8Array[];
  readonly #versions: number[];

  constructor(program: Program, engine: WasmEngine, memory: readonly Uint8Array[]) {
    this.#program = program;
    this.#engine = engine;
    this.#memory = memory;
    this.#versions = memory.map(() => -1);
  }

  /** Runs blocks on the newest contents and puts back what they own, unless one traps. Stops after each block. */
  *run(
    scheduled: ScheduledLaunch,
    range: BlockRange,
    versions: readonly number[],
  ): Generator<number, ProgramTrap | undefined> {
    this.#refresh(scheduled, versions);
    const { trap } = yield* launchSteps(this.#program, this.#engine, scheduled, range);
    if (trap === undefined) this.#publish(scheduled, range);
    return trap;
  }

  #refresh({ arguments: bound }: ScheduledLaunch, versions: readonly number[]): void {
    for (const argument of bound) {
      if (argument.kind !== "buffer") continue;
      const { buffer } = argument;
      if (this.#versions[buffer] === versions[buffer]) continue;
      this.#engine.buffer(buffer).set(this.#memory[buffer] as Uint8Array);
      this.#versions[buffer] = versions[buffer] ?? 0;
    }
  }

  #publish(scheduled: ScheduledLaunch, { first, end }: BlockRange): void {
    const { launch } = scheduled;
    for (const { parameter, tile } of launch.tiles) {
      const buffer = bufferOf(scheduled, parameter);
      const [from, to] = [this.#engine.buffer(buffer), this.#memory[buffer] as Uint8Array];
      // Other blocks' results are not in this copy.
      this.#versions[buffer] = -1;
      for (let i = first; i < (tile.kind === "whole" ? first + 1 : end); i++) {
        const { start, width, rows, pitch } = tileBytes(tile, blockAt(i, launch.grid), launch.grid, from.length);
        for (let row = 0; row < rows; row++) {
          const at = start + row * pitch;
          to.set(from.subarray(at, at + width), at);
        }
      }
    }
  }
}
