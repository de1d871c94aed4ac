/** Operators whose results have as many elements as the values say, and tables that follow from a few numbers. */
import type { Value } from "../builder.ts";
import { type ElementType, elementTypeOf } from "../element-types.ts";
import { reject } from "../errors.ts";
import { axisOf } from "../geometry.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { checkTable, stridesOf } from "../tensor.ts";

interface Slices {
  /** The first of each kind, in the order of the result. */
  readonly first: readonly number[];
  /** For each slice the place of its kind in the result. */
  readonly kind: readonly number[];
  readonly counts: readonly number[];
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

function kindsOf(slices: readonly (readonly number[])[], sorted: boolean): Slices {
  const seen = new Map<string, number[]>();
  slices.forEach((slice, i) => {
    const key = slice.join();
    const found = seen.get(key);
    if (found === undefined) seen.set(key, [i]);
    else found.push(i);
  });
  const groups = [...seen.values()];
  const sliceOf = ([at = 0]: readonly number[]): readonly number[] => slices[at] as readonly number[];
  if (sorted) groups.sort((a, b) => compareLists(sliceOf(a), sliceOf(b)));
  const kind = new Array<number>(slices.length).fill(0);
  groups.forEach((members, place) => {
    for (const member of members) kind[member] = place;
  });
  return { first: groups.map(([at = 0]) => at), kind, counts: groups.map(({ length }) => length) };
}

/** Of known values: how many there are decides the shape. The elements themselves are gathered by the program. */
function unique(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const numbers = c.known(0) ?? [];
  if (numbers.some(Number.isNaN)) return c.unsupported("Unique of NaN");
  const axis = c.has("axis") ? axisOf(c.int("axis", 0), x.shape.length) : undefined;
  const value = axis === undefined ? c.ops.reshape(x, [numbers.length]) : x;
  const along = axis ?? 0;
  const [size, step] = [value.shape[along] ?? 0, stridesOf(value.shape)[along] ?? 1];
  const slices: number[][] = Array.from({ length: size }, () => []);
  numbers.forEach((number, at) => void slices[Math.floor(at / step) % size]?.push(number));
  const { first, kind, counts } = kindsOf(slices, c.int("sorted", 1) === 1);
  const list = (values: readonly number[]): Value => c.ops.constant("i64", [values.length], values);
  return [c.ops.gather(value, list(first), along), list(first), list(kind), list(counts)];
}

interface Box {
  readonly low: readonly [number, number];
  readonly high: readonly [number, number];
}

function boxOf([a = 0, b = 0, x = 0, y = 0]: readonly number[], centred: boolean): Box {
  if (centred) return { low: [a - x / 2, b - y / 2], high: [a + x / 2, b + y / 2] };
  return { low: [Math.min(a, x), Math.min(b, y)], high: [Math.max(a, x), Math.max(b, y)] };
}

/** What two boxes share, as a part of what they cover together. */
function overlap(a: Box, b: Box): number {
  const area = ({ low, high }: Box): number => (high[0] - low[0]) * (high[1] - low[1]);
  const side = (d: 0 | 1): number => Math.max(0, Math.min(a.high[d], b.high[d]) - Math.max(a.low[d], b.low[d]));
  const shared = side(0) * side(1);
  return shared === 0 ? 0 : shared / (area(a) + area(b) - shared);
}

/** Of boxes, all by all; a second or two. */
const MAX_COMPARISONS: number = 2 ** 28;

/** Of known boxes and scores: which boxes are left decides the shape. */
function nonMaxSuppression(c: NodeContext): readonly Value[] {
  const [boxes, scores] = [c.known(0) ?? [], c.known(1) ?? []];
  const [images = 0, classes = 0, count = 0] = c.input(1).shape;
  const [most = 0] = c.known(2) ?? [0];
  const [limit = 0] = c.known(3) ?? [0];
  const [least = Number.NEGATIVE_INFINITY] = c.known(4) ?? [];
  const centred = c.int("center_point_box", 0) === 1;
  if (images * classes * count * count > MAX_COMPARISONS) reject("ONNX_LIMIT", "too many boxes to compare");
  const selected: number[] = [];
  for (let image = 0; image < images; image++) {
    const own = Array.from({ length: count }, (_, i) => {
      const at = 4 * (image * count + i);
      return boxOf(boxes.slice(at, at + 4), centred);
    });
    for (let type = 0; type < classes; type++) {
      const base = (image * classes + type) * count;
      const score = (i: number): number => scores[base + i] as number;
      const order = own.map((_, i) => i).filter((i) => score(i) > least);
      order.sort((a, b) => score(b) - score(a) || a - b);
      for (const box of suppressed(own, order, most, limit)) selected.push(image, type, box);
    }
  }
  return [c.ops.constant("i64", [selected.length / 3, 3], selected)];
}

function suppressed(own: readonly Box[], order: readonly number[], most: number, limit: number): readonly number[] {
  const kept: number[] = [];
  for (const box of order) {
    if (kept.length >= most) break;
    if (kept.every((other) => overlap(own[box] as Box, own[other] as Box) <= limit)) kept.push(box);
  }
  return kept;
}

/** Triangles over frequencies, as far apart as people hear them. */
function melWeightMatrix(c: NodeContext): readonly Value[] {
  const [bins, length, rate, low, high] = [0, 1, 2, 3, 4].map((i) => c.known(i)?.[0]);
  if (bins === undefined || length === undefined || rate === undefined || low === undefined || high === undefined) {
    return reject("ONNX_FORMAT", "MelWeightMatrix has five inputs");
  }
  const type: ElementType = elementTypeOf(c.int("output_datatype", 1)) ?? c.unsupported("this type");
  const spectrum = Math.floor(length / 2) + 1;
  const mel = (hertz: number): number => 2595 * Math.log10(1 + hertz / 700);
  const [first, last] = [mel(low), mel(high)];
  const edges = Array.from({ length: checkTable(bins + 2) }, (_, i) => {
    const at = first + (i * (last - first)) / (bins + 2);
    return Math.floor(((length + 1) * 700 * (10 ** (at / 2595) - 1)) / rate);
  });
  const values = Array.from({ length: checkTable(spectrum * bins) }, (_, i) => {
    const [row, bin] = [Math.floor(i / bins), i % bins];
    const [left = 0, centre = 0, right = 0] = edges.slice(bin, bin + 3);
    if (row >= left && row < centre) return (row - left) / (centre - left);
    if (row === centre) return 1;
    return row > centre && row < right ? (right - row) / (right - centre) : 0;
  });
  return [c.ops.cast(c.ops.constant("f32", [spectrum, bins], values), type)];
}

export const SELECTION: Readonly<Record<string, Lowering>> = {
  Unique: unique,
  NonMaxSuppression: nonMaxSuppression,
  MelWeightMatrix: melWeightMatrix,
};
