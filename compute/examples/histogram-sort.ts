/** A histogram of keys, and the keys in order: blocks sort pieces, passes merge runs that double in length. */
import { Prng } from "../../base/prng.ts";
import { type ArgumentSpec, type BufferSpec, ENGINE_VERSION, type LaunchSpec, type Program } from "../program/types.ts";
import { bytesOfAll, type Example, examplePtx, int, onBuffer, outputOf, turns } from "./example.ts";

const KEYS = 1024;
const THREADS = 512;

function passesFor(count: number): number {
  return Math.ceil(Math.log2(Math.max(1, Math.ceil(count / KEYS))));
}

/** The buffer with the keys in order. */
export function sortedName(count: number): string {
  return passesFor(count) % 2 === 0 ? "sorted" : "merged";
}

/** Input `keys`: unsigned 32-bit numbers. Outputs `bins`, one for each highest byte, and the sorted keys. */
export function histogramSortProgram(count: number): Program {
  const bytes = 4 * count;
  const buffers: readonly BufferSpec[] = [
    { name: "keys", kind: "input", bytes },
    { name: "bins", kind: "zero", bytes: 1024 },
    { name: "sorted", kind: "scratch", bytes },
    { name: "merged", kind: "scratch", bytes },
  ];
  const pieces = Math.ceil(count / KEYS);
  const passes = passesFor(count);
  const launch = (kernel: number, values: readonly ArgumentSpec[], fuel: number, most: number): LaunchSpec => ({
    ...{ kind: "launch", kernel, dynamicShared: 0, grid: [pieces, 1, 1], block: [THREADS, 1, 1] },
    arguments: values,
    tiles: [{ parameter: values.length - 1, tile: { kind: "run", bytes: 4 * KEYS } }],
    ...{ fuel, bytes: most },
  });
  const counting = launch(
    0,
    [int(count), onBuffer(0), onBuffer(1)],
    pieces * THREADS * 400,
    bytesOfAll(buffers.slice(0, 2)),
  );
  const pass: ArgumentSpec = { kind: "counter", depth: 0, width: 4, start: 0n, step: 1n };
  // A search may look anywhere in the two runs.
  const merge = launch(
    2,
    [int(count), pass, turns(2, 3), turns(3, 2)],
    THREADS * 4_000,
    bytesOfAll(buffers.slice(0, 2)) + 8 * KEYS,
  );
  return {
    ...{ engine: ENGINE_VERSION, buffers, outputs: [1, passes % 2 === 0 ? 2 : 3] },
    kernels: ["histogram", "sort_pieces", "merge_runs"].map((entry) => ({ ptx: examplePtx("histogram-sort"), entry })),
    steps: [
      { ...counting, tiles: [{ parameter: 2, tile: { kind: "whole" } }] },
      launch(1, [int(count), onBuffer(0), onBuffer(2)], THREADS * 6_000, 16 * KEYS),
      ...(passes === 0 ? [] : [{ kind: "loop", count: passes, body: [merge] } as const]),
    ],
  };
}

const LEVELS = " .:-=+*#%@";

export const histogramSort: Example = {
  name: "histogram-sort",
  summary: "Count keys by their highest byte, and sort them",
  size: { means: "keys", usual: 100_000, most: 1 << 26 },
  steps: { means: "not used", usual: 1, most: 1 },
  variants: [],
  make({ size }) {
    const prng = new Prng("keys");
    // The mean of two numbers, so that the histogram is a tent.
    const keys = Uint32Array.from({ length: size }, () => (prng.below(2 ** 32) + prng.below(2 ** 32)) / 2);
    return {
      program: histogramSortProgram(size),
      inputs: new Map([["keys", new Uint8Array(keys.buffer)]]),
      show(outputs) {
        const [bins, sorted] = [outputOf(outputs, "bins"), outputOf(outputs, sortedName(size))];
        const counts = Array.from({ length: 64 }, (_, i) =>
          [0, 1, 2, 3].reduce((sum, k) => sum + bins.getUint32(4 * (4 * i + k), true), 0),
        );
        const most = Math.max(...counts);
        const tent = counts.map((count) => LEVELS[Math.round((count / most) * (LEVELS.length - 1))]).join("");
        const at = (share: number): number => sorted.getUint32(4 * Math.floor(share * (size - 1)), true);
        return { facts: { keys: size, histogram: tent, least: at(0), median: at(0.5), most: at(1) } };
      },
    };
  },
};
