import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { exactFma32 } from "../../../compute/ptx/exact-fma.ts";
import type { Argument } from "../../../compute/ptx/wasm/machine.ts";
import { bytesOf, words32, words64 } from "./support/bit-patterns.ts";
import { buffer, int32, type Job, kernelText, type Outcome, runBoth } from "./support/both-engines.ts";

const text = kernelText("varied");

function run(entry: string, more: Pick<Job, "arguments" | "buffers"> & Partial<Job>): Outcome {
  const outcome = runBoth({ text, entry, grid: [1, 1, 1], block: [64, 1, 1], ...more });
  expect(outcome.outcomes.every(({ kind }) => kind === "done")).toBe(true);
  return outcome;
}

function int32s({ buffers }: Outcome, index: number): readonly number[] {
  return [...new Int32Array((buffers[index] as Uint8Array).buffer)];
}

describe("ordinary kernels give the same on both engines, and the right answer,", () => {
  const prng = new Prng("varied");
  const ints = Int32Array.from({ length: 128 }, () => prng.below(2000) - 1000);
  const input = new Uint8Array(ints.buffer);
  const pair: readonly Argument[] = [buffer(0), buffer(1)];

  it("with a structure passed by value", () => {
    const bytes = new Uint8Array(24);
    const view = new DataView(bytes.buffer);
    view.setInt32(0, -3, true);
    view.setFloat32(4, 2.5, true);
    view.setFloat64(8, 100.9, true);
    bytes.set([1, 2, 0xff], 16);
    const out = run("structure", {
      arguments: [{ kind: "bytes", bytes }, ...pair],
      buffers: [input, new Uint8Array(256)],
    });
    expect(int32s(out, 1)).toEqual(
      [...ints.subarray(0, 64)].map((v, i) => v * -3 + 102 + ([1, 2, -1][i % 3] as number)),
    );
  });

  it("with a switch", () => {
    const out = run("choose", { arguments: pair, buffers: [input, new Uint8Array(256)] });
    const table = [0, 76, 0, 12, 1, 20, -1, -1];
    expect(int32s(out, 1)).toEqual([...ints.subarray(0, 64)].map((v) => table[v & 7]));
  });

  it("with an array in local memory", () => {
    const out = run("localarray", { arguments: [...pair, int32(30)], buffers: [input, new Uint8Array(256)] });
    const expected = Array.from({ length: 64 }, (_, t) => {
      let sum = 0;
      for (let i = 0; i < 30; i++) sum += (ints[(i * 7 + (ints[i] as number)) & 15] as number) * t;
      return sum;
    });
    expect(int32s(out, 1)).toEqual(expected);
  });

  it("with halves, over all their patterns", () => {
    for (let start = 0; start < 0x10000; start += 0x4000) {
      const all = Uint16Array.from({ length: 64 }, (_, i) => start + i * 257);
      run("halves", { arguments: pair, buffers: [new Uint8Array(all.buffer), new Uint8Array(128)] });
    }
  });

  it("with integers of 128 bits", () => {
    const words = words64(prng, 128);
    const { buffers } = run("square", { arguments: pair, buffers: [bytesOf(words), new Uint8Array(1024)] });
    const results = new BigUint64Array((buffers[1] as Uint8Array).buffer);
    for (let i = 0; i < 64; i++) {
      const value = ((words[2 * i] as bigint) << 64n) | (words[2 * i + 1] as bigint);
      const expected = BigInt.asUintN(128, value * value + 12345n);
      expect((results[2 * i] as bigint) | ((results[2 * i + 1] as bigint) << 64n)).toBe(expected);
    }
  });

  it("sorting in shared memory", () => {
    const out = run("bitonic", {
      ...{ arguments: pair, grid: [2, 1, 1], buffers: [input, new Uint8Array(512)] },
      windows: ([x]) => new Map([[1, { kind: "run", start: 256 * x, bytes: 256 }]]),
    });
    for (const half of [0, 64]) {
      const expected = [...ints.subarray(half, half + 64)].sort((a, b) => a - b);
      expect(int32s(out, 1).slice(half, half + 64)).toEqual(expected);
    }
  });

  it("with division of 64-bit integers, of bytes and of shorts", () => {
    run("quotients", { arguments: pair, buffers: [bytesOf(words64(prng, 65)), new Uint8Array(512)] });
    run("pixels", { arguments: pair, buffers: [prng.bytes(256), new Uint8Array(256)] });
    run("shorts", { arguments: pair, buffers: [prng.bytes(130), new Uint8Array(128)] });
  });

  it("convolving in three dimensions of blocks", () => {
    const [height, width, channels, filters] = [11, 13, 2, 3];
    const image = words32(prng, channels * height * width);
    const weights = words32(prng, filters * channels * 9);
    const out = run("convolution", {
      ...{ grid: [2, 2, 3], block: [8, 8, 1] },
      arguments: [buffer(0), buffer(1), buffer(2), int32(height), int32(width), int32(channels)],
      buffers: [bytesOf(image), bytesOf(weights), new Uint8Array(4 * filters * height * width)],
      windows: ([x, y, z]) =>
        new Map([
          [
            2,
            {
              ...{ kind: "rows", pitch: 4 * width, row: z * height + 8 * y, rows: Math.min(8, height - 8 * y) },
              ...{ column: 32 * x, width: Math.min(32, 4 * width - 32 * x) },
            } as const,
          ],
        ]),
    });
    const result = new Uint32Array((out.buffers[2] as Uint8Array).buffer);
    const at = (z: number, y: number, x: number): number => {
      let sum = 0n;
      for (let c = 0; c < channels; c++) {
        for (let k = 0; k < 9; k++) {
          const [yy, xx] = [y + Math.floor(k / 3) - 1, x + (k % 3) - 1];
          if (yy < 0 || yy >= height || xx < 0 || xx >= width) continue;
          const pixel = BigInt(image[(c * height + yy) * width + xx] as number);
          sum = exactFma32(pixel, BigInt(weights[(z * channels + c) * 9 + k] as number), sum);
        }
      }
      return Number(sum);
    };
    expect(result[0]).toBe(at(0, 0, 0));
    expect(result[(2 * height + 10) * width + 12]).toBe(at(2, 10, 12));
    expect(result[(height + 5) * width + 8]).toBe(at(1, 5, 8));
  });

  it("with pointers that walk, and with a warp barrier", () => {
    run("walk", { arguments: [...pair, int32(200)], buffers: [bytesOf(words32(prng, 200)), new Uint8Array(256)] });
    const out = run("neighbours", { arguments: pair, buffers: [input, new Uint8Array(256)] });
    expect(int32s(out, 1)).toEqual(Array.from({ length: 64 }, (_, i) => ints[i ^ 1]));
  });
});
