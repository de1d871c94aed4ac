/** Reads `.onnx` files. Whatever the bytes are, it ends in a model or in a coded error. */
import { decodeMessage } from "./decode-message.ts";
import { bytesOf, type ElementType, elementTypeOf } from "./element-types.ts";
import { reject } from "./errors.ts";
import { MAX_MODEL_BYTES, MAX_NODES } from "./limits.ts";
import type { Attribute, Graph, Model, ModelInput, ModelNode } from "./model.ts";
import { checkShape, countOf, type Tensor } from "./tensor.ts";

type Wide = number | bigint;

interface RawTensor {
  readonly dims: readonly Wide[];
  readonly dataType: number;
  readonly floatData: readonly number[];
  readonly int32Data: readonly number[];
  readonly int64Data: readonly Wide[];
  readonly doubleData: readonly number[];
  readonly uint64Data: readonly Wide[];
  readonly rawData: Uint8Array;
  readonly dataLocation: number;
  readonly name: string;
}

interface RawAttribute {
  readonly name: string;
  readonly type: number;
  readonly f: number;
  readonly i: Wide;
  readonly s: Uint8Array;
  readonly t: RawTensor | null;
  readonly g: RawGraph | null;
  readonly floats: readonly number[];
  readonly ints: readonly Wide[];
  readonly strings: readonly Uint8Array[];
}

interface RawNode {
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly name: string;
  readonly opType: string;
  readonly domain: string;
  readonly attribute: readonly RawAttribute[];
}

interface RawValueInfo {
  readonly name: string;
  readonly type: {
    readonly tensorType: {
      readonly elemType: number;
      readonly shape: { readonly dim: readonly RawDimension[] } | null;
    } | null;
  } | null;
}

interface RawDimension {
  readonly dimValue?: bigint;
  readonly dimParam?: string;
}

interface RawGraph {
  readonly node: readonly RawNode[];
  readonly initializer: readonly RawTensor[];
  readonly sparseInitializer: readonly unknown[];
  readonly input: readonly RawValueInfo[];
  readonly output: readonly RawValueInfo[];
}

interface RawModel {
  readonly opsetImport: readonly { readonly domain: string; readonly version: Wide }[];
  readonly functions: readonly { readonly name: string }[];
  readonly graph: RawGraph | null;
}

/** Throws ONNX_FORMAT, ONNX_LIMIT or ONNX_UNSUPPORTED. */
export function decodeModel(bytes: Uint8Array): Model {
  if (bytes.length > MAX_MODEL_BYTES) reject("ONNX_LIMIT", `${bytes.length} bytes are more than ${MAX_MODEL_BYTES}`);
  const { graph, opsetImport, functions } = decodeMessage(bytes, "ModelProto") as RawModel;
  if (graph === null) return reject("ONNX_FORMAT", "the model has no graph");
  if (functions.length > 0) reject("ONNX_UNSUPPORTED", "functions of the model's own are not built");
  if (graph.sparseInitializer.length > 0) reject("ONNX_UNSUPPORTED", "sparse tensors are not built");
  if (graph.node.length > MAX_NODES) reject("ONNX_LIMIT", `${graph.node.length} nodes are more than ${MAX_NODES}`);
  const standard = opsetImport.find(({ domain }) => domain === "" || domain === "ai.onnx");
  return {
    opset: standard === undefined ? 1 : numberOf(standard.version),
    nodes: graph.node.map(nodeOf),
    inputs: graph.input.map(inputOf),
    outputs: graph.output.map(({ name }) => name),
    initializers: new Map(graph.initializer.map((raw) => [raw.name, tensorOf(raw)])),
  };
}

function numberOf(value: Wide): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) reject("ONNX_LIMIT", `${value} is too large`);
  return number;
}

/** Ends of ranges are often written as the largest number there is. */
function limitedNumber(value: Wide): number {
  return Number(value);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

function nodeOf({ input, output, name, opType, domain, attribute }: RawNode): ModelNode {
  const attributes = new Map(attribute.map((raw) => [raw.name, attributeOf(raw)]));
  return { name, domain, operator: opType, inputs: input, outputs: output, attributes };
}

/** AttributeProto.AttributeType. */
function attributeOf(raw: RawAttribute): Attribute {
  switch (raw.type) {
    case 1:
      return { kind: "float", value: raw.f };
    case 2:
      return { kind: "int", value: limitedNumber(raw.i) };
    case 3:
      return { kind: "string", value: textOf(raw.s) };
    case 4:
      return raw.t === null ? { kind: "other" } : { kind: "tensor", value: tensorOf(raw.t) };
    case 5:
      return raw.g === null ? { kind: "other" } : { kind: "graph", value: graphOf(raw.g) };
    case 6:
      return { kind: "floats", value: raw.floats };
    case 7:
      return { kind: "ints", value: raw.ints.map(limitedNumber) };
    case 8:
      return { kind: "strings", value: raw.strings.map(textOf) };
    default:
      return { kind: "other" };
  }
}

function graphOf({ node, initializer, sparseInitializer, input, output }: RawGraph): Graph {
  if (sparseInitializer.length > 0) reject("ONNX_UNSUPPORTED", "sparse tensors are not built");
  return {
    nodes: node.map(nodeOf),
    inputs: input.map(({ name }) => name),
    outputs: output.map(({ name }) => name),
    initializers: new Map(initializer.map((raw) => [raw.name, tensorOf(raw)])),
  };
}

function inputOf({ name, type }: RawValueInfo): ModelInput {
  const tensor = type?.tensorType;
  if (tensor === undefined || tensor === null)
    return reject("ONNX_UNSUPPORTED", `input ${name} is no tensor`, { name });
  const shape = (tensor.shape?.dim ?? []).map((dim) => {
    if (dim.dimValue !== undefined) return numberOf(dim.dimValue);
    return dim.dimParam === "" ? undefined : dim.dimParam;
  });
  return { name, type: typeOf(tensor.elemType, name), shape };
}

function typeOf(number: number, name: string): ElementType {
  return elementTypeOf(number) ?? reject("ONNX_UNSUPPORTED", `${name} has elements of type ${number}`, { name });
}

function tensorOf(raw: RawTensor): Tensor {
  const type = typeOf(raw.dataType, raw.name);
  const shape = checkShape(raw.dims.map(numberOf));
  if (raw.dataLocation !== 0) reject("ONNX_UNSUPPORTED", `${raw.name} lies in another file`, { name: raw.name });
  const bytes = raw.rawData.length > 0 ? raw.rawData.slice() : typedBytes(raw, type);
  if (bytes.length !== countOf(shape) * bytesOf(type)) {
    reject("ONNX_FORMAT", `${raw.name}: ${bytes.length} bytes are not ${type}[${shape.join(", ")}]`, {
      name: raw.name,
    });
  }
  return { type, shape, bytes };
}

/** Elements in fields of their own: small types share the one for 32-bit integers. */
function typedBytes(raw: RawTensor, type: ElementType): Uint8Array {
  const size = bytesOf(type);
  const lists: Partial<Record<ElementType, readonly Wide[]>> = {
    ...{ f32: raw.floatData, f64: raw.doubleData, i64: raw.int64Data, u64: raw.uint64Data, u32: raw.uint64Data },
  };
  const values = lists[type] ?? raw.int32Data;
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    const at = i * size;
    if (type === "f32") view.setFloat32(at, value as number, true);
    else if (type === "f64") view.setFloat64(at, value as number, true);
    else if (size === 8) view.setBigInt64(at, BigInt.asIntN(64, BigInt(value)), true);
    else if (size === 4) view.setInt32(at, Number(value) | 0, true);
    else if (size === 2) view.setInt16(at, value as number, true);
    else view.setInt8(at, value as number);
  });
  return bytes;
}
