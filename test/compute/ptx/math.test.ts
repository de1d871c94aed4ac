/** The functions that kernel authors get: near the true value everywhere, and the same bits on both engines. */
import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { bytesOf, words32 } from "./support/bit-patterns.ts";
import { buffer, int32, type Job, kernelText, runBoth, runCompiled } from "./support/both-engines.ts";

/** The series in doubles is good to 1e-9 where a float still tells erf from 1. */
function erf(x: number): number {
  if (Math.abs(x) > 4) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let k = 1; k < 120; k++) {
    term *= (-x * x) / k;
    sum += term / (2 * k + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

/** Name -> the function in doubles, and the most that the float may be off, in units of its last place. */
const FUNCTIONS: Readonly<Record<string, readonly [(x: number) => number, number]>> = {
  exp: [Math.exp, 1],
  log: [Math.log, 1],
  tanh: [Math.tanh, 1.5],
  erf: [erf, 1.5],
  sin: [Math.sin, 0.501],
  cos: [Math.cos, 0.501],
  tan: [Math.tan, 0.501],
  asin: [Math.asin, 0.501],
  acos: [Math.acos, 0.501],
  atan: [Math.atan, 0.501],
  sinh: [Math.sinh, 0.501],
  cosh: [Math.cosh, 0.501],
  asinh: [Math.asinh, 0.501],
  acosh: [Math.acosh, 0.501],
  atanh: [Math.atanh, 0.501],
  expm1: [Math.expm1, 0.501],
  log1p: [Math.log1p, 0.501],
  exp2: [(x) => 2 ** x, 0.501],
  log2: [Math.log2, 0.501],
  log10: [Math.log10, 0.501],
  rsqrt: [(x) => 1 / Math.sqrt(x), 0.501],
  softplus: [(x) => (x > 100 ? x : Math.log1p(Math.exp(x))), 0.501],
};

const view = new DataView(new ArrayBuffer(4));

/** The distance between floats at this value. */
function unit(value: number): number {
  const size = Math.abs(value);
  if (size < 2 ** -126) return 2 ** -149;
  return 2 ** (Math.floor(Math.log2(size)) - 23);
}

function errorOf(actual: number, exact: number): number {
  const near = Math.fround(exact);
  if (Number.isNaN(near) || Number.isNaN(actual)) return Number.isNaN(near) && Number.isNaN(actual) ? 0 : 1e9;
  if (!Number.isFinite(near) || !Number.isFinite(actual)) {
    // Around the largest float, rounding to infinity and not are both within an ulp.
    return near === actual || Math.abs(exact) > 3.4028234e38 ? 0 : 1e9;
  }
  return Math.abs(actual - exact) / unit(near);
}

function jobOf(entry: string, ...inputs: readonly Float32Array[]): Job {
  const n = inputs[0]?.length ?? 0;
  const threads = 128;
  return {
    ...{ text: kernelText("math"), entry, grid: [Math.ceil(n / threads), 1, 1], block: [threads, 1, 1] },
    arguments: [int32(n), ...[...inputs, 0].map((_, i) => buffer(i))],
    buffers: [...inputs.map(bytesOf), new Uint8Array(4 * n)],
    windows: ([x]) =>
      new Map([
        [inputs.length + 1, { kind: "run", start: 4 * threads * x, bytes: 4 * Math.min(threads, n - threads * x) }],
      ]),
  };
}

function outputOf({ buffers }: { readonly buffers: readonly Uint8Array[] }): Float32Array {
  const bytes = buffers.at(-1) as Uint8Array;
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

/** Edges, all exponents evenly, and the range where functions are interesting. */
function inputs(prng: Prng, count: number): Float32Array {
  const edges = words32(prng, 200);
  const bits = Uint32Array.from({ length: count }, (_, i) => {
    if (i < 200) return edges[i] as number;
    if (i % 2 === 0) return prng.uint32();
    view.setFloat32(0, (prng.below(2 ** 32) / 2 ** 32 - 0.5) * 2 ** (1 + prng.below(9)));
    return view.getUint32(0);
  });
  return new Float32Array(bits.buffer);
}

describe("functions of the header for kernel authors", () => {
  it.each(Object.entries(FUNCTIONS))("%s is near the true value", (name, [exact, bound]) => {
    const x = inputs(new Prng(name), 20_000);
    const y = outputOf(runCompiled(jobOf(`f_${name}`, x)));
    let worst = 0;
    let at = 0;
    x.forEach((value, i) => {
      const error = errorOf(y[i] as number, exact(value));
      if (error > worst) [worst, at] = [error, value];
    });
    expect(worst, `at ${at}`).toBeLessThanOrEqual(bound);
  });

  it("pow is near the true value, and has C's answers at the edges", () => {
    const prng = new Prng("pow");
    const edges = [0, -0, 1, -1, 2, -2, 0.5, 3, -3, 2.5, 2 ** 24, 2 ** 25, Infinity, -Infinity, NaN, 1e30, -1e-30];
    const pairs = edges.flatMap((a) => edges.map((b) => [a, b] as const));
    for (let i = 0; i < 10_000; i++) pairs.push([2 ** (prng.below(200) / 10 - 10), prng.below(2000) / 50 - 20]);
    const [x, y] = [0, 1].map((at) => Float32Array.from(pairs, (pair) => pair[at] as number)) as [
      Float32Array,
      Float32Array,
    ];
    const z = outputOf(runCompiled(jobOf("f_pow", x, y)));
    x.forEach((value, i) => {
      const power = y[i] as number;
      // Where JavaScript leaves C: 1 to any power, and -1 to an infinite one.
      const expected = value === 1 || (value === -1 && Math.abs(power) === Infinity) ? 1 : value ** power;
      expect(errorOf(z[i] as number, expected), `${value} ** ${power}`).toBeLessThanOrEqual(0.501);
      if (expected === 0) expect(Object.is(z[i], expected), `${value} ** ${power}`).toBe(true);
    });
  });

  it("give the same bits interpreted", () => {
    const prng = new Prng("interpreted");
    for (const name of [...Object.keys(FUNCTIONS), "sigmoid"])
      runBoth(jobOf(`f_${name}`, inputs(prng, 40).slice(0, 40)));
    runBoth(jobOf("f_pow", inputs(prng, 40), inputs(prng, 40)));
  });
});
