/** Models of the shapes that people run: a residual network, a transformer encoder, a decoder with a mask. */
import { Prng } from "../../../../base/prng.ts";
import type { ModelSpec, NodeSpec, WeightSpec } from "./make-model.ts";

/** Grows a model node by node; each method gives the name of what it made. */
export class ModelMaker {
  readonly nodes: NodeSpec[] = [];
  readonly weights: Record<string, WeightSpec> = {};
  readonly #prng: Prng;

  constructor(seed: string) {
    this.#prng = new Prng(seed);
  }

  node(op: string, inputs: readonly string[], attributes: Omit<NodeSpec, "op" | "in" | "out"> = {}): string {
    const out = `v${this.nodes.length}`;
    this.nodes.push({ op, in: inputs, out: [out], ...attributes });
    return out;
  }

  /** Numbers of about the size that keeps a layer's output as large as its input. */
  weight(shape: readonly number[], scale = 0, centre = 0): string {
    const name = `w${Object.keys(this.weights).length}`;
    const inputs = shape.length > 1 ? shape.slice(1).reduce((a, b) => a * b, 1) : 1;
    const size = scale === 0 ? Math.sqrt(3 / inputs) : scale;
    const count = shape.reduce((a, b) => a * b, 1);
    const values = Array.from({ length: count }, () => centre + size * (this.#prng.below(20_001) / 10_000 - 1));
    this.weights[name] = { shape, values };
    return name;
  }

  integers(...values: readonly number[]): string {
    const name = `w${Object.keys(this.weights).length}`;
    this.weights[name] = { shape: [values.length], values, integers: true };
    return name;
  }

  convolution(x: string, from: number, to: number, size: number, stride = 1): string {
    const pad = Math.floor(size / 2);
    const attributes = { ints: { kernel_shape: [size, size], pads: [pad, pad, pad, pad], strides: [stride, stride] } };
    const made = this.node("Conv", [x, this.weight([to, from, size, size]), this.weight([to], 0.1)], attributes);
    const [scale, bias, mean] = [this.weight([to], 0.2, 1), this.weight([to], 0.1), this.weight([to], 0.1)];
    return this.node("BatchNormalization", [made, scale, bias, mean, this.weight([to], 0.2, 1)]);
  }

  linear(x: string, from: number, to: number): string {
    return this.node("Add", [
      this.node("MatMul", [x, this.weight([from, to], Math.sqrt(3 / from))]),
      this.weight([to], 0.1),
    ]);
  }

  norm(x: string, width: number): string {
    return this.node("LayerNormalization", [x, this.weight([width], 0.2, 1), this.weight([width], 0.1)]);
  }
}

/** Two residual blocks on images of 3 channels. */
export function residualNetwork(images: number, size: number, channels: number): ModelSpec {
  const m = new ModelMaker("residual");
  let x = m.node("Relu", [m.convolution("x", 3, channels, 3)]);
  x = m.node("MaxPool", [x], { ints: { kernel_shape: [2, 2], strides: [2, 2] } });
  for (const [from, to, stride] of [[channels, channels, 1] as const, [channels, 2 * channels, 2] as const]) {
    const inner = m.node("Relu", [m.convolution(x, from, to, 3, stride)]);
    const side = from === to ? x : m.convolution(x, from, to, 1, stride);
    x = m.node("Relu", [m.node("Add", [m.convolution(inner, to, to, 3), side])]);
  }
  const pooled = m.node("Flatten", [m.node("GlobalAveragePool", [x])]);
  const y = m.node("Softmax", [m.linear(pooled, 2 * channels, 10)]);
  return { nodes: m.nodes, weights: m.weights, inputs: { x: [images, 3, size, size] }, outputs: [y] };
}

/** Attention and a wide layer, each with its norm and its way around; `causal` hides what comes later. */
export function transformerBlock(length: number, width: number, heads: number, causal: boolean): ModelSpec {
  const m = new ModelMaker("transformer");
  const size = width / heads;
  const split = (x: string): string => m.node("Reshape", [x, m.integers(1, length, heads, size)]);
  const turned = (x: string, perm: readonly number[]): string => m.node("Transpose", [x], { ints: { perm } });
  const before = m.norm("x", width);
  const [query, key, value] = [0, 1, 2].map(() => split(m.linear(before, width, width))) as [string, string, string];
  const scale = m.weight([], 0, 1 / Math.sqrt(size));
  let scores = m.node("Mul", [m.node("MatMul", [turned(query, [0, 2, 1, 3]), turned(key, [0, 2, 3, 1])]), scale]);
  if (causal) {
    const ones = m.node("ConstantOfShape", [m.integers(length, length)]);
    const hidden = m.node("Trilu", [m.node("Add", [ones, m.weight([], 0, -1e4)]), m.integers(1)], {
      int: { upper: 1 },
    });
    scores = m.node("Add", [scores, hidden]);
  }
  const mixed = m.node("MatMul", [m.node("Softmax", [scores], { int: { axis: -1 } }), turned(value, [0, 2, 1, 3])]);
  const joined = m.node("Reshape", [turned(mixed, [0, 2, 1, 3]), m.integers(1, length, width)]);
  const middle = m.node("Add", ["x", m.linear(joined, width, width)]);
  const wide = m.node("Gelu", [m.linear(m.norm(middle, width), width, 4 * width)]);
  const y = m.node("Add", [middle, m.linear(wide, 4 * width, width)]);
  return { nodes: m.nodes, weights: m.weights, inputs: { x: [1, length, width] }, outputs: [y] };
}
