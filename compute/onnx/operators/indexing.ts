/** Operators that find or put elements by index. */
import type { Value } from "../builder.ts";
import { bytesOf, kernelNumber } from "../element-types.ts";
import { reject } from "../errors.ts";
import { axisOf, i32, KERNEL_RANK, space, steps, u32 } from "../geometry.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { countOf, stridesOf } from "../tensor.ts";
import { gatherElements, replaced } from "./shapes.ts";

function gather(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  return [c.ops.gather(x, c.input(1), axisOf(c.int("axis", 0), x.shape.length))];
}

function elements(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  return [gatherElements(c, x, c.input(1), axisOf(c.int("axis", 0), x.shape.length))];
}

function gatherNd(c: NodeContext): readonly Value[] {
  const [x, indices] = [c.input(0), c.input(1)];
  const batch = c.int("batch_dims", 0);
  const depth = indices.shape.at(-1) ?? 0;
  const from = x.shape.slice(batch, batch + depth);
  const inner = x.shape.slice(batch + depth);
  if (depth > KERNEL_RANK) return c.unsupported(`tuples of ${depth}`);
  const tuples = countOf(indices.shape.slice(batch, -1));
  const sizes = [...from, ...Array.from({ length: KERNEL_RANK - depth }, () => 1)];
  const numbers = [u32(tuples), i32(depth), u32(countOf(inner)), u32(countOf(from)), space(sizes)];
  const shape = [...indices.shape.slice(0, -1), ...inner];
  const entry = `gather_nd_${bytesOf(x.type)}`;
  const kind = i32(kernelNumber(indices.type));
  return [c.ops.each(entry, x.type, shape, (out) => [...numbers, kind, indices, x, out], 900)];
}

const REDUCTIONS: readonly string[] = ["add", "mul", "min", "max"];

/** Which reduction, in which type: halves and integers go through single precision. */
function reductionOf(c: NodeContext): number {
  return REDUCTIONS.indexOf(c.text("reduction", "none"));
}

function scatterElements(c: NodeContext): readonly Value[] {
  const [x, indices] = [c.input(0), c.input(1)];
  const rank = x.shape.length;
  if (rank > KERNEL_RANK) return c.unsupported(`${rank} dimensions`);
  const axis = axisOf(c.int("axis", 0), rank);
  const extent = indices.shape.map((size, d) => (d === axis ? (x.shape[d] as number) : size));
  const count = indices.shape[axis] as number;
  const numbers = [
    ...[i32(axis + KERNEL_RANK - rank), u32(x.shape[axis] as number), u32(count), space(x.shape), space(extent)],
    ...[steps(stridesOf(indices.shape)), i32(kernelNumber(indices.type))],
  ];
  const how = reductionOf(c);
  if (how < 0) {
    const entry = `scatter_elements_${bytesOf(x.type)}`;
    const given = [...numbers, indices, c.input(2), x];
    return [c.ops.each(entry, x.type, x.shape, (out) => [...given, out], 900 + 80 * count)];
  }
  const [wide, updates] = [c.ops.cast(x, "f32"), c.ops.cast(c.input(2), "f32")];
  const given = [i32(how), ...numbers, indices, updates, wide];
  const made = c.ops.each("scatter_elements_reduce", "f32", x.shape, (out) => [...given, out], 900 + 120 * count);
  return [c.ops.cast(made, x.type)];
}

function scatterNd(c: NodeContext): readonly Value[] {
  const [x, indices] = [c.input(0), c.input(1)];
  const depth = indices.shape.at(-1) ?? 0;
  if (depth > KERNEL_RANK) return c.unsupported(`tuples of ${depth}`);
  const tuples = countOf(indices.shape.slice(0, -1));
  const sizes = [...x.shape.slice(0, depth), ...Array.from({ length: KERNEL_RANK - depth }, () => 1)];
  const numbers = [
    ...[u32(tuples), i32(depth), u32(countOf(x.shape.slice(depth))), space(sizes), i32(kernelNumber(indices.type))],
  ];
  const how = reductionOf(c);
  const fuel = 900 + 600 * tuples;
  if (how < 0) {
    const given = [...numbers, indices, c.input(2), x];
    return [c.ops.each(`scatter_nd_${bytesOf(x.type)}`, x.type, x.shape, (out) => [...given, out], fuel)];
  }
  const given = [i32(how), ...numbers, indices, c.ops.cast(c.input(2), "f32"), c.ops.cast(x, "f32")];
  const made = c.ops.each("scatter_nd_reduce", "f32", x.shape, (out) => [...given, out], fuel);
  return [c.ops.cast(made, x.type)];
}

/** 1 where the class is the index, with the classes along an axis of their own. */
function oneHot(c: NodeContext): readonly Value[] {
  const depth = c.known(1)?.[0];
  if (depth === undefined) return reject("ONNX_DYNAMIC", "the number of classes is not known before the run");
  const indices = c.ops.cast(c.input(0), "i64");
  const rank = indices.shape.length + 1;
  const axis = axisOf(c.int("axis", -1), rank);
  const turned = c.ops.by("Mod", indices, depth);
  const inRange = c.ops.binary("And", c.ops.by("GreaterOrEqual", indices, -depth), c.ops.by("Less", indices, depth));
  const wide = [...indices.shape.slice(0, axis), 1, ...indices.shape.slice(axis)];
  const classes = c.ops.reshape(c.ops.iota("i64", depth), [depth, ...wide.slice(axis + 1).map(() => 1)]);
  const hit = c.ops.binary("Equal", c.ops.reshape(turned, wide), classes);
  const on = c.ops.binary("And", hit, c.ops.reshape(inRange, wide));
  const values = c.input(2);
  return [c.ops.where(on, c.ops.slice(values, 0, 1, 1), c.ops.slice(values, 0, 0, 1))];
}

/** The positions where a known condition holds. */
function compress(c: NodeContext): readonly Value[] {
  const condition = c.known(1) ?? [];
  const x = c.has("axis") ? c.input(0) : c.ops.reshape(c.input(0), [countOf(c.input(0).shape)]);
  const axis = axisOf(c.int("axis", 0), x.shape.length);
  const kept = condition.slice(0, x.shape[axis]).flatMap((truth, i) => (truth !== 0 ? [i] : []));
  return [c.ops.gather(x, c.ops.constant("i64", [kept.length], kept), axis)];
}

/** Positions of what is not zero, one row for each dimension; the tensor must be known, because its shape is the count. */
function nonZero(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const wide = x.type === "f16" ? c.ops.cast(x, "f32") : x;
  const values = c.ops.builder.knownNumbers(wide);
  if (values === undefined) return reject("ONNX_DYNAMIC", "how many are not zero is not known before the run");
  const strides = stridesOf(x.shape);
  const places = values.flatMap((value, i) => (value !== 0 ? [i] : []));
  const rows = x.shape.flatMap((size, d) => places.map((at) => Math.floor(at / (strides[d] as number)) % size));
  return [c.ops.constant("i64", [x.shape.length, places.length], rows)];
}

/** Writes the update at a position of each batch: the cache of a decoder. */
function tensorScatter(c: NodeContext): readonly Value[] {
  const [past, update] = [c.input(0), c.input(1)];
  const axis = axisOf(c.int("axis", -2), past.shape.length);
  const [size, width] = [past.shape[axis] as number, update.shape[axis] as number];
  const circular = c.text("mode", "linear") === "circular";
  const starts = c.known(2) ?? [];
  let result = past;
  const batches = past.shape[0] ?? 1;
  for (let batch = 0; batch < batches; batch++) {
    const own = c.ops.slice(update, 0, batch, 1);
    for (let at = 0; at < width; at++) {
      const place = (starts[batch] ?? 0) + at;
      const low = past.shape.map((_, d) => (d === 0 ? batch : d === axis ? (circular ? place % size : place) : 0));
      result = replaced(c, result, c.ops.slice(own, axis, at, 1), low);
    }
  }
  return [result];
}

export const INDEXING: Readonly<Record<string, Lowering>> = {
  Gather: gather,
  GatherElements: elements,
  GatherND: gatherNd,
  ScatterElements: scatterElements,
  Scatter: scatterElements,
  ScatterND: scatterNd,
  OneHot: oneHot,
  Compress: compress,
  NonZero: nonZero,
  TensorScatter: tensorScatter,
};
