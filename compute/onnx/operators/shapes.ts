/** Operators that move elements: views, parts and joins. */
import type { Value } from "../builder.ts";
import { bytesOf, elementTypeOf, kernelNumber } from "../element-types.ts";
import { reject } from "../errors.ts";
import { axisOf, coalesced, corner, i32, KERNEL_RANK, space, steps, type Walk } from "../geometry.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { checkShape, countOf, type Shape, stridesOf, type Tensor, tensorOf } from "../tensor.ts";

function shape(c: NodeContext): readonly Value[] {
  const { shape: sizes } = c.input(0);
  const rank = sizes.length;
  const limited = (value: number): number => Math.min(rank, Math.max(0, value < 0 ? value + rank : value));
  const [start, end] = [limited(c.int("start", 0)), limited(c.int("end", rank))];
  const part = sizes.slice(start, Math.max(start, end));
  return [c.ops.constant("i64", [part.length], part)];
}

function constant(c: NodeContext): readonly Value[] {
  const tensor = c.tensor("value");
  if (tensor !== undefined) return [c.ops.builder.constant(tensor)];
  if (c.has("value_int")) return [c.ops.scalar("i64", c.int("value_int", 0))];
  if (c.has("value_float")) return [c.ops.scalar("f32", c.float("value_float", 0))];
  const floats = c.has("value_floats") ? c.floats("value_floats") : undefined;
  if (floats !== undefined) return [c.ops.constant("f32", [floats.length], floats)];
  const ints = c.ints("value_ints");
  if (ints !== undefined) return [c.ops.constant("i64", [ints.length], ints)];
  return c.unsupported("a constant of this kind");
}

function filled(c: NodeContext, tensor: Tensor, sizes: Shape): Value {
  const value = c.ops.builder.constant({ ...tensor, shape: [1] });
  return c.ops.expand(value, checkShape(sizes));
}

function constantOfShape(c: NodeContext): readonly Value[] {
  const sizes = c.known(0) ?? [];
  const tensor = c.tensor("value") ?? tensorOf("f32", [1], [0]);
  return [c.ops.reshape(filled(c, tensor, sizes.length === 0 ? [1] : sizes), sizes)];
}

function reshape(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const wanted = c.listed("shape", 1) ?? [];
  const zeros = c.int("allowzero", 0) === 1;
  const sizes = wanted.map((size, d) => (size === 0 && !zeros ? (x.shape[d] ?? 0) : size));
  const rest = countOf(sizes.filter((size) => size !== -1));
  return [
    c.ops.reshape(
      x,
      sizes.map((size) => (size === -1 ? countOf(x.shape) / Math.max(1, rest) : size)),
    ),
  ];
}

function flatten(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const given = c.int("axis", 1);
  const axis = given < 0 ? given + x.shape.length : given;
  return [c.ops.reshape(x, [countOf(x.shape.slice(0, axis)), countOf(x.shape.slice(axis))])];
}

function squeeze(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const rank = x.shape.length;
  const axes = c.listed("axes", 1)?.map((axis) => axisOf(axis, rank));
  return [
    c.ops.reshape(
      x,
      x.shape.filter((size, d) => (axes === undefined ? size !== 1 : !axes.includes(d))),
    ),
  ];
}

function unsqueeze(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const axes = c.listed("axes", 1) ?? [];
  const rank = x.shape.length + axes.length;
  const added = new Set(axes.map((axis) => axisOf(axis, rank)));
  const rest = [...x.shape];
  return [
    c.ops.reshape(
      x,
      Array.from({ length: rank }, (_, d) => (added.has(d) ? 1 : (rest.shift() as number))),
    ),
  ];
}

function transpose(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  return [c.ops.transpose(x, c.ints("perm") ?? x.shape.map((_, d) => x.shape.length - 1 - d))];
}

/** Each dimension becomes two, of which the first repeats; a few at a time where kernels have no more dimensions. */
function tiled(c: NodeContext, x: Value, repeats: readonly number[]): Value {
  const repeated = x.shape.flatMap((_, d) => ((repeats[d] ?? 1) === 1 ? [] : [d]));
  const before = countOf(x.shape.slice(0, repeated[0])) > 1 ? 1 : 0;
  if (before + 2 * repeated.length > KERNEL_RANK) {
    const later = new Set(repeated.slice(0, -2));
    const first = tiled(
      c,
      x,
      repeats.map((count, d) => (later.has(d) ? 1 : count)),
    );
    return tiled(
      c,
      first,
      repeats.map((count, d) => (later.has(d) ? count : 1)),
    );
  }
  const strides = stridesOf(x.shape);
  const sizes = x.shape.flatMap((size, d) => [repeats[d] ?? 1, size]);
  const walked = c.ops.view(
    x,
    sizes,
    x.shape.flatMap((_, d) => [0, strides[d] as number]),
  );
  return c.ops.reshape(
    walked,
    x.shape.map((size, d) => size * (repeats[d] ?? 1)),
  );
}

/** Start and count of a slice along a dimension, as Python has it. */
function range(size: number, start: number, end: number, step: number): readonly [number, number] {
  const at = (value: number, low: number, high: number): number =>
    Math.min(high, Math.max(low, value < 0 ? value + size : value));
  const [low, high] =
    step > 0 ? [at(start, 0, size), at(end, 0, size)] : [at(start, 0, size - 1), at(end, -1, size - 1)];
  return [low, Math.max(0, Math.ceil((high - low) / step))];
}

function slice(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const starts = c.listed("starts", 1) ?? [];
  const ends = c.listed("ends", 2) ?? [];
  const axes = c.listed("axes", 3) ?? starts.map((_, i) => i);
  const step = c.known(4) ?? starts.map(() => 1);
  const strides = [...stridesOf(x.shape)];
  const sizes = [...x.shape];
  let base = 0;
  axes.forEach((given, i) => {
    const axis = axisOf(given, x.shape.length);
    const [start, count] = range(x.shape[axis] as number, starts[i] as number, ends[i] as number, step[i] ?? 1);
    base += start * (strides[axis] as number);
    strides[axis] = (strides[axis] as number) * (step[i] ?? 1);
    sizes[axis] = count;
  });
  return [c.ops.view(x, sizes, strides, countOf(sizes) === 0 ? 0 : base)];
}

function split(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const axis = axisOf(c.int("axis", 0), x.shape.length);
  const size = x.shape[axis] as number;
  const parts = c.int("num_outputs", c.node.outputs.length);
  const each = Math.ceil(size / parts);
  const equal = Array.from({ length: parts }, (_, i) => Math.max(0, Math.min(each, size - i * each)));
  const sizes = c.listed("split", 1) ?? equal;
  if (sizes.reduce((sum, part) => sum + part, 0) !== size) return reject("ONNX_SHAPE", "the parts are not the whole");
  let start = 0;
  return sizes.map((part) => {
    start += part;
    return c.ops.slice(x, axis, start - part, part);
  });
}

const PAD_MODES: readonly string[] = ["constant", "edge", "reflect", "wrap"];

function pad(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const rank = x.shape.length;
  const given = c.ints("pads") ?? c.ints("paddings") ?? c.known(1) ?? [];
  const axes = (c.known(3) ?? x.shape.map((_, d) => d)).map((axis) => axisOf(axis, rank));
  const before = x.shape.map((_, d) => given[axes.indexOf(d)] ?? 0);
  const after = x.shape.map((_, d) => (axes.includes(d) ? (given[axes.indexOf(d) + axes.length] ?? 0) : 0));
  const value = c.maybe(2) ?? c.ops.scalar(x.type, c.float("value", 0));
  return [padded(c, x, before, after, PAD_MODES.indexOf(c.text("mode", "constant")), value)];
}

export function padded(c: NodeContext, x: Value, before: Shape, after: Shape, mode: number, value: Value): Value {
  const sizes = x.shape.map((size, d) => size + (before[d] as number) + (after[d] as number));
  if (mode < 0 || x.shape.length > KERNEL_RANK) return c.unsupported("padding of this kind");
  const walk = [i32(mode), space(sizes), space(x.shape), steps(before), steps(stridesOf(x.shape))];
  const entry = `pad_${bytesOf(x.type)}`;
  return c.ops.each(entry, x.type, checkShape(sizes), (out) => [...walk, value, x, out], 900);
}

function trilu(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const [rows, columns] = x.shape.slice(-2) as [number, number];
  const shift = c.known(1)?.[0] ?? 0;
  const comparison = c.int("upper", 1) === 1 ? "GreaterOrEqual" : "LessOrEqual";
  const kept = c.ops.by(comparison, c.ops.offDiagonal(rows, columns), shift);
  return [c.ops.where(kept, x, c.ops.scalar(x.type, 0))];
}

function eyeLike(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const [rows, columns] = x.shape as [number, number];
  const type = c.has("dtype") ? (elementTypeOf(c.int("dtype", 1)) ?? c.unsupported("this type")) : x.type;
  return [c.ops.cast(c.ops.by("Equal", c.ops.offDiagonal(rows, columns), c.int("k", 0)), type)];
}

function rangeOf(c: NodeContext): readonly Value[] {
  const values = [0, 1, 2].map((i) => c.input(i));
  const wide = values.map((value) => (value.type === "f16" ? c.ops.cast(value, "f32") : value));
  const [start, limit, delta] = wide.map((value) => c.ops.builder.knownNumbers(value)?.[0]);
  if (start === undefined || limit === undefined || delta === undefined) {
    return reject("ONNX_DYNAMIC", "the length of the range is not known before the run");
  }
  const count = Math.max(0, Math.ceil((limit - start) / delta));
  const { type } = values[0] as Value;
  const numbers = c.ops.cast(c.ops.iota("i64", count), type);
  return [c.ops.add(c.ops.mul(numbers, values[2] as Value), values[0] as Value)];
}

function depthToSpace(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const [n, depth, height, width] = x.shape as [number, number, number, number];
  const block = c.int("blocksize", 1);
  const rest = depth / (block * block);
  const columnsFirst = c.text("mode", "DCR") === "CRD";
  const sizes = columnsFirst ? [n, rest, block, block, height, width] : [n, block, block, rest, height, width];
  const order = columnsFirst ? [0, 1, 4, 2, 5, 3] : [0, 3, 4, 1, 5, 2];
  return [c.ops.reshape(c.ops.transpose(c.ops.reshape(x, sizes), order), [n, rest, height * block, width * block])];
}

function spaceToDepth(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const [n, depth, height, width] = x.shape as [number, number, number, number];
  const block = c.int("blocksize", 1);
  const sizes = [n, depth, height / block, block, width / block, block];
  const turned = c.ops.transpose(c.ops.reshape(x, sizes), [0, 3, 5, 1, 2, 4]);
  return [c.ops.reshape(turned, [n, depth * block * block, height / block, width / block])];
}

/** Crops or pads each of the axes around its middle. */
function centerCropPad(c: NodeContext): readonly Value[] {
  const wanted = c.known(1) ?? [];
  const rank = c.input(0).shape.length;
  const axes = (c.ints("axes") ?? wanted.map((_, i) => i)).map((axis) => axisOf(axis, rank));
  let x = c.input(0);
  axes.forEach((axis, i) => {
    const [size, target] = [x.shape[axis] as number, wanted[i] as number];
    if (target < size) x = c.ops.slice(x, axis, Math.floor((size - target) / 2), target);
    if (target <= size) return;
    const before = x.shape.map((_, d) => (d === axis ? Math.floor((target - size) / 2) : 0));
    const after = x.shape.map((_, d) => (d === axis ? target - size - (before[d] as number) : 0));
    x = padded(c, x, before, after, 0, c.ops.scalar(x.type, 0));
  });
  return [x];
}

/** Boxes of a tensor of known places: `low` and sizes of the part that takes the place of what was there. */
export function replaced(c: NodeContext, whole: Value, part: Value, low: Shape): Value {
  const strides = stridesOf(part.shape);
  const walk = [space(whole.shape), corner(low), space(part.shape), steps(strides)];
  return c.ops.each(`join_${bytesOf(whole.type)}`, whole.type, whole.shape, (out) => [...walk, part, whole, out], 600);
}

function reverseSequence(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const [time, batch] = [c.int("time_axis", 0), c.int("batch_axis", 1)];
  const count = x.shape[time] as number;
  const lengths = c.ops.reshape(
    c.ops.cast(c.input(1), "i64"),
    x.shape.map((size, d) => (d === batch ? size : 1)),
  );
  const position = c.ops.reshape(
    c.ops.iota("i64", count),
    x.shape.map((size, d) => (d === time ? size : 1)),
  );
  const turned = c.ops.by("Sub", c.ops.sub(lengths, position), 1);
  const index = c.ops.where(c.ops.binary("Less", position, lengths), turned, position);
  return [gatherElements(c, x, c.ops.expand(index, x.shape), time)];
}

/** Dimensions before and behind the axis are joined where x passes them in one go, so that many of them fit. */
export function gatherElements(c: NodeContext, x: Value, indices: Value, axis: number): Value {
  const strides = stridesOf(x.shape);
  const part = (start: number, end?: number): Walk =>
    coalesced({ sizes: indices.shape.slice(start, end), strides: [strides.slice(start, end)] });
  const [before, behind] = [part(0, axis), part(axis + 1)];
  const sizes = [...before.sizes, indices.shape[axis] as number, ...behind.sizes];
  const own = [...(before.strides[0] ?? []), strides[axis] as number, ...(behind.strides[0] ?? [])];
  if (sizes.length > KERNEL_RANK) return c.unsupported(`${x.shape.length} dimensions`);
  const at = KERNEL_RANK - sizes.length + before.sizes.length;
  const walk = [i32(at), i32(x.shape[axis] as number), space(sizes), steps(own)];
  const entry = `gather_elements_${bytesOf(x.type)}`;
  const kind = i32(kernelNumber(indices.type));
  return c.ops.each(entry, x.type, indices.shape, (out) => [...walk, kind, indices, x, out], 500);
}

export const SHAPES: Readonly<Record<string, Lowering>> = {
  Shape: shape,
  Size: (c) => [c.ops.scalar("i64", countOf(c.input(0).shape))],
  Constant: constant,
  ConstantOfShape: constantOfShape,
  Reshape: reshape,
  Flatten: flatten,
  Squeeze: squeeze,
  Unsqueeze: unsqueeze,
  Transpose: transpose,
  Expand: (c) => [c.ops.expand(c.input(0), c.known(1) ?? [])],
  Tile: (c) => [tiled(c, c.input(0), c.known(1) ?? [])],
  Slice: slice,
  Split: split,
  Concat: (c) => [
    c.ops.concat(
      c.inputs.filter((value) => value !== undefined),
      c.int("axis", 1),
    ),
  ],
  Pad: pad,
  Trilu: trilu,
  EyeLike: eyeLike,
  Range: rangeOf,
  DepthToSpace: depthToSpace,
  SpaceToDepth: spaceToDepth,
  CenterCropPad: centerCropPad,
  ReverseSequence: reverseSequence,
};
