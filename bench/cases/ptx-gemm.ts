/** A matrix product by the WebAssembly engine, and what committing to its result costs beside the work. */
import { Prng } from "../../base/prng.ts";
import { runProgram } from "../../compute/device/run-program.ts";
import { WasmEngine } from "../../compute/device/wasm-engine.ts";
import { commitBuffer } from "../../compute/program/commitment.ts";
import { ENGINE_VERSION, type Program, type TileSpec } from "../../compute/program/types.ts";
import { checkProgram } from "../../compute/ptx/check-program.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { interleave } from "../interleave.ts";
import { testKernel } from "../test-kernel.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly size: number;
  readonly commits: number;
}

export const benchCase: BenchCase<Params> = {
  name: "ptx-gemm",
  description: "fp32 matrix product in WebAssembly, exact fma: multiply-adds/s, and the commitment beside the work",
  sizes: { smoke: { rounds: 1, size: 32, commits: 1 }, full: { rounds: 5, size: 256, commits: 20 } },
  run,
};

function programOf(ptx: string, size: number, tile: TileSpec): Program {
  const number = new Uint8Array(4);
  new DataView(number.buffer).setInt32(0, size, true);
  const scalar = { kind: "scalar", bytes: number } as const;
  return {
    engine: ENGINE_VERSION,
    kernels: [{ ptx, entry: "gemm" }],
    buffers: [
      { name: "a", kind: "input", bytes: 4 * size * size },
      { name: "b", kind: "input", bytes: 4 * size * size },
      { name: "c", kind: "zero", bytes: 4 * size * size },
    ],
    steps: [
      {
        ...{ kind: "launch", kernel: 0, block: [16, 16, 1], dynamicShared: 0, fuel: 2 ** 30, bytes: 2 ** 30 },
        grid: [size / 16, size / 16, 1],
        arguments: [scalar, scalar, scalar, ...[0, 1, 2].map((buffer) => ({ kind: "buffer", buffer }) as const)],
        tiles: [{ parameter: 5, tile }],
      },
    ],
    outputs: [2],
  };
}

async function run({ rounds, size, commits }: Params): Promise<BenchResult> {
  const tile: TileSpec = { kind: "rows", pitch: 4 * size, width: 64, rows: 16, plane: size };
  const checked = checkProgram(programOf(await testKernel("gemm"), size, tile));
  const engine = new WasmEngine(checked);
  const prng = new Prng("gemm");
  const matrix = (): Uint8Array =>
    new Uint8Array(Float32Array.from({ length: size * size }, () => prng.below(2000) / 1000 - 1).buffer);
  const inputs = new Map([["a", matrix()] as const, ["b", matrix()] as const]);
  const work = size ** 3;
  let result = new Uint8Array(0);
  const rates = await interleave(rounds, [
    {
      name: "product",
      run: () => {
        const outcome = runProgram(checked, engine, inputs);
        if (outcome.kind !== "done") throw new Error("the kernel trapped");
        result = outcome.outputs.get("c") as Uint8Array<ArrayBuffer>;
        return work;
      },
    },
    {
      name: "commitment",
      run: () => {
        const grid = [size / 16, size / 16, 1] as const;
        for (let i = 0; i < commits; i++) commitBuffer(result, tile, grid, i, 2, new Uint8Array(32));
        return work * commits;
      },
      prepare: () => {
        if (result.length === 0) result = new Uint8Array(4 * size * size);
      },
    },
  ]);
  return {
    measurements: [
      { name: "product", value: rates.rate("product"), unit: "multiply-adds/s" },
      { name: "commitment", value: (rates.rate("commitment") / work) * 4 * size * size, unit: "bytes/s" },
    ],
    comparisons: [
      {
        ...{ name: "commitment, as a share of the product", target: { atMost: 0.05 } },
        ratio: rates.ratio("product", "commitment"),
      },
    ],
    agreed: undefined,
  };
}
