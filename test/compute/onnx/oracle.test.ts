/** Random uses of operators beside ONNX Runtime: shapes, axes, windows and steps that no list of cases would hold. */
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { decodeModel } from "../../../compute/onnx/decode-model.ts";
import { importModel } from "../../../compute/onnx/import-model.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";
import { type ModelSpec, makeModel, type NodeSpec, type WeightSpec } from "./support/make-model.ts";

type Use = Omit<NodeSpec, "in" | "out"> & {
  readonly shape: readonly number[];
  /** Inputs behind the first. */
  readonly others?: readonly WeightSpec[];
};

function floats(prng: Prng, shape: readonly number[]): WeightSpec {
  const count = shape.reduce((a, b) => a * b, 1);
  return { shape, values: Array.from({ length: count }, () => prng.below(4001) / 1000 - 2) };
}

function integers(...values: readonly number[]): WeightSpec {
  return { shape: [values.length], values, integers: true };
}

function shapeOf(prng: Prng, rank: number, most = 6): readonly number[] {
  return Array.from({ length: rank }, () => 1 + prng.below(most));
}

/** Some dimensions of the shape become 1, and some of the first are left out. */
function repeatable(prng: Prng, shape: readonly number[]): readonly number[] {
  return shape.slice(prng.below(shape.length + 1)).map((size) => (prng.below(3) === 0 ? 1 : size));
}

function axisOf(prng: Prng, rank: number): number {
  return prng.below(2 * rank) - rank;
}

function shuffled(prng: Prng, count: number): readonly number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  return order.map((_, i) => {
    const j = i + prng.below(count - i);
    [order[i], order[j]] = [order[j] as number, order[i] as number];
    return order[i] as number;
  });
}

const USES: Readonly<Record<string, (prng: Prng) => Use>> = {
  "elementwise operators with repeated operands": (prng) => {
    const shape = shapeOf(prng, 1 + prng.below(5));
    const op = ["Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu"][prng.below(7)] as string;
    return { op, shape, others: [floats(prng, repeatable(prng, shape))] };
  },
  "products of matrices": (prng) => {
    const [m, k, n] = [1 + prng.below(70), 1 + prng.below(80), 1 + prng.below(40)] as const;
    const batch = shapeOf(prng, prng.below(3), 3);
    return { op: "MatMul", shape: [...batch, m, k], others: [floats(prng, [...repeatable(prng, batch), k, n])] };
  },
  convolutions: (prng) => {
    const [group, size] = [1 + prng.below(2), 1 + prng.below(3)] as const;
    const [each, outputs] = [1 + prng.below(3), group * (1 + prng.below(9))] as const;
    const steps = (most: number): readonly number[] => [1 + prng.below(most), 1 + prng.below(most)];
    const pads = Array.from({ length: 4 }, () => prng.below(3));
    const side = 6 + prng.below(16);
    return {
      ...{ op: "Conv", shape: [1 + prng.below(2), group * each, side, side + prng.below(5)] },
      others: [floats(prng, [outputs, each, size, size]), floats(prng, [outputs])],
      ...{ int: { group }, ints: { strides: steps(3), dilations: steps(2), pads } },
    };
  },
  pooling: (prng) => {
    const op = prng.below(2) === 0 ? "MaxPool" : "AveragePool";
    const size = 1 + prng.below(3);
    const pads = Array.from({ length: 4 }, () => prng.below(size));
    const ints = { kernel_shape: [size, size], strides: [1 + prng.below(3), 1 + prng.below(2)], pads };
    const side = 5 + prng.below(20);
    const flags = { ceil_mode: prng.below(2), ...(op === "AveragePool" ? { count_include_pad: prng.below(2) } : {}) };
    return { op, shape: [1, 1 + prng.below(6), side, side], ints, int: flags };
  },
  "folding of axes": (prng) => {
    const op = ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceProd", "ReduceL2", "ReduceLogSumExp"][
      prng.below(6)
    ] as string;
    const rank = 1 + prng.below(4);
    const axes = shuffled(prng, rank).slice(0, 1 + prng.below(rank));
    const others = [integers(...axes.map((axis) => (prng.below(2) === 0 ? axis : axis - rank)))];
    return { op, shape: shapeOf(prng, rank, rank < 3 ? 90 : 9), others, int: { keepdims: prng.below(2) } };
  },
  "norms along axes": (prng) => {
    const rank = 1 + prng.below(3);
    const op = ["Softmax", "LogSoftmax", "Hardmax"][prng.below(3)] as string;
    return { op, shape: shapeOf(prng, rank, 20), int: { axis: axisOf(prng, rank) } };
  },
  "turned and cut tensors": (prng) => {
    const rank = 1 + prng.below(5);
    const shape = shapeOf(prng, rank, 7);
    if (prng.below(2) === 0) return { op: "Transpose", shape, ints: { perm: shuffled(prng, rank) } };
    const axis = prng.below(rank);
    const [start, end] = [prng.below(20) - 10, prng.below(20) - 10];
    const step = [-3, -2, -1, 1, 2, 3][prng.below(6)] as number;
    return { op: "Slice", shape, others: [integers(start), integers(end), integers(axis), integers(step)] };
  },
};

async function compare(use: Use, x: WeightSpec): Promise<"same" | "refused" | string> {
  const { op, shape, others = [], int = {}, ints = {}, float = {} } = use;
  const weights = Object.fromEntries(others.map((weight, i) => [`w${i}`, weight]));
  const spec: ModelSpec = {
    nodes: [{ op, in: ["x", ...Object.keys(weights)], out: ["y"], int, ints, float }],
    ...{ inputs: { x: shape }, outputs: ["y"], weights },
  };
  const model = makeModel(spec);
  const values = Float32Array.from(x.values);
  let expected: Tensor;
  try {
    const session = await InferenceSession.create(model, { logSeverityLevel: 4 });
    expected = (await session.run({ x: new Tensor("float32", values, shape) }))["y"] as Tensor;
  } catch {
    return "refused";
  }
  const imported = importModel(decodeModel(model));
  const [out] = imported.outputs;
  if (out?.shape.join() !== expected.dims.join()) return `shape ${out?.shape.join()}, not ${expected.dims.join()}`;
  if (out.buffer === undefined) return "same";
  const checked = checkProgram(imported.program);
  const contents = new Map(imported.constants).set(imported.inputs[0]?.buffer ?? "", new Uint8Array(values.buffer));
  const result = runProgram(checked, new WasmEngine(checked), contents);
  if (result.kind === "trap") return `trap ${result.trap.reason}`;
  const actual = new Float32Array((result.outputs.get(out.buffer) as Uint8Array).slice().buffer);
  const at = [...(expected.data as Float32Array)].findIndex((value, i) => {
    const found = actual[i] as number;
    return !Object.is(found, value) && !(Math.abs(found - value) <= 1e-4 + 1e-4 * Math.abs(value)) && found !== value;
  });
  return at < 0 ? "same" : `element ${at}: ${actual[at]}, not ${expected.data[at]}`;
}

describe("random uses agree with ONNX Runtime:", () => {
  it.each(Object.entries(USES))("%s", async (name, make) => {
    const prng = new Prng(name);
    let same = 0;
    for (let i = 0; i < 12; i++) {
      const use = make(prng);
      const outcome = await compare(use, floats(prng, use.shape));
      if (outcome === "refused") continue;
      expect(outcome, JSON.stringify({ ...use, others: use.others?.map(({ shape }) => shape) })).toBe("same");
      same++;
    }
    expect(same).toBeGreaterThan(3);
  });
});
