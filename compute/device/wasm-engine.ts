/** The engine that defines results: compiled kernels, on the calling thread. */
import { CodedError } from "../../base/errors.ts";
import type { CheckedProgram } from "../ptx/check-program.ts";
import { compileKernel } from "../ptx/wasm/compile.ts";
import {
  type BlockOutcome,
  type LaunchShape,
  type LoadedKernel,
  Machine,
  scratchBytes,
  type TileWindow,
  type Triple,
} from "../ptx/wasm/machine.ts";
import type { DeviceErrorCode, Engine } from "./engine.ts";

const MAX_THREADS = 1_024;

/** The host may have less memory than the limits of programs allow. */
function makeMachine(scratch: number, lengths: readonly number[]): Machine {
  try {
    return new Machine(scratch, lengths);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const bytes = lengths.reduce((sum, length) => sum + length, scratch);
    throw new CodedError<DeviceErrorCode>("DEVICE_MEMORY", `this machine does not give ${bytes} bytes to one job`, {
      bytes,
    });
  }
}

export class WasmEngine implements Engine {
  readonly #machine: Machine;
  readonly #kernels: readonly LoadedKernel[];
  #current: LoadedKernel | undefined;

  /** `findRaces`: the checking mode, in which a race traps. */
  constructor({ kernels, program }: CheckedProgram, { findRaces = false }: { readonly findRaces?: boolean } = {}) {
    const compiled = kernels.map((kernel) => compileKernel(kernel, { trackChunks: true, findRaces }));
    const scratch = compiled.reduce((most, kernel) => Math.max(most, scratchBytes(kernel, MAX_THREADS)), 0);
    this.#machine = makeMachine(
      scratch,
      program.buffers.map(({ bytes }) => bytes),
    );
    this.#kernels = compiled.map((kernel) => this.#machine.load(kernel));
  }

  buffer(index: number): Uint8Array {
    return this.#machine.buffer(index);
  }

  begin(kernel: number, shape: LaunchShape): void {
    this.#current = this.#kernels[kernel] as LoadedKernel;
    this.#current.begin(shape);
  }

  runBlock(block: Triple, windows: ReadonlyMap<number, TileWindow>, fuel: number): BlockOutcome {
    const current = this.#current as LoadedKernel;
    for (const [parameter, window] of windows) current.setTile(parameter, window);
    return current.runBlock(block, fuel);
  }

  takeTouchedChunks(): number {
    return (this.#current as LoadedKernel).takeTouchedChunks();
  }
}
