/** Operators that move a window over up to three dimensions: convolutions and pooling. */
import type { Value } from "../builder.ts";
import { reject } from "../errors.ts";
import { f32, i32, i32s } from "../geometry.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { countOf, type Shape } from "../tensor.ts";

interface Window {
  readonly kernel: Shape;
  readonly strides: Shape;
  readonly dilations: Shape;
  readonly before: Shape;
  readonly after: Shape;
}

function listOf(c: NodeContext, name: string, rank: number, otherwise: number): readonly number[] {
  return c.ints(name) ?? Array.from({ length: rank }, () => otherwise);
}

/** What is put around each dimension. */
function windowOf(c: NodeContext, sizes: Shape, kernel: Shape): Window {
  const rank = sizes.length;
  const strides = listOf(c, "strides", rank, 1);
  const dilations = listOf(c, "dilations", rank, 1);
  const pads = listOf(c, "pads", 2 * rank, 0);
  const automatic = c.text("auto_pad", "NOTSET");
  const span = kernel.map((size, d) => (size - 1) * (dilations[d] as number) + 1);
  if (automatic !== "SAME_UPPER" && automatic !== "SAME_LOWER") {
    const valid = automatic === "VALID";
    return {
      ...{ kernel, strides, dilations },
      before: sizes.map((_, d) => (valid ? 0 : (pads[d] as number))),
      after: sizes.map((_, d) => (valid ? 0 : (pads[d + rank] as number))),
    };
  }
  const total = sizes.map((size, d) => {
    const out = Math.ceil(size / (strides[d] as number));
    return Math.max(0, (out - 1) * (strides[d] as number) + (span[d] as number) - size);
  });
  const less = total.map((pad) => Math.floor(pad / 2));
  const more = total.map((pad) => Math.ceil(pad / 2));
  const upper = automatic === "SAME_UPPER";
  return { kernel, strides, dilations, before: upper ? less : more, after: upper ? more : less };
}

function outputSizes(sizes: Shape, window: Window, ceil: boolean): Shape {
  return sizes.map((size, d) => {
    const [kernel, stride, dilation] = [
      window.kernel[d] as number,
      window.strides[d] as number,
      window.dilations[d] as number,
    ];
    const [before, after] = [window.before[d] as number, window.after[d] as number];
    const room = size + before + after - ((kernel - 1) * dilation + 1);
    const count = (ceil ? Math.ceil(room / stride) : Math.floor(room / stride)) + 1;
    // A window that would start in the padding behind is left out.
    return ceil && (count - 1) * stride >= size + before ? count - 1 : count;
  });
}

/** Three dimensions, the missing ones before. */
function three(values: Shape, fill: number): Shape {
  if (values.length > 3) reject("ONNX_UNSUPPORTED", `windows over ${values.length} dimensions`);
  return [...Array.from({ length: 3 - values.length }, () => fill), ...values];
}

export function convolve(c: NodeContext, x: Value, weights: Value, bias: Value | undefined): Value {
  const sizes = x.shape.slice(2);
  const window = windowOf(c, sizes, c.ints("kernel_shape") ?? weights.shape.slice(2));
  const out = outputSizes(sizes, window, false);
  const group = c.int("group", 1);
  const [images = 0, channels = 0] = x.shape;
  const outChannels = weights.shape[0] as number;
  if ((weights.shape[1] as number) * group !== channels) reject("ONNX_SHAPE", "the channels do not fit the weights");
  const standard = x.type === "f32" && sizes.length === 2 ? standardConv(c, x, weights, window, out, group) : undefined;
  if (standard !== undefined) {
    return bias === undefined ? standard : c.ops.add(standard, c.ops.reshape(bias, [outChannels, 1, 1]));
  }
  const numbers = i32s([
    ...[channels, outChannels, group, bias === undefined ? 0 : 1],
    ...[...three(sizes, 1), ...three(out, 1), ...three(window.kernel, 1)],
    ...[...three(window.strides, 1), ...three(window.dilations, 1), ...three(window.before, 0)],
  ]);
  const taps = (weights.shape[1] as number) * countOf(window.kernel);
  const entry = x.type === "f32" ? "conv_f32" : "conv_i32";
  const given = [numbers, x, weights, bias ?? weights];
  return c.ops.each(entry, x.type, [images, outChannels, ...out], (made) => [...given, made], 800 + 150 * taps);
}

/** Below this a block of the standard kernel would do more work than there is. */
const MIN_RESULTS = 1_024;

function standardConv(
  c: NodeContext,
  x: Value,
  weights: Value,
  window: Window,
  out: Shape,
  group: number,
): Value | undefined {
  const [images = 0, channels = 0, ...sizes] = x.shape;
  const outputs = (weights.shape[0] as number) / group;
  if (outputs * countOf(out) < MIN_RESULTS || window.before.some((pad) => pad < 0)) return undefined;
  const numbers = [
    ...[group, channels / group, ...sizes, outputs, ...out],
    ...[...window.kernel, ...window.strides, ...window.before, ...window.dilations],
  ];
  const shape = [images, weights.shape[0] as number, ...out];
  return c.ops.builder.standard("conv", numbers, [x, weights], shape, images * group);
}

function conv(c: NodeContext): readonly Value[] {
  const [x, weights] = [c.input(0), c.input(1)];
  if (x.type === "f64") return c.unsupported("Conv of f64");
  const wide = (value: Value): Value => c.ops.cast(value, "f32");
  const bias = c.maybe(2);
  return [c.ops.cast(convolve(c, wide(x), wide(weights), bias === undefined ? undefined : wide(bias)), x.type)];
}

/** How much a transposed convolution cuts off each side, and what is left. */
function transposedSizes(
  c: NodeContext,
  sizes: Shape,
  kernel: Shape,
): { readonly window: Window; readonly out: Shape } {
  const rank = sizes.length;
  const strides = listOf(c, "strides", rank, 1);
  const dilations = listOf(c, "dilations", rank, 1);
  const extra = listOf(c, "output_padding", rank, 0);
  const wanted = c.ints("output_shape")?.slice(-rank);
  const automatic = c.text("auto_pad", "NOTSET");
  const same = automatic.startsWith("SAME");
  const pads = c.ints("pads") ?? Array.from({ length: 2 * rank }, () => 0);
  const full = sizes.map(
    (size, d) =>
      (strides[d] as number) * (size - 1) +
      (extra[d] as number) +
      ((kernel[d] as number) - 1) * (dilations[d] as number) +
      1,
  );
  const target = wanted ?? (same ? sizes.map((size, d) => size * (strides[d] as number)) : undefined);
  const total = full.map((size, d) =>
    target === undefined ? (pads[d] as number) + (pads[d + rank] as number) : Math.max(0, size - (target[d] as number)),
  );
  const before = total.map((pad, d) => {
    if (target === undefined) return pads[d] as number;
    return automatic === "SAME_UPPER" ? Math.floor(pad / 2) : pad - Math.floor(pad / 2);
  });
  const out = target ?? full.map((size, d) => size - (total[d] as number));
  return { window: { kernel, strides, dilations, before, after: before }, out };
}

function convTranspose(c: NodeContext): readonly Value[] {
  const [given, weights] = [c.input(0), c.ops.cast(c.input(1), "f32")];
  const x = c.ops.cast(given, "f32");
  const sizes = x.shape.slice(2);
  const { window, out } = transposedSizes(c, sizes, c.ints("kernel_shape") ?? weights.shape.slice(2));
  const group = c.int("group", 1);
  const [images = 0, channels = 0] = x.shape;
  const outChannels = (weights.shape[1] as number) * group;
  const given2 = c.maybe(2);
  const bias = given2 === undefined ? undefined : c.ops.cast(given2, "f32");
  const numbers = i32s([
    ...[channels, outChannels, group, bias === undefined ? 0 : 1],
    ...[...three(sizes, 1), ...three(out, 1), ...three(window.kernel, 1)],
    ...[...three(window.strides, 1), ...three(window.dilations, 1), ...three(window.before, 0)],
  ]);
  const taps = (channels / group) * countOf(window.kernel);
  const args = [numbers, x, weights, bias ?? weights];
  const made = c.ops.each(
    "conv_transpose",
    "f32",
    [images, outChannels, ...out],
    (made2) => [...args, made2],
    800 + 200 * taps,
  );
  return [c.ops.cast(made, given.type)];
}

function poolNumbers(sizes: Shape, out: Shape, window: Window): Uint8Array {
  return i32s([
    ...[...three(sizes, 1), ...three(out, 1), ...three(window.kernel, 1)],
    ...[
      ...three(window.strides, 1),
      ...three(window.dilations, 1),
      ...three(window.before, 0),
      ...three(window.after, 0),
    ],
  ]);
}

/** Images in two dimensions, without gaps and without positions. */
function standardPool(c: NodeContext, name: string, x: Value, window: Window, out: Shape): Value | undefined {
  const sizes = x.shape.slice(2);
  const shape = [...x.shape.slice(0, 2), ...out];
  const plain = sizes.length === 2 && window.dilations.every((step) => step === 1) && c.int("ceil_mode", 0) === 0;
  if (!plain || c.wants(1) || countOf(shape) < MIN_RESULTS || window.before.some((pad) => pad < 0)) return undefined;
  const numbers = [countOf(shape), ...sizes, ...out, ...window.kernel, ...window.strides, ...window.before];
  return c.ops.builder.standard(name, [...numbers, c.int("count_include_pad", 0)], [x], shape);
}

function pool(
  c: NodeContext,
  name: string,
  run: (x: Value, numbers: Uint8Array, shape: Shape, taps: number) => readonly Value[],
): readonly Value[] {
  const given = c.input(0);
  const x = c.ops.cast(given, "f32");
  if (given.type === "f64" || given.type === "i64" || given.type === "i32")
    return c.unsupported(`pooling of ${given.type}`);
  const sizes = x.shape.slice(2);
  const window = windowOf(c, sizes, c.ints("kernel_shape") ?? sizes);
  const out = outputSizes(sizes, window, c.int("ceil_mode", 0) === 1);
  const standard = standardPool(c, name, x, window, out);
  if (standard !== undefined) return [c.ops.cast(standard, given.type)];
  const [first, ...rest] = run(
    x,
    poolNumbers(sizes, out, window),
    [...x.shape.slice(0, 2), ...out],
    countOf(window.kernel),
  );
  return [c.ops.cast(first as Value, given.type), ...rest];
}

function maxPool(c: NodeContext): readonly Value[] {
  return pool(c, "max_pool", (x, numbers, shape, taps) => {
    const count = countOf(shape);
    const outs = [
      { type: "f32", made: shape },
      { type: "i64", made: shape },
    ] as const;
    const args = [i32(count), numbers, i32(c.int("storage_order", 0)), x, ...outs];
    return c.ops.builder.launch("pool_max", { kind: "elements", count }, args, 800 + 90 * taps);
  });
}

function averagePool(c: NodeContext): readonly Value[] {
  return pool(c, "average_pool", (x, numbers, shape, taps) => {
    const given = [numbers, i32(c.int("count_include_pad", 0)), x];
    return [c.ops.each("pool_average", "f32", shape, (out) => [...given, out], 800 + 90 * taps)];
  });
}

function lpPool(c: NodeContext): readonly Value[] {
  return pool(c, "", (x, numbers, shape, taps) => {
    const given = [numbers, f32(c.int("p", 2)), x];
    return [c.ops.each("pool_lp", "f32", shape, (out) => [...given, out], 2_000 + 1_500 * taps)];
  });
}

/** Over all that lies behind the channels. */
function overAll(operator: string): Lowering {
  return (c) => {
    const x = c.input(0);
    return [
      c.ops.reduce(
        operator,
        x,
        x.shape.slice(2).map((_, d) => d + 2),
        true,
      ),
    ];
  };
}

/** Depthwise over a past state and the input, which together leave the next state. */
function causalConv(c: NodeContext): readonly Value[] {
  const [x, weights] = [c.input(0), c.input(1)];
  const [images = 0, channels = 0] = x.shape;
  const keep = (weights.shape[2] as number) - 1;
  const past = c.maybe(3) ?? c.ops.expand(c.ops.scalar(x.type, 0), [images, channels, keep]);
  const padded = c.ops.concat([past, x], 2);
  const wide = (value: Value): Value => c.ops.cast(value, "f32");
  const bias = c.maybe(2);
  const sum = depthwise(c, wide(padded), wide(weights), bias === undefined ? undefined : wide(bias));
  const activation = c.text("activation", "none");
  const active = activation === "silu" || activation === "swish" ? c.ops.unary("Swish", sum, 1) : sum;
  const state = c.ops.slice(padded, 2, (padded.shape[2] as number) - keep, keep);
  return [c.ops.cast(active, x.type), state];
}

function depthwise(c: NodeContext, x: Value, weights: Value, bias: Value | undefined): Value {
  const [images = 0, channels = 0, length = 0] = x.shape;
  const kernel = weights.shape[2] as number;
  const out = length - kernel + 1;
  const numbers = i32s([
    ...[channels, channels, channels, bias === undefined ? 0 : 1],
    ...[1, 1, length, 1, 1, out, 1, 1, kernel, 1, 1, 1, 1, 1, 1, 0, 0, 0],
  ]);
  const given = [numbers, x, weights, bias ?? weights];
  return c.ops.each("conv_f32", "f32", [images, channels, out], (made) => [...given, made], 800 + 150 * kernel);
}

export const WINDOWS: Readonly<Record<string, Lowering>> = {
  Conv: conv,
  ConvTranspose: convTranspose,
  MaxPool: maxPool,
  AveragePool: averagePool,
  LpPool: lpPool,
  GlobalAveragePool: overAll("Mean"),
  GlobalMaxPool: overAll("Max"),
  GlobalLpPool: overAll("L2"),
  CausalConvWithState: causalConv,
};
