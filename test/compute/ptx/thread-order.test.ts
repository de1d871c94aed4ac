/** A GPU runs blocks and threads in any order. A kernel without races must not show which. */
import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { bytesOf, words32 } from "./support/bit-patterns.ts";
import { buffer, int32, type Job, kernelText, runCompiled, runInterpreted } from "./support/both-engines.ts";

const prng = new Prng("thread order");

const JOBS: readonly (readonly [string, Job])[] = [
  [
    "a matrix product",
    {
      ...{ text: kernelText("gemm"), entry: "gemm", grid: [2, 2, 1], block: [16, 16, 1] },
      arguments: [int32(20), int32(19), int32(9), buffer(0), buffer(1), buffer(2)],
      buffers: [bytesOf(words32(prng, 180)), bytesOf(words32(prng, 171)), new Uint8Array(1520)],
    },
  ],
  [
    "a scan with barriers",
    {
      ...{ text: kernelText("reduce"), entry: "scan", grid: [3, 1, 1], block: [40, 1, 1], dynamicShared: 160 },
      arguments: [buffer(0), buffer(1)],
      buffers: [prng.bytes(480), new Uint8Array(480)],
    },
  ],
  [
    "sums by shuffles",
    {
      ...{ text: kernelText("reduce"), entry: "blocksum", grid: [3, 1, 1], block: [64, 1, 1] },
      arguments: [buffer(0), buffer(1), int32(70)],
      buffers: [bytesOf(words32(prng, 210)), new Uint8Array(12)],
    },
  ],
  [
    "a histogram by atomics",
    {
      ...{ text: kernelText("integer"), entry: "histogram", grid: [3, 1, 1], block: [64, 1, 1] },
      arguments: [int32(300), buffer(0), buffer(1)],
      buffers: [prng.bytes(300), new Uint8Array(256)],
    },
  ],
  [
    "a sort",
    {
      ...{ text: kernelText("varied"), entry: "bitonic", grid: [2, 1, 1], block: [64, 1, 1] },
      arguments: [buffer(0), buffer(1)],
      buffers: [prng.bytes(512), new Uint8Array(512)],
    },
  ],
];

describe("in whatever order blocks and threads run, the bits are the same for", () => {
  it.each(JOBS)("%s", (_name, job) => {
    const { buffers, outcomes } = runCompiled(job);
    expect(outcomes.every(({ kind }) => kind === "done")).toBe(true);
    expect(runInterpreted(job, (items) => items.reverse()).buffers).toEqual(buffers);
    expect(runInterpreted(job, (items) => prng.shuffle(items)).buffers).toEqual(buffers);
  });
});
