import { expect, it } from "vitest";
import { Prng } from "../../../../base/prng.ts";
import { floats, int, runNodes, text } from "../support/run-nodes.ts";

/** As the nearest half; all values here are far from the limits of halves. */
function half(value: number): number {
  const unit = 2 ** (Math.floor(Math.log2(Math.abs(value))) - 10);
  return value === 0 ? 0 : Math.round(value / unit) * unit;
}

it("LinearAttention keeps the state of halves in single precision from step to step", () => {
  const [length, size] = [64, 4];
  const prng = new Prng("halves");
  const list = (): readonly number[] =>
    Array.from({ length: length * size }, () => half(prng.below(1000) / 1000 + 0.1));
  const given = [list(), list(), list()];
  const names = ["query", "key", "value"];
  const [output] = runNodes({
    opset: 27,
    inputs: Object.fromEntries(names.map((name, i) => [name, floats([1, length, size], given[i] ?? [])])),
    nodes: [
      ...names.map((name) => ({ op: "Cast", in: [name], out: [`${name}16`], attributes: { to: int(10) } })),
      {
        ...{ op: "LinearAttention", in: names.map((name) => `${name}16`), out: ["y16", "state"] },
        attributes: { q_num_heads: int(1), kv_num_heads: int(1), update_rule: text("linear") },
      },
      { op: "Cast", in: ["y16"], out: ["y"], attributes: { to: int(1) } },
    ],
    outputs: ["y"],
  });
  const [query = [], key = [], value = []] = given;
  const state = Array.from({ length: size * size }, () => 0);
  for (let t = 0; t < length; t++) {
    const row = (of: readonly number[], i: number): number => of[t * size + i] as number;
    for (let i = 0; i < size * size; i++) {
      state[i] = (state[i] as number) + row(key, Math.floor(i / size)) * row(value, i % size);
    }
    for (let j = 0; j < size; j++) {
      const sum = [0, 1, 2, 3].reduce((all, i) => all + row(query, i) * (state[i * size + j] as number), 0);
      const found = output?.values[t * size + j] as number;
      // One rounding of a result to eleven digits of two.
      expect(Math.abs(found / (sum / 2) - 1)).toBeLessThan(2 ** -11 + 1e-5);
    }
  }
});
