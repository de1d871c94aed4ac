import { describe, expect, it } from "vitest";
import { codeOf } from "../../../base/support/code-of.ts";
import { float, floats, integers, runNode, text } from "../support/run-nodes.ts";

const domain = "ai.onnx.preview.training";
const [weights, gradient] = [1.5, -0.25] as const;

/** One step of one number, with what is remembered of it; the new number, then the new memory. */
function step(
  op: string,
  settings: Readonly<Record<string, number | string>>,
  count: number,
  memory: readonly number[],
): readonly number[] {
  const attributes = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, typeof value === "string" ? text(value) : float(value)]),
  );
  const lists = [weights, gradient, ...memory].map((value) => floats([1], [value]));
  const inputs = [floats([], [0.1]), integers([], [count]), ...lists];
  const made = runNode({ op, domain, inputs, attributes, outputs: 1 + memory.length });
  return made.map(({ values }) => values[0] as number);
}

function expectNear(found: readonly number[], expected: readonly number[]): void {
  expect(found.length).toBe(expected.length);
  found.forEach((value, i) => void expect(value).toBeCloseTo(expected[i] as number, 5));
}

describe("a step of training", () => {
  it("by Adagrad divides by the root of all squares so far, at a rate that decays", () => {
    const g = 0.01 * weights + gradient;
    const sum = 4 + g * g;
    const found = step("Adagrad", { norm_coefficient: 0.01, decay_factor: 0.5, epsilon: 0.125 }, 2, [4]);
    expectNear(found, [weights - ((0.1 / 2) * g) / (Math.sqrt(sum) + 0.125), sum]);
  });

  it("by Adam makes up for memories that began with zero, but in the first step", () => {
    for (const count of [0, 3]) {
      const [mean, squares] = [0.9 * 0.5 + 0.1 * gradient, 0.8 * 2 + 0.2 * gradient * gradient];
      const rate = count === 0 ? 0.1 : (0.1 * Math.sqrt(1 - 0.8 ** count)) / (1 - 0.9 ** count);
      const moved = 0.75 * (weights - (rate * mean) / (Math.sqrt(squares) + 0.01));
      const settings = { alpha: 0.9, beta: 0.8, epsilon: 0.01, norm_coefficient_post: 0.25 };
      expectNear(step("Adam", settings, count, [0.5, 2]), [moved, mean, squares]);
    }
  });

  it("by momentum counts the first gradient in full, and may look ahead", () => {
    for (const [mode, count] of [
      ["standard", 0],
      ["standard", 1],
      ["nesterov", 1],
    ] as const) {
      const speed = 0.9 * 2 + (count === 0 ? 1 : 0.5) * gradient;
      const direction = mode === "standard" ? speed : gradient + 0.9 * speed;
      const found = step("Momentum", { alpha: 0.9, beta: 0.5, norm_coefficient: 0, mode }, count, [2]);
      expectNear(found, [weights - 0.1 * direction, speed]);
    }
  });

  it("takes many tensors, each list behind the other", () => {
    const attributes = { alpha: float(0), beta: float(1), norm_coefficient: float(0), mode: text("standard") };
    const lists = [[1], [2, 3], [10], [20, 30], [0], [0, 0]].map((list) => floats([list.length], list));
    const inputs = [floats([], [1]), integers([], [1]), ...lists];
    const made = runNode({ op: "Momentum", domain, inputs, attributes, outputs: 4 });
    expect(made.map(({ values }) => values)).toEqual([[-9], [-18, -27], [10], [20, 30]]);
  });

  it("refuses lists that do not fit, and other modes", () => {
    const inputs = [floats([], [1]), integers([], [1]), floats([1], [1])];
    expect(codeOf(() => runNode({ op: "Adam", domain, inputs }))).toBe("ONNX_UNSUPPORTED");
    expect(codeOf(() => step("Momentum", { mode: "other" }, 0, [0]))).toBe("ONNX_UNSUPPORTED");
  });
});
