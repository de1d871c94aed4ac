/** Small ONNX files, made as an exporter would. */
import protobuf from "protobufjs/light.js";
import { SCHEMA } from "../../../../compute/onnx/schema.ts";

/** The published encoder, by the same schema. */
export const MODEL: protobuf.Type = protobuf.Root.fromJSON({ nested: SCHEMA } as protobuf.INamespace).lookupType(
  "ModelProto",
);

export interface NodeSpec {
  readonly op: string;
  readonly in: readonly string[];
  readonly out: readonly string[];
  readonly ints?: Readonly<Record<string, readonly number[]>>;
  readonly int?: Readonly<Record<string, number>>;
  readonly float?: Readonly<Record<string, number>>;
  readonly floats?: Readonly<Record<string, readonly number[]>>;
  readonly text?: Readonly<Record<string, string>>;
  readonly graphs?: Readonly<Record<string, GraphSpec>>;
}

/** The body of a loop or a branch. Types are numbers of TensorProto.DataType, f32 when not given. */
export interface GraphSpec {
  readonly nodes: readonly NodeSpec[];
  readonly inputs: Readonly<Record<string, readonly (number | string)[]>>;
  readonly outputs: Readonly<Record<string, readonly (number | string)[]>>;
  readonly types?: Readonly<Record<string, number>>;
  readonly weights?: Readonly<Record<string, WeightSpec>>;
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
  readonly types?: Readonly<Record<string, number>>;
  readonly weights: Readonly<Record<string, WeightSpec>>;
}

function attributes({
  ints = {},
  int = {},
  float = {},
  floats = {},
  text = {},
  graphs = {},
}: NodeSpec): readonly object[] {
  return [
    ...Object.entries(ints).map(([name, values]) => ({ name, type: 7, ints: values })),
    ...Object.entries(int).map(([name, value]) => ({ name, type: 2, i: value })),
    ...Object.entries(float).map(([name, value]) => ({ name, type: 1, f: value })),
    ...Object.entries(floats).map(([name, values]) => ({ name, type: 6, floats: values })),
    ...Object.entries(text).map(([name, value]) => ({ name, type: 3, s: new TextEncoder().encode(value) })),
    ...Object.entries(graphs).map(([name, graph]) => ({ name, type: 5, g: graphOf(name, graph) })),
  ];
}

function graphOf(name: string, { nodes, inputs, outputs, types = {}, weights = {} }: GraphSpec): object {
  const infos = (of: GraphSpec["inputs"]): readonly object[] =>
    Object.entries(of).map(([value, shape]) => info(value, shape, types[value]));
  return {
    name,
    node: nodes.map(nodeOf),
    initializer: weightsOf(weights),
    input: infos(inputs),
    output: infos(outputs),
  };
}

function nodeOf(node: NodeSpec, i: number): object {
  const { op, in: input, out: output } = node;
  return { name: `node${i}`, opType: op, input, output, attribute: attributes(node) };
}

function info(name: string, shape: readonly (number | string)[], elemType = 1): object {
  const dim = shape.map((size) => (typeof size === "number" ? { dimValue: size } : { dimParam: size }));
  return { name, type: { tensorType: { elemType, shape: { dim } } } };
}

function weightsOf(weights: Readonly<Record<string, WeightSpec>>): readonly object[] {
  return Object.entries(weights).map(([name, { shape, values, integers = false }]) => {
    if (integers) return { name, dataType: 7, dims: shape, int64Data: values };
    const raw = new Uint8Array(new Float32Array(values).buffer);
    return { name, dataType: 1, dims: shape, rawData: raw };
  });
}

export function makeModel({ opset = 21, nodes, inputs, outputs, types = {}, weights }: ModelSpec): Uint8Array {
  const graph = {
    name: "model",
    node: nodes.map(nodeOf),
    initializer: weightsOf(weights),
    input: Object.entries(inputs).map(([name, shape]) => info(name, shape, types[name])),
    output: outputs.map((name) => ({ name, type: { tensorType: { elemType: types[name] ?? 1 } } })),
  };
  return MODEL.encode(
    MODEL.fromObject({ irVersion: 10, opsetImport: [{ domain: "", version: opset }], graph }),
  ).finish();
}
