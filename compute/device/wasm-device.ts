/** Runs programs with the WebAssembly engine, which defines the results. One thread; blocks in their order. */

import { equalBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { reject } from "../program/errors.ts";
import { contentAddress } from "../program/merkle.ts";
import { type ScheduledLaunch, scheduleOf } from "../program/schedule.ts";
import { blockAt, blockCount, tileBytes } from "../program/tiles.ts";
import type { Extent, LaunchSpec, TileSpec } from "../program/types.ts";
import { type CheckedProgram, isWhole } from "../ptx/check-program.ts";
import { type CompiledKernel, compileKernel } from "../ptx/wasm/compile.ts";
import {
  type BlockOutcome,
  type LoadedKernel,
  Machine,
  scratchBytes,
  type TileWindow,
  type TrapReason,
} from "../ptx/wasm/machine.ts";

export interface ProgramTrap {
  readonly launch: number;
  readonly tile: number;
  readonly reason: TrapReason | "BYTES";
  readonly line: number;
}

/** After a launch: which buffers it wrote and how they were divided. */
export interface LaunchRecord {
  readonly scheduled: ScheduledLaunch;
  readonly fuel: number;
  readonly written: readonly { readonly buffer: number; readonly tile: TileSpec; readonly contents: Uint8Array }[];
}

export type ProgramResult =
  | { readonly kind: "done"; readonly fuel: number; readonly outputs: ReadonlyMap<string, Uint8Array> }
  | { readonly kind: "trap"; readonly fuel: number; readonly trap: ProgramTrap };

export interface RunOptions {
  /** Called after each launch; the contents are views that the next launch changes. */
  readonly onLaunch?: (record: LaunchRecord) => void;
  /** Stops between blocks. */
  readonly signal?: AbortSignal;
}

/** Contents of input and constant buffers, by name. */
export type ProgramInputs = ReadonlyMap<string, Uint8Array>;

export class WasmDevice {
  readonly #checked: CheckedProgram;
  readonly #compiled: readonly CompiledKernel[];
  readonly #machine: Machine;
  readonly #loaded: readonly LoadedKernel[];

  constructor(checked: CheckedProgram) {
    this.#checked = checked;
    this.#compiled = checked.kernels.map((kernel) => compileKernel(kernel, { trackChunks: true }));
    const most = this.#compiled.reduce((bytes, kernel) => Math.max(bytes, scratchBytes(kernel, 1_024)), 0);
    this.#machine = new Machine(
      most,
      checked.program.buffers.map(({ bytes }) => bytes),
    );
    this.#loaded = this.#compiled.map((kernel) => this.#machine.load(kernel));
  }

  run(inputs: ProgramInputs, options: RunOptions = {}): ProgramResult {
    this.#fill(inputs);
    let fuel = 0;
    for (const scheduled of scheduleOf(this.#checked.program)) {
      const { used, trap } = this.#launch(scheduled, options.signal);
      fuel += used;
      if (trap !== undefined) return { kind: "trap", fuel, trap };
      options.onLaunch?.({ scheduled, fuel: used, written: this.#written(scheduled) });
    }
    const { outputs, buffers } = this.#checked.program;
    const named = outputs.map((index) => [buffers[index]?.name ?? "", this.#machine.buffer(index).slice()] as const);
    return { kind: "done", fuel, outputs: new Map(named) };
  }

  #fill(inputs: ProgramInputs): void {
    this.#checked.program.buffers.forEach(({ name, kind, bytes, address }, index) => {
      const target = this.#machine.buffer(index).fill(0);
      if (kind === "zero" || kind === "scratch") return;
      const given = inputs.get(name);
      if (given?.length !== bytes) {
        reject("PROGRAM_INPUT", `buffer ${name} needs ${bytes} bytes, got ${given?.length ?? "none"}`, {
          buffer: index,
        });
      }
      if (address !== undefined && !equalBytes(contentAddress(given), address)) {
        reject("PROGRAM_INPUT", `the contents of constant ${name} are not the ones that it names`, { buffer: index });
      }
      target.set(given);
    });
  }

  #written({ launch, arguments: bound }: ScheduledLaunch): LaunchRecord["written"] {
    return launch.tiles.map(({ parameter, tile }) => {
      const argument = bound[parameter];
      assert(argument?.kind === "buffer", "tiles belong to buffers");
      return { buffer: argument.buffer, tile, contents: this.#machine.buffer(argument.buffer) };
    });
  }

  #launch(
    scheduled: ScheduledLaunch,
    signal: AbortSignal | undefined,
  ): { readonly used: number; readonly trap: ProgramTrap | undefined } {
    const { launch, arguments: bound, index } = scheduled;
    const kernel = this.#loaded[launch.kernel] as LoadedKernel;
    const { grid, block, dynamicShared, fuel, bytes } = launch;
    kernel.begin({ grid, block, dynamicShared, arguments: bound });
    const whole = isWhole(launch);
    const count = blockCount(grid);
    let used = 0;
    for (let i = 0; i < count; i++) {
      signal?.throwIfAborted();
      const at = blockAt(i, grid);
      this.#setTiles(kernel, launch, scheduled, at);
      const outcome = kernel.runBlock(at, whole ? fuel - used : fuel);
      const failed = failureOf(outcome);
      const tile = whole ? 0 : i;
      if (failed !== undefined) return { used, trap: { launch: index, tile, ...failed } };
      if (outcome.kind === "done") used += outcome.fuel;
      // A whole launch is one tile: its chunks are counted at the end.
      if (whole && i < count - 1) continue;
      if (kernel.takeTouchedChunks() * 1024 > bytes) {
        return { used, trap: { launch: index, tile, reason: "BYTES", line: 0 } };
      }
    }
    return { used, trap: undefined };
  }

  #setTiles(kernel: LoadedKernel, launch: LaunchSpec, { arguments: bound }: ScheduledLaunch, at: Extent): void {
    for (const { parameter, tile } of launch.tiles) {
      const argument = bound[parameter];
      assert(argument?.kind === "buffer", "tiles belong to buffers");
      const length = this.#checked.program.buffers[argument.buffer]?.bytes ?? 0;
      kernel.setTile(parameter, windowOf(tile, at, launch.grid, length));
    }
  }
}

function failureOf(outcome: BlockOutcome): { readonly reason: TrapReason; readonly line: number } | undefined {
  return outcome.kind === "trap" ? { reason: outcome.reason, line: outcome.line } : undefined;
}

/** What a block may touch of a buffer that it writes. */
export function windowOf(tile: TileSpec, at: Extent, grid: Extent, length: number): TileWindow {
  if (tile.kind === "whole") return { kind: "whole" };
  const { start, width, rows, pitch } = tileBytes(tile, at, grid, length);
  if (tile.kind === "run") return { kind: "run", start, bytes: width };
  return { kind: "rows", pitch, row: Math.floor(start / pitch), rows, column: start % pitch, width };
}
