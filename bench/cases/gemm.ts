/**
 * The fp32 matrix product of the CPU device, bit-exact, beside OpenBLAS on as many threads; the product of bytes, beside
 * ONNX Runtime; and what checking one tile of it in WebAssembly costs beside the whole.
 */
import { InferenceSession, Tensor } from "onnxruntime-node";
import { Prng } from "../../base/prng.ts";
import { runProgram } from "../../compute/device/run-program.ts";
import { WasmEngine } from "../../compute/device/wasm-engine.ts";
import { standardProgram } from "../../compute/kernels/standard-program.ts";
import { type CpuAddon, loadAddon } from "../../compute/native/addon.ts";
import { checkProgram } from "../../compute/ptx/check-program.ts";
import { makeModel } from "../../test/compute/onnx/support/make-model.ts";
import type { BenchCase, BenchResult, Comparison, Measurement } from "../case.ts";
import { type Contestant, interleave } from "../interleave.ts";
import { findOpenBlas, type OpenBlas } from "../openblas.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly size: number;
  readonly large: number;
}

export const benchCase: BenchCase<Params> = {
  name: "gemm",
  description:
    "matrix products on the CPU, bit-exact: fp32 beside OpenBLAS on one and two threads, int8 beside ONNX Runtime",
  sizes: { smoke: { rounds: 1, size: 96, large: 128 }, full: { rounds: 15, size: 1024, large: 2048 } },
  run,
};

/** At least, for one thread and for two. */
const TARGETS = new Map([
  [1, 0.85],
  [2, 0.78],
]);

function bytesOf(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function numbers(...values: readonly number[]): readonly Uint8Array[] {
  return values.map((value) => bytesOf(new Float32Array(new Int32Array([value]).buffer)));
}

class Matrices {
  readonly n: number;
  readonly a: Float32Array;
  readonly b: Float32Array;
  readonly ours: Float32Array;
  readonly theirs: Float32Array;

  constructor(n: number) {
    const prng = new Prng(`gemm ${n}`);
    const random = (): Float32Array => Float32Array.from({ length: n * n }, () => prng.below(2000) / 1000 - 1);
    this.n = n;
    this.a = random();
    this.b = random();
    this.ours = new Float32Array(n * n);
    this.theirs = new Float32Array(n * n);
  }

  async product(cpu: CpuAddon, threads: number): Promise<number> {
    const { n } = this;
    const { variants } = cpu.features();
    const grid = [Math.ceil(n / 64), Math.ceil(n / 64), 1];
    const scalars = numbers(n, n, n, 0, n, 1, 0, n, 1);
    const values = [...scalars, bytesOf(this.a), bytesOf(this.b), bytesOf(this.ours)];
    const isBuffer = values.map((_, i) => i >= scalars.length);
    await cpu.run(variants[0] ?? "portable", [{ kernel: "gemm", grid, values, isBuffer }], threads).promise;
    return 2 * n ** 3;
  }

  peer(blas: OpenBlas, threads: number): number {
    blas.product(threads, this.n, this.a, this.b, this.theirs);
    return 2 * this.n ** 3;
  }

  /** Sums in another order differ in the last digits. */
  agree(): boolean {
    const limit = 1e-5 * this.n;
    return this.ours.every((value, i) => Math.abs(value - (this.theirs[i] as number)) < limit);
  }
}

function contestants(cpu: CpuAddon, blas: OpenBlas | undefined, sizes: readonly Matrices[]): readonly Contestant[] {
  return sizes.flatMap((matrices) =>
    [1, 2].flatMap((threads) => {
      const label = `${matrices.n}, ${threads} thread${threads === 1 ? "" : "s"}`;
      const ours = { name: `ours ${label}`, run: () => matrices.product(cpu, threads) };
      if (blas === undefined) return [ours];
      return [ours, { name: `OpenBLAS ${label}`, run: () => matrices.peer(blas, threads) }];
    }),
  );
}

/** Types of ONNX. */
const INT8 = 3;
const INT32 = 6;

class ByteMatrices {
  readonly n: number;
  readonly a: Int8Array;
  readonly b: Int8Array;
  readonly ours: Int32Array;
  readonly #session: InferenceSession;
  #theirs: Int32Array = new Int32Array(0);

  private constructor(n: number, session: InferenceSession) {
    const prng = new Prng(`bytes ${n}`);
    this.n = n;
    this.a = new Int8Array(prng.bytes(n * n));
    this.b = new Int8Array(prng.bytes(n * n));
    this.ours = new Int32Array(n * n);
    this.#session = session;
  }

  static async open(n: number): Promise<ByteMatrices> {
    const model = makeModel({
      nodes: [{ op: "MatMulInteger", in: ["a", "b"], out: ["c"] }],
      ...{ inputs: { a: [n, n], b: [n, n] }, outputs: ["c"], types: { a: INT8, b: INT8, c: INT32 }, weights: {} },
    });
    const session = await InferenceSession.create(model, { intraOpNumThreads: 1, logSeverityLevel: 3 });
    return new ByteMatrices(n, session);
  }

  async product(cpu: CpuAddon): Promise<number> {
    const { n } = this;
    const grid = [Math.ceil(n / 64), Math.ceil(n / 64), 1];
    const scalars = numbers(n, n, n, 1, 1, 0, 0);
    const buffers = [this.a, this.b, this.ours].map((array) => new Uint8Array(array.buffer));
    const values = [...scalars, ...buffers];
    const isBuffer = values.map((_, i) => i >= scalars.length);
    const { variants } = cpu.features();
    await cpu.run(variants[0] ?? "portable", [{ kernel: "gemm_int8", grid, values, isBuffer }], 1).promise;
    return 2 * n ** 3;
  }

  async peer(): Promise<number> {
    const { n, a, b } = this;
    const { c } = await this.#session.run({ a: new Tensor("int8", a, [n, n]), b: new Tensor("int8", b, [n, n]) });
    this.#theirs = c?.data as Int32Array<ArrayBuffer>;
    return 2 * n ** 3;
  }

  agree(): boolean {
    return this.ours.every((value, i) => value === this.#theirs[i]);
  }
}

/** One tile of 64 by 64, as a verifier does it. */
function tileCheck(n: number): () => number {
  const checked = checkProgram(standardProgram({ kernel: "gemm", numbers: [64, 64, n, 0, n, 1, 0, 64, 1] }));
  const engine = new WasmEngine(checked);
  const inputs = new Map([9, 10].map((parameter) => [`p${parameter}`, new Uint8Array(4 * 64 * n)] as const));
  return () => {
    if (runProgram(checked, engine, inputs).kind !== "done") throw new Error("the kernel trapped");
    return 1;
  };
}

async function run({ rounds, size, large }: Params): Promise<BenchResult> {
  const addon = loadAddon();
  if ("problem" in addon) throw new Error(addon.problem);
  const { cpu } = addon;
  const blas = findOpenBlas();
  const sizes = [new Matrices(size), new Matrices(large)];
  const bytes = await ByteMatrices.open(size);
  const rates = await interleave(rounds, [
    ...contestants(cpu, blas, sizes),
    { name: "ours bytes", run: () => bytes.product(cpu) },
    { name: "ONNX Runtime bytes", run: () => bytes.peer() },
    { name: "tile", run: tileCheck(size) },
  ]);
  const measurements: Measurement[] = [];
  const comparisons: Comparison[] = [];
  for (const { name } of contestants(cpu, blas, sizes)) {
    measurements.push({ name, value: rates.rate(name), unit: "operations/s" });
    if (!name.startsWith("ours") || blas === undefined) continue;
    const target = { atLeast: TARGETS.get(name.includes("threads") ? 2 : 1) ?? 1 };
    comparisons.push({ name, ratio: rates.ratio(name, name.replace("ours", "OpenBLAS")), target });
  }
  for (const name of ["ours bytes", "ONNX Runtime bytes"]) {
    measurements.push({ name: `${name} ${size}, 1 thread`, value: rates.rate(name), unit: "operations/s" });
  }
  comparisons.push({
    ...{ name: `ours bytes ${size}, 1 thread`, target: { atLeast: 0.5 } },
    ratio: rates.ratio("ours bytes", "ONNX Runtime bytes"),
  });
  const whole = rates.rate(`ours ${size}, 1 thread`) / (2 * size ** 3);
  comparisons.push({
    ...{ name: "checking one tile in WebAssembly, beside the product", target: { atMost: 10 } },
    ratio: whole / rates.rate("tile"),
  });
  return {
    measurements,
    comparisons,
    agreed: bytes.agree() && (blas === undefined || sizes.every((at) => at.agree())),
  };
}
