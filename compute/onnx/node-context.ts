/** One node while it is lowered: its inputs, its attributes, and what it makes of them. */
import type { Value } from "./builder.ts";
import { onnxError, reject } from "./errors.ts";
import type { Graph, ModelNode } from "./model.ts";
import type { Ops } from "./ops.ts";
import type { Tensor } from "./tensor.ts";

/** Gives the node's outputs in their order; trailing ones that nobody asked for may be missing. */
export type Lowering = (context: NodeContext) => readonly (Value | undefined)[];

/** Lowers a graph within a node; it sees the values around the node. */
export type GraphRunner = (graph: Graph, inputs: readonly Value[]) => readonly Value[];

export class NodeContext {
  readonly ops: Ops;
  readonly node: ModelNode;
  readonly opset: number;
  readonly inputs: readonly (Value | undefined)[];

  readonly #runGraph: GraphRunner | undefined;

  constructor(
    ops: Ops,
    node: ModelNode,
    opset: number,
    inputs: readonly (Value | undefined)[],
    runGraph?: GraphRunner,
  ) {
    this.#runGraph = runGraph;
    this.ops = ops;
    this.node = node;
    this.opset = opset;
    this.inputs = inputs;
  }

  input(index: number): Value {
    return this.inputs[index] ?? reject("ONNX_FORMAT", `input ${index} is missing`);
  }

  maybe(index: number): Value | undefined {
    return this.inputs[index];
  }

  /** Whether somebody wants output `index`. */
  wants(index: number): boolean {
    return (this.node.outputs[index] ?? "") !== "";
  }

  has(name: string): boolean {
    return this.node.attributes.has(name);
  }

  int(name: string, otherwise: number): number {
    const attribute = this.node.attributes.get(name);
    return attribute?.kind === "int" ? attribute.value : otherwise;
  }

  float(name: string, otherwise: number): number {
    const attribute = this.node.attributes.get(name);
    return attribute?.kind === "float" || attribute?.kind === "int" ? attribute.value : otherwise;
  }

  text(name: string, otherwise: string): string {
    const attribute = this.node.attributes.get(name);
    return attribute?.kind === "string" ? attribute.value : otherwise;
  }

  ints(name: string): readonly number[] | undefined {
    const attribute = this.node.attributes.get(name);
    // A list without elements has no kind of its own.
    if (attribute?.kind === "floats" && attribute.value.length === 0) return [];
    return attribute?.kind === "ints" ? attribute.value : undefined;
  }

  floats(name: string): readonly number[] | undefined {
    const attribute = this.node.attributes.get(name);
    return attribute?.kind === "floats" || attribute?.kind === "ints" ? attribute.value : undefined;
  }

  tensor(name: string): Tensor | undefined {
    const attribute = this.node.attributes.get(name);
    return attribute?.kind === "tensor" ? attribute.value : undefined;
  }

  graph(name: string): Graph {
    const attribute = this.node.attributes.get(name);
    return attribute?.kind === "graph" ? attribute.value : reject("ONNX_FORMAT", `the graph ${name} is missing`);
  }

  run(graph: Graph, inputs: readonly Value[]): readonly Value[] {
    return this.#runGraph?.(graph, inputs) ?? this.unsupported("graphs within nodes");
  }

  /** The numbers of an input on which the shape of the result depends; `undefined` when it is left out. */
  known(index: number): readonly number[] | undefined {
    const value = this.maybe(index);
    if (value === undefined) return undefined;
    const numbers = this.ops.builder.knownNumbers(value);
    if (numbers !== undefined) return numbers;
    const name = this.node.inputs[index] ?? "";
    throw onnxError("ONNX_DYNAMIC", `the result's shape depends on ${name}, which is not known before the run`, {
      name,
    });
  }

  /** From an attribute in older versions, from an input since. */
  listed(name: string, index: number): readonly number[] | undefined {
    return this.ints(name) ?? this.known(index);
  }

  unsupported(what: string): never {
    return reject("ONNX_UNSUPPORTED", what);
  }
}
