/** From a model to a program: every operator becomes launches of standard kernels, so that every tile can be checked. */
import { isCoded } from "../../base/errors.ts";
import type { Program } from "../program/types.ts";
import { assemble } from "./assemble.ts";
import { Builder, type Value } from "./builder.ts";
import type { ElementType } from "./element-types.ts";
import { onnxError, reject } from "./errors.ts";
import { foldNorms } from "./fold-norms.ts";
import { MAX_NODES } from "./limits.ts";
import type { Graph, Model, ModelNode, SettledInput } from "./model.ts";
import { NodeContext } from "./node-context.ts";
import { loweringOf } from "./operators.ts";
import { Ops } from "./ops.ts";
import { checkShape, type Shape, type Tensor } from "./tensor.ts";

export interface ImportOptions {
  /** Sizes that the model only names. */
  readonly sizes?: ReadonlyMap<string, number>;
  /** Values of inputs that the program may be made for, where a shape depends on them. */
  readonly values?: ReadonlyMap<string, Tensor>;
}

export interface ImportedTensor {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: Shape;
  /** The program's buffer; `undefined` for a tensor without elements. */
  readonly buffer: string | undefined;
}

export interface ImportedModel {
  readonly program: Program;
  readonly inputs: readonly ImportedTensor[];
  readonly outputs: readonly ImportedTensor[];
  /** Contents of the program's constants, by buffer. */
  readonly constants: ReadonlyMap<string, Uint8Array>;
  /** Inputs whose values the program was made for: with others it would be another program. */
  readonly bound: readonly string[];
}

/** Throws ONNX_UNSUPPORTED, ONNX_SHAPE or ONNX_DYNAMIC, each naming the node. */
export function importModel(model: Model, options: ImportOptions = {}): ImportedModel {
  return new Import(foldNorms(model), options).run();
}

/** Values by their names, those of the graphs around included. */
class Scope {
  readonly #own = new Map<string, Value>();
  readonly #around: Scope | undefined;

  constructor(around?: Scope) {
    this.#around = around;
  }

  get(name: string): Value | undefined {
    return this.#own.get(name) ?? this.#around?.get(name);
  }

  set(name: string, value: Value): void {
    this.#own.set(name, value);
  }
}

class Import {
  readonly #model: Model;
  readonly #options: ImportOptions;
  readonly #builder: Builder;
  readonly #ops: Ops;
  readonly #values = new Scope();
  /** Nodes that were lowered, loops written out, and graphs within them. */
  #nodes = 0;

  constructor(model: Model, options: ImportOptions) {
    this.#model = model;
    this.#options = options;
    this.#builder = new Builder(options.values ?? new Map());
    this.#ops = new Ops(this.#builder);
  }

  run(): ImportedModel {
    const { nodes, initializers, outputs } = this.#model;
    for (const [name, tensor] of initializers) this.#values.set(name, this.#builder.constant(tensor));
    const inputs = this.#model.inputs.filter(({ name }) => !initializers.has(name)).map((input) => this.#settle(input));
    for (const { name, type, shape } of inputs) this.#values.set(name, this.#builder.input(name, type, shape));
    for (const node of nodes) this.#node(node, this.#values);
    const results = this.#results(outputs);
    const given = new Map(inputs.map(({ name }) => [name, this.#values.get(name) as Value]));
    const assembled = assemble(this.#builder, given, results);
    return {
      program: assembled.program,
      inputs: inputs.map((input) => ({ ...input, buffer: assembled.inputs.get(input.name) })),
      outputs: results.map(({ type, shape }, i) => ({
        ...{ name: outputs[i] as string, type, shape },
        buffer: assembled.outputs[i],
      })),
      constants: assembled.constants,
      bound: [...this.#builder.bound],
    };
  }

  #settle({ name, type, shape }: Model["inputs"][number]): SettledInput {
    const sizes = shape.map((size, d) => {
      if (typeof size === "number") return size;
      const found = size === undefined ? undefined : this.#options.sizes?.get(size);
      return (
        found ??
        this.#options.values?.get(name)?.shape[d] ??
        reject("ONNX_DYNAMIC", `input ${name}: size ${size ?? d} is not given`, { name })
      );
    });
    return { name, type, shape: checkShape(sizes) };
  }

  /** In a scope of its own, which begins with what is known around it. */
  #graph({ nodes, inputs, outputs, initializers }: Graph, given: readonly Value[], around: Scope): readonly Value[] {
    this.#count();
    const values = new Scope(around);
    for (const [name, tensor] of initializers) values.set(name, this.#builder.constant(tensor));
    inputs.forEach((name, i) => {
      const value = given[i];
      if (value !== undefined) values.set(name, value);
    });
    for (const node of nodes) this.#node(node, values);
    return outputs.map((name) => values.get(name) ?? reject("ONNX_FORMAT", `nothing makes ${name}`));
  }

  /** Bodies without nodes count too: loops within loops would go through them for ever. */
  #count(): void {
    if (++this.#nodes > MAX_NODES) reject("ONNX_LIMIT", `the model has more than ${MAX_NODES} nodes`);
  }

  #node(node: ModelNode, values: Scope): void {
    this.#count();
    const label = `${node.operator} ${node.name === "" ? (node.outputs[0] ?? "") : node.name}`;
    const data = { node: node.name, operator: node.operator };
    const lowering = loweringOf(node.domain, node.operator);
    if (lowering === undefined) {
      const from = node.domain === "" ? "" : ` of ${node.domain}`;
      throw onnxError("ONNX_UNSUPPORTED", `${label}: the operator${from} is not built`, data);
    }
    const inputs = node.inputs.map((name) => this.#input(name, label, values));
    try {
      const runGraph = (graph: Graph, given: readonly Value[]): readonly Value[] => this.#graph(graph, given, values);
      const made = lowering(new NodeContext(this.#ops, node, this.#model.opset, inputs, runGraph));
      node.outputs.forEach((name, i) => {
        const value = made[i];
        if (name === "") return;
        if (value === undefined) throw onnxError("ONNX_UNSUPPORTED", `output ${i} is not built`, data);
        values.set(name, value);
      });
    } catch (error) {
      if (!isCoded(error)) throw error;
      throw onnxError(error.code as "ONNX_SHAPE", `${label}: ${error.message}`, { ...error.data, ...data });
    }
  }

  #input(name: string, label: string, values: Scope): Value | undefined {
    if (name === "") return undefined;
    return values.get(name) ?? reject("ONNX_FORMAT", `${label}: nothing before it makes ${name}`);
  }

  /** Each output in a store of its own that a launch makes, so that it is committed to. */
  #results(names: readonly string[]): readonly Value[] {
    const seen = new Set<number>();
    return names.map((name) => {
      const value = this.#values.get(name) ?? reject("ONNX_FORMAT", `nothing makes the output ${name}`);
      const store = this.#builder.stores[value.store];
      const own = store?.kind === "empty" || (store?.kind === "made" && !seen.has(value.store));
      const result = own ? value : this.#ops.copy(value);
      seen.add(result.store);
      return result;
    });
  }
}
