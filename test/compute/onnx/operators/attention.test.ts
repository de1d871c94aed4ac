import { describe, expect, it } from "vitest";
import { Prng } from "../../../../base/prng.ts";
import { tensorOf } from "../../../../compute/onnx/tensor.ts";
import { codeOf } from "../../../base/support/code-of.ts";
import { float, int, runNode } from "../support/run-nodes.ts";

const domain = "ai.onnx.preview";

function values(prng: Prng, count: number): readonly number[] {
  return Array.from({ length: count }, () => Math.fround(prng.below(2001) / 1000 - 1));
}

/** By its definition, in doubles: [heads, length, size] each, where a head of keys serves several of queries. */
function attended(
  [q, k, v]: readonly (readonly number[])[],
  { heads, served, queries, keys, size, scale }: Readonly<Record<string, number>>,
): readonly number[] {
  const at = (list: readonly number[] | undefined, i: number): number => list?.[i] as number;
  const sizes = Array.from({ length: size as number }, (_, i) => i);
  return Array.from({ length: (heads as number) * (queries as number) }, (_, row) => {
    const own = Math.floor(Math.floor(row / (queries as number)) / (served as number)) * (keys as number);
    const scores = Array.from({ length: keys as number }, (_, key) =>
      sizes.reduce((sum, i) => sum + at(q, row * sizes.length + i) * at(k, (own + key) * sizes.length + i), 0),
    ).map((score) => Math.exp(score * (scale as number)));
    const total = scores.reduce((a, b) => a + b);
    return sizes.map((i) =>
      scores.reduce((sum, weight, key) => sum + (weight / total) * at(v, (own + key) * sizes.length + i), 0),
    );
  }).flat();
}

describe("FlexAttention", () => {
  it.each(["f32", "f64"] as const)("weighs values by how keys fit queries, in %s, heads sharing keys", (type) => {
    const prng = new Prng("flex");
    const [queries, keys, size] = [3, 5, 4];
    const lists = [4 * queries * size, 2 * keys * size, 2 * keys * size].map((count) => values(prng, count));
    const shapes = [
      [1, 4, queries, size],
      [1, 2, keys, size],
      [1, 2, keys, size],
    ] as const;
    const inputs = shapes.map((shape, i) => tensorOf(type, shape, lists[i] as readonly number[]));
    const [y] = runNode({ op: "FlexAttention", domain, inputs, attributes: { scale: float(0.5) } });
    expect([y?.type, y?.shape]).toEqual([type, [1, 4, queries, size]]);
    const expected = attended(lists, { heads: 4, served: 2, queries, keys, size, scale: 0.5 });
    y?.values.forEach((value, i) => void expect(value).toBeCloseTo(expected[i] as number, 5));
  });

  it("refuses a precision that is none, and other dimensions", () => {
    const x = tensorOf("f32", [1, 1, 1, 1], [1]);
    const attributes = { softmax_precision: int(6) };
    expect(codeOf(() => runNode({ op: "FlexAttention", domain, inputs: [x, x, x], attributes }))).toBe(
      "ONNX_UNSUPPORTED",
    );
    const flat = tensorOf("f32", [1, 1, 1], [1]);
    expect(codeOf(() => runNode({ op: "FlexAttention", domain, inputs: [flat, flat, flat] }))).toBe("ONNX_SHAPE");
  });
});
