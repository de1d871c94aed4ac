/** The engine that finds out what is wrong with a kernel: interpreted, thousands of times slower, with races detected. */
import type { CheckedKernel } from "../ptx/check.ts";
import type { CheckedProgram } from "../ptx/check-program.ts";
import { type InterpretedOutcome, interpretBlock } from "../ptx/interpreter/interpret.ts";
import type { LaunchShape, TileWindow, Triple } from "../ptx/wasm/machine.ts";
import type { Engine } from "./engine.ts";

export class CheckingEngine implements Engine {
  readonly #kernels: readonly CheckedKernel[];
  readonly #buffers: readonly Uint8Array[];
  #touched = new Set<string>();
  #current: { readonly checked: CheckedKernel; readonly shape: LaunchShape } | undefined;

  constructor({ kernels, program }: CheckedProgram) {
    this.#kernels = kernels;
    this.#buffers = program.buffers.map(({ bytes }) => new Uint8Array(bytes));
  }

  buffer(index: number): Uint8Array {
    return this.#buffers[index] as Uint8Array;
  }

  begin(kernel: number, shape: LaunchShape): void {
    this.#current = { checked: this.#kernels[kernel] as CheckedKernel, shape };
  }

  runBlock(block: Triple, windows: ReadonlyMap<number, TileWindow>, fuel: number): InterpretedOutcome {
    const current = this.#current as { readonly checked: CheckedKernel; readonly shape: LaunchShape };
    return interpretBlock({ ...current, buffers: this.#buffers, windows, block, fuel, touched: this.#touched });
  }

  takeTouchedChunks(): number {
    const { size } = this.#touched;
    this.#touched = new Set();
    return size;
  }
}
