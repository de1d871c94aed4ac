/** Pi from random points, by a generator that is a function of a counter. */
import { type BufferSpec, ENGINE_VERSION, type Program } from "../program/types.ts";
import { bytesOfAll, type Example, examplePtx, int, onBuffer, outputOf } from "./example.ts";

const THREADS = 128;

export interface MonteCarlo {
  readonly key: readonly [number, number];
  readonly blocks: number;
  /** Of one thread; each makes two points. */
  readonly draws: number;
}

/** Output `hits`: for each block how many of its points are inside. */
export function monteCarloProgram({ key, blocks, draws }: MonteCarlo): Program {
  const buffers: readonly BufferSpec[] = [{ name: "hits", kind: "zero", bytes: 8 * blocks }];
  return {
    ...{ engine: ENGINE_VERSION, buffers, outputs: [0] },
    kernels: [{ ptx: examplePtx("monte-carlo"), entry: "monte_carlo" }],
    steps: [
      {
        ...{ kind: "launch", kernel: 0, dynamicShared: 0, grid: [blocks, 1, 1], block: [THREADS, 1, 1] },
        arguments: [int(key[0]), int(key[1]), int(draws), onBuffer(0)],
        tiles: [{ parameter: 3, tile: { kind: "run", bytes: 8 } }],
        ...{ fuel: THREADS * (2_000 + 400 * draws), bytes: bytesOfAll(buffers) },
      },
    ],
  };
}

export const monteCarlo: Example = {
  name: "monte-carlo",
  summary: "Pi from random points, with its error",
  size: { means: "thread blocks", usual: 512, most: 1_048_576 },
  steps: { means: "draws of a thread, two points each", usual: 64, most: 65_536 },
  variants: [],
  make({ size, steps }) {
    return {
      program: monteCarloProgram({ key: [20_260_101, 0], blocks: size, draws: steps }),
      inputs: new Map(),
      show(outputs) {
        const hits = outputOf(outputs, "hits");
        let inside = 0n;
        for (let at = 0; at < hits.byteLength; at += 8) inside += hits.getBigUint64(at, true);
        const points = 2 * size * THREADS * steps;
        const share = Number(inside) / points;
        const deviation = 4 * Math.sqrt((share * (1 - share)) / points);
        const error = Math.abs(4 * share - Math.PI);
        return {
          facts: {
            ...{ points, pi: (4 * share).toFixed(6), error: error.toExponential(2) },
            "standard deviation": deviation.toExponential(2),
          },
        };
      },
    };
  },
};
