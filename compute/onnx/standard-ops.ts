/**
 * Operations in single precision by the standard kernels, which devices have in their own form. Each gives `undefined`
 * where no standard kernel fits; then our own general kernels do the work.
 */
import type { Builder, Value } from "./builder.ts";
import { coalesced, repeatedStrides } from "./geometry.ts";
import { countOf, type Shape, stridesOf } from "./tensor.ts";

/** Kernels that devices have in their own form, for single precision; to the bit the same functions as ours. */
const STANDARD_UNARY: Readonly<Record<string, string>> = {
  Neg: "negate",
  Abs: "absolute",
  Reciprocal: "reciprocal",
  Sqrt: "square_root",
  Relu: "relu",
  Exp: "exponential",
  Log: "logarithm",
  Tanh: "hyperbolic_tangent",
  Erf: "error_function",
  Sigmoid: "sigmoid",
  Gelu: "gelu",
};
const STANDARD_BINARY: Readonly<Record<string, string>> = {
  Add: "add",
  Sub: "subtract",
  Mul: "multiply",
  Div: "divide",
};
const STANDARD_FOLDS: Readonly<Record<string, string>> = {
  Sum: "reduce_sum",
  Mean: "reduce_mean",
  Prod: "reduce_product",
  SumSquare: "reduce_sum_square",
};
/** Below these a block of the standard kernel would do more work than there is. */
const MIN_PRODUCT = 1_024;
const MIN_DEPTH = 64;
const MIN_COLUMNS = 64;
const MIN_SOFTMAX = 8;

export function standardUnary(builder: Builder, operator: string, x: Value): Value | undefined {
  const name = STANDARD_UNARY[operator];
  return name === undefined ? undefined : builder.standard(name, [countOf(x.shape)], [x], x.shape);
}

/** Numbers, rows, columns and channels: operands of which element i is number i / each modulo count. */
export function standardBinary(
  builder: Builder,
  operator: string,
  x: Value,
  y: Value,
  shape: Shape,
): Value | undefined {
  const name = STANDARD_BINARY[operator];
  const repeats = [x, y].map((value) => repetition(value.shape, shape));
  if (name === undefined || repeats.includes(undefined)) return undefined;
  const numbers = repeats.flatMap((repeat) => [repeat?.each ?? 1, repeat?.count ?? 1]);
  return builder.standard(name, [countOf(shape), ...numbers], [x, y], shape);
}

/** Neighbouring axes are folded where they lie, without turning the tensor. */
export function standardFold(builder: Builder, operator: string, x: Value, axes: readonly number[]): Value | undefined {
  const name = STANDARD_FOLDS[operator];
  const sorted = [...axes].sort((a, b) => a - b);
  const [first = 0] = sorted;
  const together = sorted.every((d, i) => d === first + i);
  const columns = countOf(sorted.map((d) => x.shape[d] as number));
  if (name === undefined || !together || columns < MIN_COLUMNS) return undefined;
  const inner = countOf(x.shape.slice(first + sorted.length));
  const rows = countOf(x.shape) / columns;
  return builder.standard(name, [rows, columns, inner], [x], [rows]);
}

/** Along the last dimension. */
export function standardSoftmax(builder: Builder, x: Value, axis: number): Value | undefined {
  const columns = x.shape[axis] as number;
  if (axis !== x.shape.length - 1 || columns < MIN_SOFTMAX) return undefined;
  return builder.standard("softmax", [countOf(x.shape) / columns, columns], [x], x.shape);
}

/** A value seen through steps: position p of the shape is element p * strides of the source. */
export interface Strided {
  readonly source: Value;
  readonly shape: Shape;
  readonly strides: readonly number[];
  readonly base: number;
}

/** Batches that both sides pass in one step; transposed sides are read where they lie. */
export function standardProduct(
  builder: Builder,
  a: Strided,
  b: Strided,
  batch: Shape,
  [m, n, depth]: readonly [number, number, number],
): Value | undefined {
  if (a.source.type !== "f32" || depth === 0) return undefined;
  if (m * n < MIN_PRODUCT && depth < MIN_DEPTH) return undefined;
  const strides = [a, b].map((side) => repeatedStrides(side.shape.slice(0, -2), side.strides.slice(0, -2), batch));
  const joined = coalesced({ sizes: batch, strides });
  const sides = [a, b].flatMap((side, i) => [joined.strides[i]?.[0] ?? 0, ...side.strides.slice(-2)]);
  if (joined.sizes.length > 1 || sides.some((step) => step < 0)) return undefined;
  const shape = [...batch, m, n];
  return builder.standard("gemm", [m, n, depth, ...sides], [a.source, b.source], shape, joined.sizes[0] ?? 1);
}

interface Repetition {
  readonly each: number;
  readonly count: number;
}

/** How a shape is repeated to a larger one, when that is one run of elements, each several times, over and over. */
function repetition(from: Shape, shape: Shape): Repetition | undefined {
  const strides = repeatedStrides(from, stridesOf(from), shape);
  const { sizes, strides: joined } = coalesced({ sizes: shape, strides: [strides] });
  const own = joined[0] ?? [];
  const kept = own.flatMap((stride, d) => (stride !== 0 ? [d] : []));
  const [first] = kept;
  if (first === undefined) return { each: Math.max(1, countOf(shape)), count: 1 };
  if (kept.length > 1 || own[first] !== 1) return undefined;
  return { each: countOf(sizes.slice(first + 1)), count: sizes[first] as number };
}
