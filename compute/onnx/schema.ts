/**
 * The messages of an ONNX file that we read, by the field numbers of the published format (onnx.proto3). Fields that are
 * not listed are skipped by the decoder, so documentation, metadata and training information cost nothing.
 */

export interface FieldSpec {
  /** A scalar of Protocol Buffers, or the name of a message. */
  readonly type: string;
  readonly id: number;
  /** `optional`: absent is something else than zero. */
  readonly rule?: "repeated" | "optional";
}

export interface MessageSpec {
  readonly fields: Readonly<Record<string, FieldSpec>>;
}

const OPTIONAL_STRING = { type: "string" } as const;

export const SCHEMA: Readonly<Record<string, MessageSpec>> = {
  ModelProto: {
    fields: {
      irVersion: { type: "int64", id: 1 },
      opsetImport: { rule: "repeated", type: "OperatorSetIdProto", id: 8 },
      graph: { type: "GraphProto", id: 7 },
      functions: { rule: "repeated", type: "FunctionProto", id: 25 },
    },
  },
  OperatorSetIdProto: { fields: { domain: { ...OPTIONAL_STRING, id: 1 }, version: { type: "int64", id: 2 } } },
  FunctionProto: { fields: { name: { ...OPTIONAL_STRING, id: 1 } } },
  GraphProto: {
    fields: {
      node: { rule: "repeated", type: "NodeProto", id: 1 },
      name: { ...OPTIONAL_STRING, id: 2 },
      initializer: { rule: "repeated", type: "TensorProto", id: 5 },
      sparseInitializer: { rule: "repeated", type: "SparseTensorProto", id: 15 },
      input: { rule: "repeated", type: "ValueInfoProto", id: 11 },
      output: { rule: "repeated", type: "ValueInfoProto", id: 12 },
    },
  },
  SparseTensorProto: { fields: { values: { type: "TensorProto", id: 1 } } },
  NodeProto: {
    fields: {
      input: { rule: "repeated", type: "string", id: 1 },
      output: { rule: "repeated", type: "string", id: 2 },
      name: { ...OPTIONAL_STRING, id: 3 },
      opType: { ...OPTIONAL_STRING, id: 4 },
      attribute: { rule: "repeated", type: "AttributeProto", id: 5 },
      domain: { ...OPTIONAL_STRING, id: 7 },
    },
  },
  AttributeProto: {
    fields: {
      name: { ...OPTIONAL_STRING, id: 1 },
      type: { type: "int32", id: 20 },
      f: { type: "float", id: 2 },
      i: { type: "int64", id: 3 },
      s: { type: "bytes", id: 4 },
      t: { type: "TensorProto", id: 5 },
      g: { type: "GraphProto", id: 6 },
      floats: { rule: "repeated", type: "float", id: 7 },
      ints: { rule: "repeated", type: "int64", id: 8 },
      strings: { rule: "repeated", type: "bytes", id: 9 },
    },
  },
  TensorProto: {
    fields: {
      dims: { rule: "repeated", type: "int64", id: 1 },
      dataType: { type: "int32", id: 2 },
      floatData: { rule: "repeated", type: "float", id: 4 },
      int32Data: { rule: "repeated", type: "int32", id: 5 },
      int64Data: { rule: "repeated", type: "int64", id: 7 },
      name: { ...OPTIONAL_STRING, id: 8 },
      rawData: { type: "bytes", id: 9 },
      doubleData: { rule: "repeated", type: "double", id: 10 },
      uint64Data: { rule: "repeated", type: "uint64", id: 11 },
      dataLocation: { type: "int32", id: 14 },
    },
  },
  ValueInfoProto: { fields: { name: { ...OPTIONAL_STRING, id: 1 }, type: { type: "TypeProto", id: 2 } } },
  TypeProto: { fields: { tensorType: { type: "TypeProtoTensor", id: 1 } } },
  TypeProtoTensor: { fields: { elemType: { type: "int32", id: 1 }, shape: { type: "TensorShapeProto", id: 2 } } },
  TensorShapeProto: { fields: { dim: { rule: "repeated", type: "Dimension", id: 1 } } },
  Dimension: {
    fields: {
      dimValue: { rule: "optional", type: "int64", id: 1 },
      dimParam: { rule: "optional", type: "string", id: 2 },
    },
  },
};
