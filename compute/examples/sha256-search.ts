/** The number that makes a SHA-256 smallest, among as many as there are threads times tries. */
import { type BufferSpec, ENGINE_VERSION, type Program } from "../program/types.ts";
import { bytesOfAll, type Example, examplePtx, int, long, onBuffer, outputOf } from "./example.ts";

const THREADS = 128;

export interface Sha256Search {
  readonly first: bigint;
  readonly blocks: number;
  /** Numbers that one thread tries. */
  readonly tries: number;
}

/** Input `seed`: 32 bytes. Output `best`: for each block the first 8 bytes of the smallest hash, and its number. */
export function sha256SearchProgram({ first, blocks, tries }: Sha256Search): Program {
  const buffers: readonly BufferSpec[] = [
    { name: "seed", kind: "input", bytes: 32 },
    { name: "best", kind: "zero", bytes: 16 * blocks },
  ];
  return {
    ...{ engine: ENGINE_VERSION, buffers, outputs: [1] },
    kernels: [{ ptx: examplePtx("sha256-search"), entry: "sha256_search" }],
    steps: [
      {
        ...{ kind: "launch", kernel: 0, dynamicShared: 0, grid: [blocks, 1, 1], block: [THREADS, 1, 1] },
        arguments: [long(first), int(tries), onBuffer(0), onBuffer(1)],
        tiles: [{ parameter: 3, tile: { kind: "run", bytes: 16 } }],
        ...{ fuel: THREADS * (2_000 + 8_000 * tries), bytes: bytesOfAll(buffers) },
      },
    ],
  };
}

/** The best of all blocks; of equal ones the lowest number. */
export function bestOf(best: DataView): { readonly head: bigint; readonly number: bigint } {
  let found = { head: 2n ** 64n, number: 0n };
  for (let at = 0; at < best.byteLength; at += 16) {
    const head = best.getBigUint64(at, true);
    if (head < found.head) found = { head, number: best.getBigUint64(at + 8, true) };
  }
  return found;
}

export const sha256Search: Example = {
  name: "sha256-search",
  summary: "Search for the number that makes a SHA-256 smallest, as proof of work does",
  size: { means: "thread blocks", usual: 128, most: 65_536 },
  steps: { means: "numbers that a thread tries", usual: 16, most: 4_096 },
  variants: [],
  make({ size, steps }) {
    return {
      program: sha256SearchProgram({ first: 0n, blocks: size, tries: steps }),
      inputs: new Map([["seed", new TextEncoder().encode("OpenGPU".padEnd(32, "."))]]),
      show(outputs) {
        const { head, number } = bestOf(outputOf(outputs, "best"));
        const hex = head.toString(16).padStart(16, "0");
        return {
          facts: {
            ...{ hashes: size * THREADS * steps, number: number.toString(), "the hash begins with": hex },
            "leading zero bits": 64 - (head === 0n ? 0 : head.toString(2).length),
          },
        };
      },
    };
  },
};
