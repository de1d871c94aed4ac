/** Operators that look at a tensor between its elements: resizing, and sampling on a grid. */
import type { Value } from "../builder.ts";
import { reject } from "../errors.ts";
import { axisOf, i32s, u32 } from "../geometry.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { type AxisResize, type ResizeRule, tapsOf } from "../resize-taps.ts";
import { checkShape, checkTable, countOf } from "../tensor.ts";

/** The scale of each dimension and the size that it comes to. */
interface Target {
  readonly scales: readonly number[];
  readonly sizes: readonly number[];
}

function ruleOf(c: NodeContext): ResizeRule {
  const old = c.opset < 11;
  return {
    mode: c.text("mode", "nearest") === "bilinear" ? "linear" : c.text("mode", "nearest"),
    transformation: c.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
    nearest: c.text("nearest_mode", old ? "floor" : "round_prefer_floor"),
    cubic: c.float("cubic_coeff_a", -0.75),
    excludeOutside: c.int("exclude_outside", 0) === 1,
    antialias: c.int("antialias", 0) === 1,
  };
}

/** From scales, or from sizes with or without the aspect kept. */
function targetOf(c: NodeContext, x: Value, scales: readonly number[], sizes: readonly number[] | undefined): Target {
  const rank = x.shape.length;
  const axes = (c.ints("axes") ?? x.shape.map((_, d) => d)).map((axis) => axisOf(axis, rank));
  const spread = (values: readonly number[], otherwise: (d: number) => number): readonly number[] =>
    x.shape.map((_, d) => (axes.includes(d) ? (values[axes.indexOf(d)] as number) : otherwise(d)));
  if (sizes === undefined) {
    const all = spread(scales, () => 1);
    return { scales: all, sizes: all.map((scale, d) => Math.floor(scale * (x.shape[d] as number))) };
  }
  const wanted = spread(sizes, (d) => x.shape[d] as number);
  const own = wanted.map((size, d) => size / (x.shape[d] as number));
  const policy = c.text("keep_aspect_ratio_policy", "stretch");
  if (policy === "stretch") return { scales: own, sizes: wanted };
  const among = axes.map((d) => own[d] as number);
  const scale = policy === "not_larger" ? Math.min(...among) : Math.max(...among);
  return {
    scales: own.map((factor, d) => (axes.includes(d) ? scale : factor)),
    sizes: wanted.map((size, d) => (axes.includes(d) ? Math.floor(scale * (x.shape[d] as number) + 0.5) : size)),
  };
}

function resized(c: NodeContext, x: Value, { scales, sizes }: Target, region: readonly number[]): Value {
  const rule = ruleOf(c);
  if (rule.antialias && x.type !== "f32" && x.type !== "f16") return c.unsupported(`smoothing of ${x.type}`);
  const rank = x.shape.length;
  const axes = (c.ints("axes") ?? x.shape.map((_, d) => d)).map((axis) => axisOf(axis, rank));
  checkShape(sizes);
  let outside: Value | undefined;
  let result = rule.mode === "nearest" ? x : c.ops.cast(x, "f32");
  sizes.forEach((target, d) => {
    const place = axes.indexOf(d);
    const [start, end] = [region[place] ?? 0, region[place + region.length / 2] ?? 1];
    const axis: AxisResize = { size: x.shape[d] as number, target, scale: scales[d] as number, region: [start, end] };
    const plain = rule.transformation !== "tf_crop_and_resize" || (start === 0 && end === 1);
    if (axis.size === target && axis.scale === 1 && plain) return;
    // With smoothing each new position is made of all the old ones that it covers.
    checkTable(target * Math.ceil(4 / Math.min(1, axis.scale)));
    const taps = tapsOf(axis, rule);
    result = rule.mode === "nearest" ? picked(c, result, d, taps) : combined(c, result, d, taps);
    if (!taps.outside.some(Boolean)) return;
    const shape = x.shape.map((_, i) => (i === d ? target : 1));
    const mask = c.ops.constant("bool", shape, taps.outside.map(Number));
    outside = outside === undefined ? mask : c.ops.binary("Or", outside, mask);
  });
  if (outside !== undefined) {
    result = c.ops.where(outside, c.ops.scalar(result.type, c.float("extrapolation_value", 0)), result);
  }
  return c.ops.cast(result, x.type);
}

type TapLists = ReturnType<typeof tapsOf>;

function picked(c: NodeContext, x: Value, axis: number, { positions, weights, outside }: TapLists): Value {
  const at = outside.map((_, i) => positions[2 * i + (weights[2 * i] === 1 ? 0 : 1)] as number);
  return c.ops.gather(x, c.ops.constant("i64", [at.length], at), axis);
}

function combined(c: NodeContext, x: Value, axis: number, { width, positions, weights, outside }: TapLists): Value {
  const count = outside.length;
  const shape = x.shape.map((size, d) => (d === axis ? count : size));
  const inner = countOf(x.shape.slice(axis + 1));
  const numbers = [x.shape[axis] as number, count, inner, width].map(u32);
  const tables = [c.ops.constant("i32", [count, width], positions), c.ops.constant("f32", [count, width], weights)];
  return c.ops.each("taps", "f32", shape, (out) => [...numbers, ...tables, x, out], 400 + 60 * width);
}

function resize(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const old = c.opset < 11;
  const list = (index: number): readonly number[] | undefined => {
    const values = c.known(index);
    return values === undefined || values.length === 0 ? undefined : values;
  };
  const sizes = old ? undefined : list(3);
  const scales = list(old ? 1 : 2) ?? [];
  if (sizes === undefined && scales.length === 0) return reject("ONNX_FORMAT", "neither scales nor sizes");
  const region = ruleOf(c).transformation === "tf_crop_and_resize" ? (list(1) ?? []) : [];
  return [resized(c, x, targetOf(c, x, scales, sizes), region)];
}

function upsample(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  return [resized(c, x, targetOf(c, x, c.floats("scales") ?? c.known(1) ?? [], undefined), [])];
}

const MODES: Readonly<Record<string, number>> = { nearest: 0, linear: 1, bilinear: 1, cubic: 2, bicubic: 2 };
const PADDINGS: readonly string[] = ["zeros", "border", "reflection"];

function gridSample(c: NodeContext): readonly Value[] {
  const [x, grid] = [c.ops.cast(c.input(0), "f32"), c.ops.cast(c.input(1), "f32")];
  const [images = 1, channels = 1, ...sizes] = x.shape;
  const rank = sizes.length;
  const mode = MODES[c.text("mode", "linear")] ?? -1;
  const padding = PADDINGS.indexOf(c.text("padding_mode", "zeros"));
  if (rank < 2 || rank > 3 || mode < 0 || padding < 0 || (rank === 3 && mode === 2)) {
    return c.unsupported(`sampling of ${rank} dimensions in this mode`);
  }
  const out = grid.shape.slice(1, -1);
  const flags = [rank, mode, padding, c.int("align_corners", 0)];
  const numbers = i32s([channels, ...(rank === 3 ? sizes : [1, ...sizes]), countOf(out), ...flags]);
  const made = c.ops.each("grid_sample", "f32", [images, channels, ...out], (y) => [numbers, x, grid, y], 20_000);
  return [c.ops.cast(made, c.input(0).type)];
}

/** The grid that an affine map makes of evenly spaced places from -1 to 1. */
function affineGrid(c: NodeContext): readonly Value[] {
  const theta = c.input(0);
  const [images = 1, , ...sizes] = c.known(1) ?? [];
  const aligned = c.int("align_corners", 0) === 1;
  const along = (size: number, i: number): number => {
    if (!aligned) return -1 + (2 * i + 1) / size;
    return size === 1 ? 0 : -1 + (2 * i) / (size - 1);
  };
  const points = Array.from({ length: checkTable(countOf(sizes)) }, (_, at) => {
    let rest = at;
    const place = [...sizes].reverse().map((size) => {
      const i = rest % size;
      rest = Math.floor(rest / size);
      return along(size, i);
    });
    return [...place, 1];
  });
  const base = c.ops.constant("f32", [points.length, sizes.length + 1], points.flat());
  const product = c.ops.matmul(c.ops.cast(base, theta.type), c.ops.transpose(theta, [0, 2, 1]));
  return [c.ops.reshape(product, [images, ...sizes, sizes.length])];
}

export const SAMPLING: Readonly<Record<string, Lowering>> = {
  Resize: resize,
  Upsample: upsample,
  GridSample: gridSample,
  AffineGrid: affineGrid,
};
