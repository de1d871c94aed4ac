/** Small ONNX files, made as an exporter would. */
import { SCHEMA } from "../../../../compute/onnx/schema.ts";

export interface NodeSpec {
  readonly op: string;
  readonly in: readonly string[];
  readonly out: readonly string[];
  readonly ints?: Readonly<Record<string, readonly number[]>>;
  readonly int?: Readonly<Record<string, number>>;
  readonly float?: Readonly<Record<string, number>>;
}

/** Numbers of a weight: f32, or i64 for shapes. */
export interface WeightSpec {
  readonly shape: readonly number[];
  readonly values: readonly number[];
  readonly integers?: boolean;
}

export interface ModelSpec {
  readonly opset?: number;
  readonly nodes: readonly NodeSpec[];
  readonly inputs: Readonly<Record<string, readonly (number | string)[]>>;
  readonly outputs: readonly string[];
  readonly weights: Readonly<Record<string, WeightSpec>>;
}

function attributes({ ints = {}, int = {}, float = {} }: NodeSpec): readonly object[] {
  return [
    ...Object.entries(ints).map(([name, values]) => ({ name, type: 7, ints: values })),
    ...Object.entries(int).map(([name, value]) => ({ name, type: 2, i: value })),
    ...Object.entries(float).map(([name, value]) => ({ name, type: 1, f: value })),
  ];
}

function info(name: string, shape: readonly (number | string)[]): object {
  const dim = shape.map((size) => (typeof size === "number" ? { dimValue: size } : { dimParam: size }));
  return { name, type: { tensorType: { elemType: 1, shape: { dim } } } };
}

export function makeModel({ opset = 21, nodes, inputs, outputs, weights }: ModelSpec): Uint8Array {
  const type = SCHEMA.lookupType("ModelProto");
  const initializer = Object.entries(weights).map(([name, { shape, values, integers = false }]) => {
    if (integers) return { name, dataType: 7, dims: shape, int64Data: values };
    const raw = new Uint8Array(new Float32Array(values).buffer);
    return { name, dataType: 1, dims: shape, rawData: raw };
  });
  const graph = {
    node: nodes.map((node, i) => ({
      ...{ name: `node${i}`, opType: node.op, input: node.in, output: node.out },
      attribute: attributes(node),
    })),
    initializer,
    input: Object.entries(inputs).map(([name, shape]) => info(name, shape)),
    output: outputs.map((name) => ({ name, type: { tensorType: { elemType: 1 } } })),
  };
  return type.encode(type.fromObject({ irVersion: 10, opsetImport: [{ domain: "", version: opset }], graph })).finish();
}
