/** An image through 5 by 5 weights, once or several times. */
import { assert } from "../../base/errors.ts";
import { type BufferSpec, ENGINE_VERSION, type Program } from "../program/types.ts";
import { bytesOfAll, type Example, examplePtx, int, onBuffer, type Picture, squareLaunch, turns } from "./example.ts";

export interface ImageFilter {
  /** 25 of them, rows from the top. */
  readonly weights: readonly number[];
  readonly divisor: number;
  /** Added in the end. */
  readonly offset: number;
}

const binomial = [1, 4, 6, 4, 1];

export const FILTERS: ReadonlyMap<string, ImageFilter> = new Map([
  ["blur", { weights: binomial.flatMap((a) => binomial.map((b) => a * b)), divisor: 256, offset: 0 }],
  [
    "sharpen",
    { weights: [0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, -1, 5, -1, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0], divisor: 1, offset: 0 },
  ],
  [
    "edges",
    {
      weights: [0, 0, -1, 0, 0, 0, -1, -2, -1, 0, -1, -2, 16, -2, -1, 0, -1, -2, -1, 0, 0, 0, -1, 0, 0],
      divisor: 1,
      offset: 0,
    },
  ],
  [
    "emboss",
    {
      weights: [0, 0, 0, 0, 0, 0, -2, -1, 0, 0, 0, -1, 0, 1, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0],
      divisor: 1,
      offset: 128,
    },
  ],
]);

/** Inputs `weights` and `image`; the output is `image` after an even number of times, `other` after an odd one. */
export function imageFilterProgram(width: number, height: number, times: number, filter: ImageFilter): Program {
  const bytes = 4 * width * height;
  const buffers: readonly BufferSpec[] = [
    { name: "weights", kind: "input", bytes: 100 },
    { name: "image", kind: "input", bytes },
    { name: "other", kind: "scratch", bytes },
  ];
  const numbers = [width, height, filter.divisor, filter.offset].map(int);
  const budget = { fuel: 256 * 2_500, bytes: Math.min(bytesOfAll(buffers), 1 << 18) };
  const launch = squareLaunch(width, height, 4, [...numbers, onBuffer(0), turns(1, 2), turns(2, 1)], budget);
  return {
    ...{ engine: ENGINE_VERSION, buffers, outputs: [times % 2 === 0 ? 1 : 2] },
    kernels: [{ ptx: examplePtx("image-filter"), entry: "filter_image" }],
    steps: [{ kind: "loop", count: times, body: [launch] }],
  };
}

export function weightBytes({ weights }: ImageFilter): Uint8Array {
  return new Uint8Array(Int32Array.from(weights).buffer);
}

/** Coloured circles on a board, for who brings no image. */
function testCard(side: number): Picture {
  const data = new Uint8Array(4 * side * side);
  for (let i = 0; i < side * side; i++) {
    const [x, y] = [i % side, Math.floor(i / side)];
    const board = (Math.floor(x / 16) + Math.floor(y / 16)) % 2 === 0 ? 230 : 40;
    const colours = [0.35, 0.5, 0.65].map((centre) =>
      Math.hypot(x / side - centre, y / side - 0.5) < 0.22 ? 255 - board : board,
    );
    data.set([...colours, 255], 4 * i);
  }
  return { width: side, height: side, data };
}

export const imageFilter: Example = {
  name: "image-filter",
  summary: "Filter an image: blur, sharpen, edges or emboss",
  size: { means: "pixels along a side, without an image", usual: 256, most: 4_096 },
  steps: { means: "how often", usual: 1, most: 10_000 },
  variants: [...FILTERS.keys()],
  make({ size, steps, picture = testCard(size), variant = "blur" }) {
    const { width, height, data } = picture;
    const filter = FILTERS.get(variant);
    assert(filter !== undefined, "the variant is one of those that the example has");
    return {
      program: imageFilterProgram(width, height, steps, filter),
      inputs: new Map([
        ["weights", weightBytes(filter)],
        ["image", data],
      ]),
      show(outputs) {
        const made = outputs.get(steps % 2 === 0 ? "image" : "other");
        assert(made !== undefined, "the program has that output");
        const changed = made.reduce((sum, byte, i) => sum + (byte === data[i] ? 0 : 1), 0);
        return {
          facts: { filter: variant, width, height, "bytes changed": changed },
          picture: { width, height, data: made },
        };
      },
    };
  },
};
