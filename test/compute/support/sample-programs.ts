/** Small programs over real kernels. */

import { type ArgumentSpec, ENGINE_VERSION, type Program } from "../../../compute/program/types.ts";
import { kernelText } from "../ptx/support/both-engines.ts";

export function scalar32(value: number): ArgumentSpec {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, value, true);
  return { kind: "scalar", bytes };
}

export function onBuffer(buffer: number): ArgumentSpec {
  return { kind: "buffer", buffer };
}

/** c = a * b, of m by k and k by n. */
export function gemmProgram(m: number, n: number, k: number): Program {
  return {
    engine: ENGINE_VERSION,
    kernels: [{ ptx: kernelText("gemm"), entry: "gemm" }],
    buffers: [
      { name: "a", kind: "input", bytes: 4 * m * k },
      { name: "b", kind: "input", bytes: 4 * k * n },
      { name: "c", kind: "zero", bytes: 4 * m * n },
    ],
    steps: [
      {
        ...{ kind: "launch", kernel: 0, block: [16, 16, 1], dynamicShared: 0, fuel: 1_000_000, bytes: 1 << 20 },
        grid: [Math.ceil(n / 16), Math.ceil(m / 16), 1],
        arguments: [scalar32(m), scalar32(n), scalar32(k), onBuffer(0), onBuffer(1), onBuffer(2)],
        tiles: [{ parameter: 5, tile: { kind: "rows", pitch: 4 * n, width: 64, rows: 16, plane: m } }],
      },
    ],
    outputs: [2],
  };
}

/** Mixes 64-bit words back and forth between two buffers, `rounds` times. */
export function mixProgram(words: number, rounds: number): Program {
  return {
    engine: ENGINE_VERSION,
    kernels: [{ ptx: kernelText("integer"), entry: "mix" }],
    buffers: [
      { name: "start", kind: "input", bytes: 8 * words },
      { name: "even", kind: "scratch", bytes: 8 * words },
      { name: "odd", kind: "scratch", bytes: 8 * words },
    ],
    steps: [
      {
        ...{ kind: "launch", kernel: 0, block: [32, 1, 1], dynamicShared: 0, fuel: 1_000_000, bytes: 1 << 14 },
        grid: [words / 32, 1, 1],
        arguments: [scalar32(1), onBuffer(0), onBuffer(1)],
        tiles: [{ parameter: 2, tile: { kind: "run", bytes: 256 } }],
      },
      {
        kind: "loop",
        count: rounds,
        body: [
          {
            ...{ kind: "launch", kernel: 0, block: [32, 1, 1], dynamicShared: 0, fuel: 1_000_000, bytes: 1 << 14 },
            grid: [words / 32, 1, 1],
            arguments: [
              { kind: "counter", depth: 0, width: 4, start: 1n, step: 1n },
              { kind: "alternate", depth: 0, buffers: [1, 2] },
              { kind: "alternate", depth: 0, buffers: [2, 1] },
            ],
            tiles: [{ parameter: 2, tile: { kind: "run", bytes: 256 } }],
          },
        ],
      },
    ],
    outputs: [1, 2],
  };
}
