/**
 * How far the standard elementary functions are from the true value, in units of the last place, over a dense selection of all
 * floats (every one with a step of 1). The native form is measured, whose bits are those of the PTX.
 */
import { CpuDevice } from "../../compute/device/cpu-device.ts";
import { standardProgram } from "../../compute/kernels/standard-program.ts";
import { loadAddon } from "../../compute/native/addon.ts";
import { checkProgram } from "../../compute/ptx/check-program.ts";
import type { BenchCase, BenchResult } from "../case.ts";

interface Params extends Readonly<Record<string, number>> {
  /** Every so manieth pattern of 32 bits. */
  readonly step: number;
}

export const benchCase: BenchCase<Params> = {
  name: "accuracy",
  description: "the largest error of exp, log, tanh and erf in ulp, over all exponents",
  sizes: { smoke: { step: 99_991 }, full: { step: 61 } },
  run,
};

/** The series in doubles; beyond 4 a float does not tell erf from 1. */
function erf(x: number): number {
  if (Math.abs(x) >= 4) return Math.sign(x);
  const square = x * x;
  let [term, sum] = [x, x];
  for (let k = 1; Math.abs(term) > 1e-17 * Math.abs(sum); k++) {
    term *= -square / k;
    sum += term / (2 * k + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

const FUNCTIONS: readonly { name: string; kernel: string; exact: (x: number) => number; atMost: number }[] = [
  { name: "exp", kernel: "exponential", exact: Math.exp, atMost: 1 },
  { name: "log", kernel: "logarithm", exact: Math.log, atMost: 1 },
  { name: "tanh", kernel: "hyperbolic_tangent", exact: Math.tanh, atMost: 1.5 },
  { name: "erf", kernel: "error_function", exact: erf, atMost: 1.5 },
];

const LARGEST: number = 2 ** 128 - 2 ** 104;
const scratch = new DataView(new ArrayBuffer(4));

/** The distance between floats at this size. */
function unit(value: number): number {
  scratch.setFloat32(0, Math.abs(value));
  const exponent = Math.max(1, scratch.getUint32(0) >>> 23);
  return 2 ** (exponent - 150);
}

function errorOf(actual: number, exact: number): number {
  if (Number.isNaN(exact)) return Number.isNaN(actual) ? 0 : Number.POSITIVE_INFINITY;
  // Around the largest float, infinity and that float are both within an ulp.
  if (Math.abs(exact) > LARGEST)
    return Math.abs(actual) >= LARGEST && actual > 0 === exact > 0 ? 0 : Number.POSITIVE_INFINITY;
  return Math.abs(actual - exact) / unit(exact);
}

const PIECE: number = 1 << 20;

async function run({ step }: Params): Promise<BenchResult> {
  const addon = loadAddon();
  if ("problem" in addon) throw new Error(addon.problem);
  const device = new CpuDevice(addon.cpu);
  const worst = new Map<string, number>();
  let points = 0;
  for (const { name, kernel, exact } of FUNCTIONS) {
    const prepared = device.prepare(checkProgram(standardProgram({ kernel, numbers: [PIECE] })), new Map());
    let most = 0;
    for (let first = 0; first < 2 ** 32; first += PIECE * step) {
      const bits = Uint32Array.from({ length: PIECE }, (_, i) => first + i * step);
      const result = await prepared.run(new Map([["p1", new Uint8Array(bits.buffer)]]));
      if (result.kind !== "done") throw new Error("the kernel trapped");
      const output = result.outputs.get("p2") as Uint8Array;
      const [x, y] = [new Float32Array(bits.buffer), new Float32Array(output.buffer, output.byteOffset, PIECE)];
      for (let i = 0; i < PIECE; i++) most = Math.max(most, errorOf(y[i] as number, exact(x[i] as number)));
      points += PIECE;
    }
    worst.set(name, most);
  }
  return {
    measurements: [{ name: "floats of each function", value: points / FUNCTIONS.length, unit: "" }],
    comparisons: FUNCTIONS.map(({ name, atMost }) => ({
      ...{ name: `${name}, ulp`, ratio: worst.get(name) ?? Number.NaN, target: { atMost } },
    })),
    agreed: undefined,
  };
}
