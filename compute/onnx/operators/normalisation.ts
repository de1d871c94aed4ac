/** Operators that bring values to a common size. All work in single precision and give back what they were given. */
import type { Value } from "../builder.ts";
import { axisOf } from "../geometry.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { countOf } from "../tensor.ts";

interface Moments {
  readonly mean: Value;
  /** x less the mean. */
  readonly gap: Value;
  readonly variance: Value;
}

function momentsOf(c: NodeContext, x: Value, axes: readonly number[]): Moments {
  const mean = c.ops.reduce("Mean", x, axes, true);
  const gap = c.ops.sub(x, mean);
  return { mean, gap, variance: c.ops.reduce("Mean", c.ops.mul(gap, gap), axes, true) };
}

/** One over the root of x plus a little. */
function inverseRoot(c: NodeContext, x: Value, epsilon: number): Value {
  return c.ops.unary("Reciprocal", c.ops.unary("Sqrt", c.ops.by("Add", x, epsilon)));
}

function wide(c: NodeContext, x: Value): Value {
  return x.type === "f64" ? c.unsupported("normalisation of f64") : c.ops.cast(x, "f32");
}

/** One number for each channel, shaped to spread [image, channel, ...]. */
function perChannel(c: NodeContext, value: Value, rank: number): Value {
  return c.ops.reshape(wide(c, value), [countOf(value.shape), ...Array.from({ length: rank - 2 }, () => 1)]);
}

/** Below this, one thread does a row faster than a warp. */
const MIN_COLUMNS = 64;

/** Rows to the end of the tensor, with vectors that fit one row, when nobody asks for the moments. */
function standardRows(
  c: NodeContext,
  name: string,
  x: Value,
  axis: number,
  vectors: readonly (Value | undefined)[],
): Value | undefined {
  const columns = countOf(x.shape.slice(axis));
  const fits = vectors.every((vector) => vector?.type === "f32" && countOf(vector.shape) === columns);
  if (columns < MIN_COLUMNS || !fits || c.wants(1)) return undefined;
  const numbers = [countOf(x.shape) / columns, columns, c.float("epsilon", 1e-5)];
  return c.ops.builder.standard(name, numbers, [x, ...(vectors as readonly Value[])], x.shape);
}

function layer(c: NodeContext): readonly Value[] {
  const given = c.input(0);
  const x = wide(c, given);
  const axis = axisOf(c.int("axis", -1), x.shape.length);
  const axes = x.shape.map((_, d) => d).slice(axis);
  const standard = standardRows(c, "layer_norm", x, axis, [c.input(1), c.maybe(2)]);
  if (standard !== undefined) return [c.ops.cast(standard, given.type)];
  const { mean, gap, variance } = momentsOf(c, x, axes);
  const factor = inverseRoot(c, variance, c.float("epsilon", 1e-5));
  const scaled = c.ops.mul(c.ops.mul(gap, factor), wide(c, c.input(1)));
  const bias = c.maybe(2);
  const result = bias === undefined ? scaled : c.ops.add(scaled, wide(c, bias));
  return [c.ops.cast(result, given.type), mean, factor];
}

function rms(c: NodeContext): readonly Value[] {
  const given = c.input(0);
  const x = wide(c, given);
  const axis = axisOf(c.int("axis", -1), x.shape.length);
  const standard = given.type === "f32" ? standardRows(c, "rms_norm", x, axis, [c.input(1)]) : undefined;
  if (standard !== undefined) return [standard];
  const squares = c.ops.reduce("Mean", c.ops.mul(x, x), x.shape.map((_, d) => d).slice(axis), true);
  const factor = inverseRoot(c, squares, c.float("epsilon", 1e-5));
  return [c.ops.mul(c.ops.cast(c.ops.mul(x, factor), c.input(1).type), c.input(1))];
}

function instance(c: NodeContext): readonly Value[] {
  const given = c.input(0);
  const x = wide(c, given);
  const { gap, variance } = momentsOf(c, x, x.shape.map((_, d) => d).slice(2));
  const [scale, bias] = [c.input(1), c.input(2)].map((value) => perChannel(c, value, x.shape.length)) as [Value, Value];
  const factor = inverseRoot(c, variance, c.float("epsilon", 1e-5));
  return [c.ops.cast(c.ops.add(c.ops.mul(c.ops.mul(gap, factor), scale), bias), given.type)];
}

/** Channels in groups; up to version 20 scale and bias were one for each group. */
function group(c: NodeContext): readonly Value[] {
  const given = c.input(0);
  const x = wide(c, given);
  const groups = c.int("num_groups", 1);
  const [images = 1, channels = 1, ...rest] = x.shape;
  const grouped = c.ops.reshape(x, [images, groups, (channels / groups) * countOf(rest)]);
  const { gap, variance } = momentsOf(c, grouped, [2]);
  const near = c.ops.mul(gap, inverseRoot(c, variance, c.float("epsilon", 1e-5)));
  const old = countOf(c.input(1).shape) === groups && c.opset < 21;
  const spread = (value: Value): Value =>
    old ? c.ops.reshape(wide(c, value), [groups, 1]) : perChannel(c, value, x.shape.length);
  const shaped = old ? near : c.ops.reshape(near, x.shape);
  const result = c.ops.add(c.ops.mul(shaped, spread(c.input(1))), spread(c.input(2)));
  return [c.ops.cast(c.ops.reshape(result, x.shape), given.type)];
}

function batch(c: NodeContext): readonly (Value | undefined)[] {
  const given = c.input(0);
  const x = wide(c, given);
  const spread = (value: Value): Value => perChannel(c, value, Math.max(2, x.shape.length));
  const training = c.int("training_mode", 0) === 1;
  const axes = x.shape.map((_, d) => d).filter((d) => d !== 1);
  const own = training ? momentsOf(c, x, axes) : undefined;
  const mean = own?.mean ?? spread(c.input(3));
  const variance = own?.variance ?? spread(c.input(4));
  // One factor and one shift for each channel, so that the image is passed over twice and not four times.
  const factor = c.ops.mul(inverseRoot(c, variance, c.float("epsilon", 1e-5)), spread(c.input(1)));
  const shift = c.ops.sub(spread(c.input(2)), c.ops.mul(mean, factor));
  const result = c.ops.cast(c.ops.add(c.ops.mul(x, factor), shift), given.type);
  if (own === undefined) return [result];
  const momentum = c.float("momentum", 0.9);
  const running = (before: Value, now: Value): Value => {
    const kept = c.ops.by("Mul", wide(c, before), momentum);
    const added = c.ops.by("Mul", c.ops.reshape(now, before.shape), Math.fround(1 - momentum));
    return c.ops.cast(c.ops.add(kept, added), before.type);
  };
  return [result, running(c.input(3), own.mean), running(c.input(4), own.variance)];
}

function meanVariance(c: NodeContext): readonly Value[] {
  const given = c.input(0);
  const x = wide(c, given);
  const axes = (c.ints("axes") ?? [0, 2, 3]).map((axis) => axisOf(axis, x.shape.length));
  const { gap, variance } = momentsOf(c, x, axes);
  const size = c.ops.by("Add", c.ops.unary("Sqrt", variance), 1e-9);
  return [c.ops.cast(c.ops.div(gap, size), given.type)];
}

function length(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const axis = axisOf(c.int("axis", -1), x.shape.length);
  const size = c.ops.reduce(c.int("p", 2) === 1 ? "L1" : "L2", x, [axis], true);
  const zero = c.ops.by("Equal", size, 0);
  return [c.ops.where(zero, c.ops.scalar(x.type, 0), c.ops.div(x, size))];
}

/** Over neighbouring channels: their squares are summed by shifting the channels against each other. */
function localResponse(c: NodeContext): readonly Value[] {
  const given = c.input(0);
  const x = wide(c, given);
  const size = c.int("size", 1);
  const channels = x.shape[1] as number;
  const squares = c.ops.mul(x, x);
  const [low, high] = [Math.floor((size - 1) / 2), Math.ceil((size - 1) / 2)];
  let sum: Value | undefined;
  for (let shift = -low; shift <= high; shift++) {
    const rows = Array.from({ length: channels }, (_, i) => Math.min(channels - 1, Math.max(0, i + shift)));
    const there = rows.map((row, i) => (row === i + shift ? 1 : 0));
    const part = c.ops.gather(squares, c.ops.constant("i64", [channels], rows), 1);
    const mask = c.ops.constant("f32", [channels, ...x.shape.slice(2).map(() => 1)], there);
    const masked = c.ops.mul(part, mask);
    sum = sum === undefined ? masked : c.ops.add(sum, masked);
  }
  const factor = Math.fround(c.float("alpha", 1e-4)) / size;
  const base = c.ops.by("Add", c.ops.by("Mul", sum ?? squares, factor), c.float("bias", 1));
  return [c.ops.cast(c.ops.div(x, c.ops.by("Pow", base, c.float("beta", 0.75))), given.type)];
}

export const NORMALISATION: Readonly<Record<string, Lowering>> = {
  LayerNormalization: layer,
  RMSNormalization: rms,
  InstanceNormalization: instance,
  GroupNormalization: group,
  BatchNormalization: batch,
  MeanVarianceNormalization: meanVariance,
  LpNormalization: length,
  LRN: localResponse,
};
