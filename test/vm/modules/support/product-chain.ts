/** A small program of two launches, of which the second reads what the first wrote, and its inputs. */
import { Prng } from "../../../../base/prng.ts";
import { ENGINE_VERSION, type LaunchSpec, type Program } from "../../../../compute/program/types.ts";
import { kernelText } from "../../../compute/ptx/support/both-engines.ts";
import { onBuffer, scalar32 } from "../../../compute/support/sample-programs.ts";

export const SIZE = 32;

/** c = a * b, d = c * b, of 32 by 32: tiles of 16 rows of 64 bytes, so that a chunk of a buffer is of several tiles. */
function chainProgram(): Program {
  const bytes = 4 * SIZE * SIZE;
  const number = scalar32(SIZE);
  const product = (from: number, to: number): LaunchSpec => ({
    ...{ kind: "launch", kernel: 0, block: [16, 16, 1], dynamicShared: 0, fuel: 1_000_000, bytes: 1 << 15 },
    grid: [2, 2, 1],
    arguments: [number, number, number, onBuffer(from), onBuffer(1), onBuffer(to)],
    tiles: [{ parameter: 5, tile: { kind: "rows", pitch: 4 * SIZE, width: 64, rows: 16, plane: SIZE } }],
  });
  return {
    ...{ engine: ENGINE_VERSION, kernels: [{ ptx: kernelText("gemm"), entry: "gemm" }], outputs: [3] },
    buffers: [
      { name: "a", kind: "input", bytes },
      { name: "b", kind: "input", bytes },
      { name: "c", kind: "zero", bytes },
      { name: "d", kind: "zero", bytes },
    ],
    steps: [product(0, 2), product(2, 3)],
  };
}

export function floats(count: number, seed: string): Uint8Array {
  const prng = new Prng(seed);
  return new Uint8Array(Float32Array.from({ length: count }, () => prng.below(1000) / 500 - 1).buffer);
}

export const program: Program = chainProgram();
export const inputs: ReadonlyMap<string, Uint8Array> = new Map([
  ["a", floats(SIZE * SIZE, "a")],
  ["b", floats(SIZE * SIZE, "b")],
]);
export const honest: { readonly program: Program; readonly inputs: ReadonlyMap<string, Uint8Array> } = {
  program,
  inputs,
};
