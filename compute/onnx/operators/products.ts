/** Products of matrices, also of quantised ones, and sums of products by equation. */
import type { Value } from "../builder.ts";
import { type ElementType, elementTypeOf } from "../element-types.ts";
import { reject } from "../errors.ts";
import { axisOf } from "../geometry.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { clamped } from "./elementwise.ts";
import { convolve } from "./windows.ts";

function gemm(c: NodeContext): readonly Value[] {
  const turned = (value: Value, name: string): Value => (c.int(name, 0) === 1 ? c.ops.transpose(value, [1, 0]) : value);
  const product = c.ops.matmul(turned(c.input(0), "transA"), turned(c.input(1), "transB"));
  const alpha = c.float("alpha", 1);
  const scaled = alpha === 1 ? product : c.ops.by("Mul", product, alpha);
  const bias = c.maybe(2);
  if (bias === undefined) return [scaled];
  const beta = c.float("beta", 1);
  return [c.ops.add(scaled, beta === 1 ? bias : c.ops.by("Mul", bias, beta))];
}

/** As 32-bit integers, less what stands for zero; a list of zeros belongs to rows (`axis` -2) or columns (-1). */
function centred(c: NodeContext, x: Value, zero: Value | undefined, axis: number): Value {
  const wide = c.ops.cast(x, "i32");
  if (zero === undefined) return wide;
  const point = c.ops.cast(zero, "i32");
  const listed = point.shape.length === 1 && (point.shape[0] as number) > 1 && axis === -2;
  return c.ops.sub(wide, listed ? c.ops.reshape(point, [...point.shape, 1]) : point);
}

function matMulInteger(c: NodeContext): readonly Value[] {
  return [c.ops.matmul(centred(c, c.input(0), c.maybe(2), -2), centred(c, c.input(1), c.maybe(3), -1))];
}

/** Per channel the list lies along dimension 1 of x, 0 of the weights. */
function convInteger(c: NodeContext): readonly Value[] {
  const x = centred(c, c.input(0), c.maybe(2), 0);
  return [convolve(c, x, channelCentred(c, c.input(1), c.maybe(3)), undefined)];
}

function channelCentred(c: NodeContext, weights: Value, zero: Value | undefined): Value {
  const wide = c.ops.cast(weights, "i32");
  if (zero === undefined) return wide;
  const point = c.ops.cast(zero, "i32");
  const shape = point.shape.length === 1 ? [...point.shape, ...weights.shape.slice(1).map(() => 1)] : point.shape;
  return c.ops.sub(wide, c.ops.reshape(point, shape));
}

/** Rounded to the nearest, ties to even, moved to the zero point and limited to the type. */
function quantised(c: NodeContext, x: Value, scale: Value, zero: Value | undefined, type: ElementType): Value {
  const near = c.ops.unary("Round", c.ops.div(x, scale));
  return clamped(c, zero === undefined ? near : c.ops.add(near, c.ops.cast(zero, "f32")), type);
}

/** A scale or zero point for the whole, for each position along an axis, or for blocks along it. */
function spread(c: NodeContext, value: Value, x: Value): Value {
  if (value.shape.length === 0 || (value.shape.length === 1 && value.shape[0] === 1)) return c.ops.reshape(value, []);
  const axis = axisOf(c.int("axis", 1), x.shape.length);
  if (value.shape.length === 1) {
    return c.ops.reshape(
      value,
      x.shape.map((size, d) => (d === axis ? size : 1)),
    );
  }
  const blocks = value.shape[axis] as number;
  const each = Math.ceil((x.shape[axis] as number) / blocks);
  const wide = [...value.shape.slice(0, axis + 1), 1, ...value.shape.slice(axis + 1)];
  const repeated = wide.map((size, d) => (d === axis + 1 ? each : size));
  const joined = c.ops.expand(c.ops.reshape(value, wide), repeated);
  const full = c.ops.reshape(
    joined,
    value.shape.map((size, d) => (d === axis ? size * each : size)),
  );
  return c.ops.slice(full, axis, 0, x.shape[axis] as number);
}

function outputType(c: NodeContext): ElementType | undefined {
  const number = c.int("output_dtype", 0);
  return number === 0 ? undefined : (elementTypeOf(number) ?? c.unsupported(`elements of type ${number}`));
}

function quantizeLinear(c: NodeContext): readonly Value[] {
  const x = c.ops.cast(c.input(0), "f32");
  const zero = c.maybe(2);
  const type = zero?.type ?? outputType(c) ?? "u8";
  if (type === "i32" || type === "u32" || type.startsWith("f")) return c.unsupported(`quantisation to ${type}`);
  const scale = spread(c, c.ops.cast(c.input(1), "f32"), x);
  return [quantised(c, x, scale, zero === undefined ? undefined : spread(c, zero, x), type)];
}

function dequantizeLinear(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const zero = c.maybe(2);
  const wide = c.ops.cast(x, "i32");
  const moved = zero === undefined ? wide : c.ops.sub(wide, spread(c, c.ops.cast(zero, "i32"), x));
  const scale = spread(c, c.input(1), x);
  const product = c.ops.mul(c.ops.cast(moved, "f32"), c.ops.cast(scale, "f32"));
  return [c.ops.cast(product, outputType(c) ?? scale.type)];
}

/** To 8 bits, with the scale and zero point that the values ask for. */
function dynamicQuantizeLinear(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const axes = x.shape.map((_, d) => d);
  const low = c.ops.by("Min", c.ops.reduce("Min", x, axes, false), 0);
  const high = c.ops.by("Max", c.ops.reduce("Max", x, axes, false), 0);
  const scale = c.ops.by("Div", c.ops.sub(high, low), 255);
  const zero = clamped(c, c.ops.unary("Round", c.ops.div(c.ops.unary("Neg", low), scale)), "u8");
  return [quantised(c, x, scale, zero, "u8"), scale, zero];
}

function qLinearMatMul(c: NodeContext): readonly Value[] {
  const [a, aScale, aZero, b, bScale, bZero, yScale, yZero] = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => c.input(i)) as [
    ...[Value, Value, Value, Value],
    ...[Value, Value, Value, Value],
  ];
  const product = c.ops.matmul(centred(c, a, aZero, -2), centred(c, b, bZero, -1));
  const float = (value: Value): Value => c.ops.cast(value, "f32");
  const rows = (scale: Value): Value =>
    scale.shape.length === 1 && (scale.shape[0] as number) > 1 ? c.ops.reshape(scale, [...scale.shape, 1]) : scale;
  const scale = c.ops.mul(rows(float(aScale)), float(bScale));
  const factor = c.ops.div(scale, float(yScale));
  const near = c.ops.unary("Round", c.ops.mul(float(product), factor));
  return [c.ops.reshape(clamped(c, c.ops.add(near, float(yZero)), yZero.type), product.shape)];
}

function qLinearConv(c: NodeContext): readonly Value[] {
  const x = centred(c, c.input(0), c.input(2), 0);
  const bias = c.maybe(8);
  const sum = convolve(c, x, channelCentred(c, c.input(3), c.input(5)), bias);
  const perChannel = (value: Value): Value => {
    const listed = value.shape.length === 1 && (value.shape[0] as number) > 1;
    return listed
      ? c.ops.reshape(value, [...value.shape, ...sum.shape.slice(2).map(() => 1)])
      : c.ops.reshape(value, []);
  };
  const scale = c.ops.div(
    c.ops.mul(c.ops.reshape(c.input(1), []), perChannel(c.input(4))),
    c.ops.reshape(c.input(6), []),
  );
  const near = c.ops.unary("Round", c.ops.mul(c.ops.cast(sum, "f32"), scale));
  const zero = c.ops.reshape(c.ops.cast(c.input(7), "f32"), []);
  return [clamped(c, c.ops.add(near, zero), c.input(7).type)];
}

interface Labelled {
  readonly value: Value;
  readonly labels: readonly string[];
}

/** Labels of each input and of the result; dots become labels of their own. */
function equationOf(c: NodeContext): { readonly inputs: readonly Labelled[]; readonly output: readonly string[] } {
  const [left = "", right] = c.text("equation", "").replaceAll(" ", "").split("->");
  const rank = (term: string, value: Value): number => value.shape.length - [...term.replace("...", "")].length;
  const terms = left.split(",");
  const dots = Math.max(0, ...terms.map((term, i) => (term.includes("...") ? rank(term, c.input(i)) : 0)));
  const labelsOf = (term: string, count: number): readonly string[] => {
    const [before = "", after] = term.split("...");
    const between = after === undefined ? [] : Array.from({ length: count }, (_, i) => `.${dots - count + i}`);
    return [...before, ...between, ...(after ?? "")];
  };
  const inputs = terms.map((term, i) => ({ value: c.input(i), labels: labelsOf(term, rank(term, c.input(i))) }));
  if (inputs.some(({ value, labels }) => labels.length !== value.shape.length)) {
    reject("ONNX_SHAPE", "the equation does not fit the inputs");
  }
  const all = inputs.flatMap(({ labels }) => labels);
  const once = [...new Set(all)].filter(
    (label) => label.startsWith(".") || all.indexOf(label) === all.lastIndexOf(label),
  );
  return { inputs, output: right === undefined ? once.sort() : labelsOf(right, dots) };
}

/** Repeated labels of one input take its diagonal; all inputs are spread over all labels, multiplied, and summed. */
function einsum(c: NodeContext): readonly Value[] {
  const { inputs, output } = equationOf(c);
  const labels = [
    ...output,
    ...new Set(inputs.flatMap((input) => input.labels).filter((label) => !output.includes(label))),
  ];
  const sizes = labels.map((label) =>
    Math.max(
      ...inputs.flatMap((input) =>
        input.labels.map((own, d) => (own === label ? (input.value.shape[d] as number) : 1)),
      ),
    ),
  );
  const spreadOut = inputs.map(({ value, labels: own }) => {
    const strides = value.shape.map((_, d) => value.shape.slice(d + 1).reduce((product, size) => product * size, 1));
    const steps = labels.map((label) =>
      own.reduce((sum, name, d) => (name === label && value.shape[d] !== 1 ? sum + (strides[d] as number) : sum), 0),
    );
    const shape = sizes.map((size, i) => (steps[i] === 0 ? 1 : size));
    return c.ops.view(value, shape, steps);
  });
  const product = spreadOut.reduce((sum, value) => c.ops.mul(sum, value));
  const full = c.ops.expand(product, sizes);
  const summed = labels.map((_, i) => i).slice(output.length);
  if (full.shape.length !== labels.length) return reject("ONNX_SHAPE", "the equation does not fit");
  return [summed.length === 0 ? full : c.ops.reduce("Sum", full, summed, false)];
}

export const PRODUCTS: Readonly<Record<string, Lowering>> = {
  MatMul: (c) => [c.ops.matmul(c.input(0), c.input(1))],
  Gemm: gemm,
  MatMulInteger: matMulInteger,
  ConvInteger: convInteger,
  QuantizeLinear: quantizeLinear,
  DequantizeLinear: dequantizeLinear,
  DynamicQuantizeLinear: dynamicQuantizeLinear,
  QLinearMatMul: qLinearMatMul,
  QLinearConv: qLinearConv,
  Einsum: einsum,
};
