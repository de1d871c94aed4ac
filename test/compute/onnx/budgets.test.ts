/** Launches of operators at sizes that fill whole blocks: no tile runs out of the budget that lowering gave it. */
import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { bytesOf, type ElementType } from "../../../compute/onnx/element-types.ts";
import { importModel } from "../../../compute/onnx/import-model.ts";
import type { Attribute } from "../../../compute/onnx/model.ts";
import { countOf, type Tensor, tensorOf } from "../../../compute/onnx/tensor.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";

interface Case {
  readonly op: string;
  readonly inputs: readonly (Tensor | undefined)[];
  readonly attributes?: Readonly<Record<string, number | string | readonly number[]>>;
  readonly outputs?: number;
}

const prng = new Prng("budgets");

/** Numbers of every kind: small, large and odd ones. */
function tensor(type: ElementType, shape: readonly number[], most = 0): Tensor {
  const bytes = prng.bytes(countOf(shape) * bytesOf(type));
  if (type === "bool") return { type, shape, bytes: bytes.map((byte) => byte & 1) };
  if (most === 0) return { type, shape, bytes };
  return tensorOf(
    type,
    shape,
    Array.from({ length: countOf(shape) }, () => prng.below(most)),
  );
}

function ints(...values: readonly number[]): Tensor {
  return tensorOf("i64", [values.length], values);
}

function attributeOf(value: number | string | readonly number[]): Attribute {
  if (typeof value === "string") return { kind: "string", value };
  if (typeof value === "number") return { kind: Number.isInteger(value) ? "int" : "float", value };
  return { kind: "ints", value };
}

const LEFT = [7, 1, 9, 1, 5];
const RIGHT = [1, 11, 1, 8, 5];

const BINARY = ["Add", "Mul", "Div", "Min", "Max", "Less", "GreaterOrEqual", "Equal"];
const UNARY = [
  ...["Exp", "Log", "Tanh", "Erf", "Sigmoid", "Gelu", "Elu", "Selu", "Celu", "Mish", "Softplus", "HardSwish", "Sin"],
  ...["Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Round", "Sign", "Shrink"],
];

const CASES: readonly Case[] = [
  ...UNARY.map((op) => ({ op, inputs: [tensor("f32", [3000])] })),
  ...BINARY.flatMap((op) =>
    (["f32", "f64", "f16", "i8", "u64"] as const).map((type) => ({
      op,
      inputs: [tensor(type, LEFT), tensor(type, RIGHT)],
    })),
  ),
  { op: "Pow", inputs: [tensor("f32", LEFT), tensor("f32", RIGHT)] },
  { op: "Pow", inputs: [tensor("i64", LEFT), tensor("i64", RIGHT)] },
  { op: "Mod", inputs: [tensor("f64", LEFT), tensor("f64", RIGHT)], attributes: { fmod: 1 } },
  { op: "Mod", inputs: [tensor("i64", LEFT), tensor("i64", RIGHT)] },
  { op: "Where", inputs: [tensor("bool", LEFT), tensor("f64", RIGHT), tensor("f64", [5])] },
  { op: "Cast", inputs: [tensor("f64", [3000])], attributes: { to: 10 } },
  { op: "Cast", inputs: [tensor("u64", [3000])], attributes: { to: 1 } },
  { op: "Transpose", inputs: [tensor("u8", [5, 6, 7, 4, 3])], attributes: { perm: [4, 2, 0, 3, 1] } },
  { op: "Pad", inputs: [tensor("f32", [5, 6, 7, 4]), ints(2, 3, 1, 2, 4, 0, 3, 1)], attributes: { mode: "reflect" } },
  { op: "Concat", inputs: [tensor("i16", [9, 20, 7]), tensor("i16", [9, 3, 7])], attributes: { axis: 1 } },
  { op: "Gather", inputs: [tensor("f32", [9, 20, 7]), tensor("i64", [13, 3], 20)], attributes: { axis: 1 } },
  { op: "GatherElements", inputs: [tensor("f64", [9, 20, 7]), tensor("i64", [9, 31, 7], 20)], attributes: { axis: 1 } },
  { op: "GatherND", inputs: [tensor("u8", [3, 4, 5, 6, 7]), tensor("i64", [90, 4], 3)] },
  { op: "ScatterElements", inputs: [tensor("u8", [40, 30]), tensor("i64", [50, 30], 40), tensor("u8", [50, 30])] },
  {
    ...{ op: "ScatterElements", attributes: { reduction: "mul" } },
    inputs: [tensor("f32", [40, 30]), tensor("i64", [50, 30], 40), tensor("f32", [50, 30])],
  },
  {
    ...{ op: "ScatterND", attributes: { reduction: "add" } },
    inputs: [tensor("f32", [4, 5, 6, 10]), tensor("i64", [30, 4], 4), tensor("f32", [30])],
  },
  ...["ReduceSum", "ReduceMax", "ReduceProd", "ReduceL2", "ReduceLogSumExp", "ReduceMean"].map((op) => ({
    ...{ op, inputs: [tensor("f32", [70, 50])], attributes: { axes: [1] } },
  })),
  ...["ReduceSum", "ReduceMax", "ReduceMin"].map((op) => ({
    ...{ op, inputs: [tensor("u64", [70, 50])], attributes: { axes: [1] } },
  })),
  ...["ArgMax", "Softmax", "LogSoftmax", "Hardmax"].map((op) => ({ op, inputs: [tensor("f32", [70, 50])] })),
  { op: "ArgMin", inputs: [tensor("i16", [70, 50])] },
  { op: "CumSum", inputs: [tensor("f64", [70, 50]), ints(1)] },
  { op: "TopK", inputs: [tensor("f32", [70, 50]), ints(20)], outputs: 2 },
  { op: "TopK", inputs: [tensor("i8", [70, 50]), ints(20)], outputs: 2 },
  { op: "MatMul", inputs: [tensor("f32", [3, 2, 20, 30]), tensor("f32", [2, 30, 25])] },
  { op: "MatMul", inputs: [tensor("f64", [20, 30]), tensor("f64", [30, 90])] },
  { op: "MatMul", inputs: [tensor("f32", [90, 70]), tensor("f32", [70, 80])] },
  {
    op: "Conv",
    inputs: [tensor("f32", [1, 4, 9, 9, 9]), tensor("f32", [6, 4, 3, 3, 3])],
    attributes: { pads: [1, 1, 1, 1, 1, 1] },
  },
  {
    op: "Conv",
    inputs: [tensor("f32", [2, 6, 20, 20]), tensor("f32", [8, 3, 3, 3])],
    attributes: { group: 2, pads: [1, 1, 1, 1] },
  },
  { op: "ConvInteger", inputs: [tensor("u8", [1, 4, 20, 20]), tensor("u8", [6, 4, 3, 3])] },
  {
    op: "ConvTranspose",
    inputs: [tensor("f32", [1, 4, 12, 12]), tensor("f32", [4, 5, 3, 3])],
    attributes: { strides: [2, 2] },
  },
  { op: "MaxPool", inputs: [tensor("f32", [2, 3, 9, 9, 9])], attributes: { kernel_shape: [3, 3, 3] }, outputs: 2 },
  { op: "AveragePool", inputs: [tensor("f32", [2, 3, 30, 30])], attributes: { kernel_shape: [4, 4], ceil_mode: 1 } },
  { op: "LpPool", inputs: [tensor("f32", [2, 3, 30, 30])], attributes: { kernel_shape: [3, 3], p: 3 } },
  {
    op: "Resize",
    inputs: [tensor("f32", [1, 3, 20, 20]), undefined, undefined, ints(1, 3, 33, 41)],
    attributes: { mode: "cubic" },
  },
  {
    op: "GridSample",
    inputs: [tensor("f32", [1, 3, 9, 9]), tensor("f32", [1, 30, 30, 2])],
    attributes: { mode: "cubic", padding_mode: "reflection" },
  },
  { op: "GridSample", inputs: [tensor("f32", [1, 3, 5, 6, 7]), tensor("f32", [1, 10, 9, 8, 3])] },
  { op: "Det", inputs: [tensor("f32", [70, 16, 16])] },
  { op: "LRN", inputs: [tensor("f32", [2, 9, 8, 8])], attributes: { size: 5 } },
  { op: "LayerNormalization", inputs: [tensor("f32", [9, 300]), tensor("f32", [300]), tensor("f32", [300])] },
  { op: "RMSNormalization", inputs: [tensor("f32", [9, 300]), tensor("f32", [300])] },
];

describe("the budget of a tile is enough", () => {
  it.each(
    CASES.map((test) => [`${test.op} of ${test.inputs[0]?.type}[${test.inputs[0]?.shape.join()}]`, test] as const),
  )("for %s", (_name, { op, inputs, attributes = {}, outputs = 1 }) => {
    const names = inputs.map((given, i) => (given === undefined ? "" : `x${i}`));
    const values = new Map<string, Tensor>(
      inputs.flatMap((given, i) => (given === undefined ? [] : [[`x${i}`, given] as const])),
    );
    const made = Array.from({ length: outputs }, (_, i) => `y${i}`);
    const node = {
      ...{ name: "", domain: "", operator: op, inputs: names, outputs: made },
      attributes: new Map(Object.entries(attributes).map(([name, value]) => [name, attributeOf(value)])),
    };
    const declared = [...values].map(([name, { type, shape }]) => ({ name, type, shape }));
    const opset = op.startsWith("Reduce") ? 12 : 22;
    const model = { opset, nodes: [node], inputs: declared, outputs: made, initializers: new Map() };
    const imported = importModel(model, { values });
    const contents = new Map(imported.constants);
    for (const { name, buffer } of imported.inputs)
      contents.set(buffer as string, values.get(name)?.bytes as Uint8Array);
    const checked = checkProgram(imported.program);
    const result = runProgram(checked, new WasmEngine(checked), contents);
    const { steps, kernels } = imported.program;
    const at = result.kind === "trap" ? steps[result.trap.launch] : undefined;
    const entry = at?.kind === "launch" ? kernels[at.kernel]?.entry : undefined;
    expect({ entry, ...result }).toMatchObject({ kind: "done" });
  });
});
