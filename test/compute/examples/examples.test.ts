/** Every example beside a plain computation of the same thing, on WebAssembly, the processor and the stand-in for a GPU. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { EXAMPLES } from "../../../compute/examples/examples.ts";
import { heatProgram } from "../../../compute/examples/heat-equation.ts";
import { histogramSortProgram, sortedName } from "../../../compute/examples/histogram-sort.ts";
import { FILTERS, type ImageFilter, imageFilterProgram, weightBytes } from "../../../compute/examples/image-filter.ts";
import { monteCarloProgram } from "../../../compute/examples/monte-carlo.ts";
import { lastPositions, nBodyProgram } from "../../../compute/examples/n-body.ts";
import { bestOf, sha256SearchProgram } from "../../../compute/examples/sha256-search.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";
import { onEveryEngine } from "../support/every-engine.ts";

const f = Math.fround;
const viewOf = (bytes: Uint8Array | undefined): DataView => new DataView((bytes as Uint8Array).slice().buffer);
const floatsOf = (bytes: Uint8Array | undefined): Float32Array =>
  new Float32Array((bytes as Uint8Array).slice().buffer);

it.each(EXAMPLES)("$name: the referee can check every tile of it", ({ make, size, steps }) => {
  const { program } = make({ size: size.usual, steps: steps.usual, picture: undefined, variant: undefined });
  expect(checkProgram(program).refereeable).toBe(true);
});

it("sha256-search finds the smallest hash that Node.js finds too", async () => {
  const seed = new Uint8Array(32).map((_, i) => 7 * i + 3);
  const first = 2n ** 32n - 100n;
  const outputs = await onEveryEngine(sha256SearchProgram({ first, blocks: 3, tries: 2 }), new Map([["seed", seed]]));
  const heads = Array.from({ length: 3 * 128 * 2 }, (_, i) => {
    const number = Buffer.alloc(8);
    number.writeBigUInt64LE(first + BigInt(i));
    return createHash("sha256").update(seed).update(number).digest().readBigUInt64BE();
  });
  const least = heads.reduce((best, head, i) => (head < (heads[best] as bigint) ? i : best), 0);
  expect(bestOf(viewOf(outputs.get("best")))).toEqual({ head: heads[least], number: first + BigInt(least) });
});

describe("n-body", () => {
  it.each([
    [70, 3],
    [64, 2],
  ])("moves %i bodies by %i steps to the same bits as a plain computation", async (bodies, steps) => {
    const prng = new Prng(`bodies ${bodies}`);
    const some = (): Float32Array => Float32Array.from({ length: 4 * bodies }, () => prng.below(2001) / 1000 - 1);
    const [p, v] = [some(), some()];
    const inputs = { positions: p.slice(), velocities: v.slice() };
    const given = new Map(Object.entries(inputs).map(([name, of]) => [name, new Uint8Array(of.buffer)]));
    const [dt, softening] = [f(0.01), f(0.001)];
    const outputs = await onEveryEngine(nBodyProgram({ bodies, steps, dt, softening }), given);
    const at = (list: Float32Array, i: number): number => list[i] as number;
    for (let step = 0; step < steps; step++) {
      const from = p.slice();
      for (let i = 0; i < bodies; i++) {
        const a = [0, 0, 0];
        for (let k = 0; k < bodies; k++) {
          const [x, y, z] = [0, 1, 2].map((d) => f(at(from, 4 * k + d) - at(from, 4 * i + d))) as [
            number,
            number,
            number,
          ];
          const square = f(f(f(x * x) + f(y * y)) + f(f(z * z) + softening));
          const pull = f(at(from, 4 * k + 3) / f(square * f(Math.sqrt(square))));
          [x, y, z].forEach((d, axis) => void a.splice(axis, 1, f((a[axis] as number) + f(d * pull))));
        }
        for (let d = 0; d < 3; d++) {
          v[4 * i + d] = f(at(v, 4 * i + d) + f((a[d] as number) * dt));
          p[4 * i + d] = f(at(from, 4 * i + d) + f(at(v, 4 * i + d) * dt));
        }
      }
    }
    expect(floatsOf(outputs.get(lastPositions(steps)))).toEqual(p);
    expect(floatsOf(outputs.get("velocities"))).toEqual(v);
  });
});

it("heat-equation spreads heat to the same bits as a plain computation", async () => {
  const [width, height, steps, rate] = [37, 18, 7, f(0.2)];
  const prng = new Prng("plate");
  let plate = Float32Array.from({ length: width * height }, () => prng.below(1000) / 1000);
  const given = new Map([["plate", new Uint8Array(plate.slice().buffer)]]);
  const outputs = await onEveryEngine(heatProgram({ width, height, steps, rate }), given);
  for (let step = 0; step < steps; step++) {
    const at = (x: number, y: number): number => plate[y * width + x] as number;
    plate = plate.map((own, i) => {
      const [x, y] = [i % width, Math.floor(i / width)];
      if (x === 0 || y === 0 || x === width - 1 || y === height - 1) return own;
      const around = f(f(at(x - 1, y) + at(x + 1, y)) + f(at(x, y - 1) + at(x, y + 1)));
      return f(own + f(rate * f(around - f(4 * own))));
    });
  }
  expect(floatsOf(outputs.get("other"))).toEqual(plate);
});

/** Philox4x32-10 in whole numbers of any size. */
function philox(counter: readonly number[], key: readonly number[]): readonly number[] {
  let [a, b, c, d] = counter.map(BigInt) as [bigint, bigint, bigint, bigint];
  let [k0, k1] = key.map(BigInt) as [bigint, bigint];
  const low = (value: bigint): bigint => value & 0xffff_ffffn;
  for (let round = 0; round < 10; round++) {
    const [one, two] = [0xd251_1f53n * a, 0xcd9e_8d57n * c];
    [a, b, c, d] = [(two >> 32n) ^ b ^ k0, low(two), (one >> 32n) ^ d ^ k1, low(one)];
    [k0, k1] = [low(k0 + 0x9e37_79b9n), low(k1 + 0xbb67_ae85n)];
  }
  return [a, b, c, d].map(Number);
}

describe("monte-carlo", () => {
  it("has a generator to compare with that gives the known answers of its authors", () => {
    expect(philox([0, 0, 0, 0], [0, 0])).toEqual([0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
    const ones = 0xffffffff;
    expect(philox([ones, ones, ones, ones], [ones, ones])).toEqual([0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]);
  });

  it("counts the points inside of the circle as a plain computation does", async () => {
    const [blocks, draws] = [3, 5];
    const key = [0x1234_5678, 0x0bad_cafe] as const;
    const outputs = await onEveryEngine(monteCarloProgram({ key, blocks, draws }), new Map());
    const hits = viewOf(outputs.get("hits"));
    for (let block = 0; block < blocks; block++) {
      let inside = 0;
      for (let i = 0; i < 128 * draws; i++) {
        const [x = 0, y = 0, z = 0, w = 0] = philox([block * 128 * draws + i, 0, 0, 0], key).map((of) =>
          BigInt(of >>> 1),
        );
        for (const [a, b] of [[x, y] as const, [z, w] as const]) {
          if (BigInt(a) ** 2n + BigInt(b) ** 2n < 2n ** 62n) inside++;
        }
      }
      expect(Number(hits.getBigUint64(8 * block, true))).toBe(inside);
    }
  });
});

describe("histogram-sort", () => {
  it.each([1, 1000, 1024, 1025, 2048, 5000])("counts and sorts %i keys", async (count) => {
    const prng = new Prng(`keys ${count}`);
    // Few different ones, so that many are equal, and the largest that there is.
    const keys = Uint32Array.from({ length: count }, () => (prng.below(300) * 0x00f1_2345) >>> 0);
    keys[count >> 1] = 0xffff_ffff;
    const outputs = await onEveryEngine(histogramSortProgram(count), new Map([["keys", new Uint8Array(keys.buffer)]]));
    const sorted = new Uint32Array((outputs.get(sortedName(count)) as Uint8Array).slice().buffer);
    expect(sorted).toEqual(keys.slice().sort());
    const bins = new Uint32Array((outputs.get("bins") as Uint8Array).slice().buffer);
    const counted = new Uint32Array(256);
    for (const key of keys) counted[key >>> 24] = (counted[key >>> 24] as number) + 1;
    expect(bins).toEqual(counted);
  });
});

describe("image-filter", () => {
  it.each([...FILTERS.keys()])("%s gives the bytes of a plain computation", async (name) => {
    const [width, height, times] = [21, 35, 2];
    const filter = FILTERS.get(name) as ImageFilter;
    const prng = new Prng(name);
    let image = new Uint8Array(4 * width * height).map(() => prng.below(256));
    const inputs = new Map([
      ["weights", weightBytes(filter)],
      ["image", image.slice()],
    ]);
    const outputs = await onEveryEngine(imageFilterProgram(width, height, times, filter), inputs);
    const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value));
    for (let time = 0; time < times; time++) {
      image = image.map((byte, at) => {
        const [channel, pixel] = [at % 4, at >> 2];
        if (channel === 3) return byte;
        const sum = filter.weights.reduce((all, weight, i) => {
          const x = clamp((pixel % width) + (i % 5) - 2, width - 1);
          const y = clamp(Math.floor(pixel / width) + Math.floor(i / 5) - 2, height - 1);
          return all + weight * (image[4 * (y * width + x) + channel] as number);
        }, 0);
        return clamp(Math.trunc(sum / filter.divisor) + filter.offset, 255);
      });
    }
    expect(outputs.get("image")).toEqual(image);
  });
});
