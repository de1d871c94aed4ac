/**
 * A convolution whose result is normalised by constants becomes one with other constants: what a trained network is made of
 * takes a convolution and a sum then, instead of two more passes over its largest tensors, each of which would be committed
 * to. The weights are worked out in double precision and rounded once.
 */
import type { Model, ModelNode } from "./model.ts";
import { countOf, type Tensor } from "./tensor.ts";

const DEFAULT_EPSILON: number = Math.fround(1e-5);

export function foldNorms(model: Model): Model {
  const norms = model.nodes.filter(({ operator }) => operator === "BatchNormalization");
  const hasGraphs = model.nodes.some(({ attributes }) => [...attributes.values()].some(({ kind }) => kind === "graph"));
  // Bodies of loops may name values of the graph around them.
  return norms.length === 0 || hasGraphs ? model : new NormFolding(model).run(norms);
}

class NormFolding {
  readonly #model: Model;
  readonly #initializers: Map<string, Tensor>;
  readonly #makers: ReadonlyMap<string, ModelNode>;
  /** How many inputs and outputs each value is. */
  readonly #uses = new Map<string, number>();
  /** Node -> what takes its place, if anything does. */
  readonly #replaced = new Map<ModelNode, ModelNode | undefined>();

  constructor(model: Model) {
    this.#model = model;
    this.#initializers = new Map(model.initializers);
    this.#makers = new Map(model.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
    for (const name of [...model.nodes.flatMap(({ inputs }) => inputs), ...model.outputs]) {
      this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1);
    }
  }

  run(norms: readonly ModelNode[]): Model {
    for (const norm of norms) this.#fold(norm);
    const nodes = this.#model.nodes.flatMap((node) => {
      const now = this.#replaced.has(node) ? this.#replaced.get(node) : node;
      return now === undefined ? [] : [now];
    });
    return { ...this.#model, nodes, initializers: this.#initializers };
  }

  #fold(norm: ModelNode): void {
    const [x = "", ...names] = norm.inputs;
    const conv = this.#makers.get(x);
    if (conv?.operator !== "Conv" || !isStandard(conv) || !isStandard(norm) || this.#replaced.has(conv)) return;
    if (this.#uses.get(x) !== 1 || !isInference(norm)) return;
    const [image = "", weightName = "", biasName = ""] = conv.inputs;
    const weights = this.#constant(weightName);
    const outputs = weights?.shape[0] ?? 0;
    const bias = biasName === "" ? new Float32Array(outputs) : this.#vector(biasName, outputs);
    const [scale, shift, mean, variance] = names.map((name) => this.#vector(name, outputs));
    if (weights === undefined || outputs === 0 || !bias || !scale || !shift || !mean || !variance) return;
    const given = norm.attributes.get("epsilon");
    const epsilon = given?.kind === "float" ? given.value : DEFAULT_EPSILON;
    const factors = Array.from(scale, (value, i) => value / Math.sqrt((variance[i] as number) + epsilon));
    const each = countOf(weights.shape) / outputs;
    const scaled = floatsOf(weights).map((value, i) => value * (factors[Math.floor(i / each)] as number));
    const moved = bias.map((value, i) => (value - (mean[i] as number)) * (factors[i] as number) + (shift[i] as number));
    if (![...scaled, ...moved].every(Number.isFinite)) return;
    const inputs = [
      image,
      this.#add(norm, "weights", weights.shape, scaled),
      this.#add(norm, "bias", [outputs], moved),
    ];
    this.#replaced.set(conv, { ...conv, inputs, outputs: [norm.outputs[0] as string] });
    this.#replaced.set(norm, undefined);
  }

  #constant(name: string): Tensor | undefined {
    const found = this.#initializers.get(name);
    return found?.type === "f32" ? found : undefined;
  }

  #vector(name: string, length: number): Float32Array | undefined {
    const found = this.#constant(name);
    return found?.shape.length === 1 && found.shape[0] === length ? floatsOf(found) : undefined;
  }

  /** Under a name that nothing else has. */
  #add(norm: ModelNode, what: string, shape: readonly number[], values: Float32Array): string {
    let name = `${norm.outputs[0]} ${what}`;
    while (this.#uses.has(name) || this.#makers.has(name) || this.#initializers.has(name)) name += "'";
    this.#initializers.set(name, { type: "f32", shape, bytes: new Uint8Array(values.buffer) });
    return name;
  }
}

function isStandard({ domain }: ModelNode): boolean {
  return domain === "" || domain === "ai.onnx";
}

/** As it is computed after training, for each channel. */
function isInference({ attributes, inputs, outputs }: ModelNode): boolean {
  const integer = (name: string, otherwise: number): number => {
    const found = attributes.get(name);
    return found?.kind === "int" ? found.value : otherwise;
  };
  const isPlain = inputs.length === 5 && outputs.filter((name) => name !== "").length === 1 && outputs[0] !== "";
  return isPlain && integer("training_mode", 0) === 0 && integer("spatial", 1) === 1;
}

/** A copy, which does not change the model. */
function floatsOf({ bytes }: Tensor): Float32Array<ArrayBuffer> {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
