import { expect, it } from "vitest";
import { Prng } from "../../../../base/prng.ts";
import { countOf, stridesOf } from "../../../../compute/onnx/tensor.ts";
import { codeOf } from "../../../base/support/code-of.ts";
import { floats, int, integers, runNode } from "../support/run-nodes.ts";

/** The position in each dimension of element `at` of a shape. */
function placeOf(shape: readonly number[], at: number): readonly number[] {
  return stridesOf(shape).map((stride, d) => Math.floor(at / stride) % (shape[d] as number));
}

function atPlace(shape: readonly number[], place: readonly number[]): number {
  return stridesOf(shape).reduce((sum, stride, d) => sum + stride * (place[d] as number), 0);
}

function counted(shape: readonly number[]): readonly number[] {
  return Array.from({ length: countOf(shape) }, (_, i) => i);
}

it("Tile repeats along every dimension, however many there are", () => {
  for (const [shape, repeats] of [
    [
      [2, 3],
      [2, 1],
    ],
    [
      [2, 3, 2, 2],
      [2, 3, 2, 2],
    ],
    [
      [2, 1, 2, 1, 2, 3],
      [1, 2, 3, 2, 1, 2],
    ],
  ] as const) {
    const [y] = runNode({ op: "Tile", inputs: [floats(shape, counted(shape)), integers([shape.length], repeats)] });
    const sizes = shape.map((size, d) => size * (repeats[d] as number));
    expect(y?.shape).toEqual(sizes);
    const expected = counted(sizes).map((at) =>
      atPlace(
        shape,
        placeOf(sizes, at).map((p, d) => p % (shape[d] as number)),
      ),
    );
    expect(y?.values).toEqual(expected);
  }
});

it("GatherElements finds elements among more dimensions than kernels have, where they join", () => {
  const shape = [2, 3, 2, 2, 1, 2, 2, 2];
  const prng = new Prng("elements");
  for (const [axis, own] of [
    [1, [2, 2, 2, 2, 1, 2, 2, 2]],
    [7, [2, 3, 2, 2, 1, 2, 2, 3]],
    [0, [3, 3, 2, 2, 1, 2, 2, 1]],
  ] as const) {
    const indices = counted(own).map(() => prng.below(shape[axis] as number));
    const inputs = [floats(shape, counted(shape)), integers(own, indices)];
    const [y] = runNode({ op: "GatherElements", inputs, attributes: { axis: int(axis) } });
    const expected = counted(own).map((at) =>
      atPlace(
        shape,
        placeOf(own, at).map((p, d) => (d === axis ? (indices[at] as number) : p)),
      ),
    );
    expect(y?.values).toEqual(expected);
  }
});

it("GatherElements refuses more dimensions than kernels have, where none join", () => {
  const [shape, own] = [new Array(8).fill(3), new Array(8).fill(2)];
  const inputs = [
    floats(shape, counted(shape)),
    integers(
      own,
      counted(own).map(() => 0),
    ),
  ];
  expect(codeOf(() => runNode({ op: "GatherElements", inputs }))).toBe("ONNX_UNSUPPORTED");
});
