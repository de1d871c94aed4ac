/** A program that is cheap to publish: adds a number to every word, back and forth between two buffers. */
import { ENGINE_VERSION, type LaunchSpec, type Program } from "../../../../compute/program/types.ts";
import { STORE_RESULT, smallKernel } from "../../../compute/ptx/support/small-kernel.ts";
import { onBuffer, scalar32 } from "../../../compute/support/sample-programs.ts";

const KERNEL = smallKernel(`mov.u32 %r1, %ctaid.x;
mad.lo.u32 %r1, %r1, 32, %t;
mul.wide.u32 %o, %r1, 4;
add.s64 %d1, %a, %o;
ld.global.u32 %r2, [%d1];
add.u32 %r0, %r2, %n;
${STORE_RESULT}`);

const TILE_BYTES = 128;

/** `tiles` tiles of 32 words, `1 + iterations` launches: the first reads the input, the others what the one before wrote. */
export function stepProgram(tiles: number, iterations: number): Program {
  const bytes = TILE_BYTES * tiles;
  const launch = {
    ...{ kind: "launch", kernel: 0, block: [32, 1, 1], dynamicShared: 0, fuel: 100_000, bytes: 1 << 14 },
    grid: [tiles, 1, 1],
    tiles: [{ parameter: 1, tile: { kind: "run", bytes: TILE_BYTES } }],
  } as const satisfies Omit<LaunchSpec, "arguments">;
  const back = { kind: "alternate", depth: 0 } as const;
  return {
    engine: ENGINE_VERSION,
    kernels: [{ ptx: KERNEL, entry: "k" }],
    buffers: [
      { name: "start", kind: "input", bytes },
      { name: "even", kind: "scratch", bytes },
      { name: "odd", kind: "scratch", bytes },
    ],
    steps: [
      { ...launch, arguments: [onBuffer(0), onBuffer(1), scalar32(1)] },
      {
        kind: "loop",
        count: iterations,
        body: [
          {
            ...launch,
            arguments: [
              { ...back, buffers: [1, 2] },
              { ...back, buffers: [2, 1] },
              { kind: "counter", depth: 0, width: 4, start: 1n, step: 1n },
            ],
          },
        ],
      },
    ],
    outputs: [1, 2],
  };
}
