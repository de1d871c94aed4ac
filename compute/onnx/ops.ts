/** Operations on values that operators are made of: each is one launch, or a few. */
import { hasOnnxKernel } from "../kernels/onnx/onnx-kernels.ts";
import type { Builder, LaunchArgument, Value } from "./builder.ts";
import { bytesOf, type ElementType, kernelNumber } from "./element-types.ts";
import { reject } from "./errors.ts";
import { axisOf, broadcast, coalesced, corner, f32, i32, repeatedStrides, space, steps, u32 } from "./geometry.ts";
import {
  type Strided,
  standardBinary,
  standardFold,
  standardProduct,
  standardSoftmax,
  standardUnary,
} from "./standard-ops.ts";
import { checkTable, countOf, type Shape, stridesOf, tensorOf } from "./tensor.ts";

/** Upper bounds of what one element takes: the walk to it, and a function of it. */
const WALK = 260;
const FUNCTION = 1_200;

const COMPARISONS: ReadonlySet<string> = new Set(["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"]);
const LOGIC: ReadonlySet<string> = new Set(["And", "Or", "Xor"]);

export class Ops {
  readonly builder: Builder;
  /** Stores that hold a view of another value: kernels that take steps can look there instead. */
  readonly #views = new Map<number, Strided>();

  constructor(builder: Builder) {
    this.builder = builder;
  }

  /** One launch over the elements of what it makes. */
  each(
    entry: string,
    type: ElementType,
    shape: Shape,
    given: (out: LaunchArgument) => LaunchArgument[],
    fuel: number = WALK,
  ): Value {
    const count = countOf(shape);
    const out = { type, made: shape };
    return this.builder.launch(entry, { kind: "elements", count }, [u32(count), ...given(out)], fuel)[0] as Value;
  }

  constant(type: ElementType, shape: Shape, values: readonly number[]): Value {
    if (type === "f16") return this.cast(this.constant("f32", shape, values), "f16");
    return this.builder.constant(tensorOf(type, shape, values));
  }

  scalar(type: ElementType, value: number): Value {
    return this.constant(type, [], [value]);
  }

  cast(x: Value, type: ElementType): Value {
    if (x.type === type) return x;
    const numbers = [i32(kernelNumber(x.type)), i32(kernelNumber(type))];
    return this.each("Cast", type, x.shape, (out) => [...numbers, x, out], WALK);
  }

  /** Runs in single precision for halves, then rounds once. */
  inFloat(x: Value, run: (x: Value) => Value): Value {
    return x.type === "f16" ? this.cast(run(this.cast(x, "f32")), "f16") : run(x);
  }

  unary(operator: string, x: Value, a = 0, b = 0): Value {
    if (x.type === "f16") return this.inFloat(x, (wide) => this.unary(operator, wide, a, b));
    if (x.type === "f32") {
      const standard = standardUnary(this.builder, operator, x);
      if (standard !== undefined) return standard;
      return this.each(`u_${operator}`, "f32", x.shape, (out) => [f32(a), f32(b), x, out], FUNCTION);
    }
    const entry = `${x.type === "f64" ? "ud" : "ui"}_${operator}`;
    if (!hasOnnxKernel(entry)) reject("ONNX_UNSUPPORTED", `${operator} of ${x.type}`);
    const kind = x.type === "f64" ? [] : [i32(kernelNumber(x.type))];
    return this.each(entry, x.type, x.shape, (out) => [...kind, x, out], FUNCTION);
  }

  binary(operator: string, x: Value, y: Value): Value {
    if (x.type !== y.type) reject("ONNX_SHAPE", `${operator} of ${x.type} and ${y.type}`);
    const truth = COMPARISONS.has(operator) || LOGIC.has(operator);
    if (x.type === "f16") {
      const wide = this.binary(operator, this.cast(x, "f32"), this.cast(y, "f32"));
      return truth ? wide : this.cast(wide, "f16");
    }
    const prefix = x.type === "f32" ? "bf" : x.type === "f64" ? "bd" : "bi";
    const entry = `${prefix}_${operator}`;
    if (!hasOnnxKernel(entry)) reject("ONNX_UNSUPPORTED", `${operator} of ${x.type}`);
    const shape = broadcast(x.shape, y.shape);
    const standard = prefix === "bf" ? standardBinary(this.builder, operator, x, y, shape) : undefined;
    if (standard !== undefined) return standard;
    const walk = this.#walk(shape, [x, y]);
    const kind = prefix === "bi" ? [i32(kernelNumber(x.type))] : [];
    const fuel = operator === "Fmod" ? 60_000 : operator === "Pow" ? 4_000 : 2 * WALK;
    return this.each(entry, truth ? "bool" : x.type, shape, (out) => [...kind, ...walk, x, y, out], fuel);
  }

  /** Space and steps of operands that are repeated to a shape. */
  #walk(shape: Shape, values: readonly Value[]): readonly Uint8Array[] {
    const strides = values.map((value) => repeatedStrides(value.shape, stridesOf(value.shape), shape));
    const joined = coalesced({ sizes: shape, strides });
    return [space(joined.sizes), ...joined.strides.map((own) => steps(own))];
  }

  add(x: Value, y: Value): Value {
    return this.binary("Add", x, y);
  }

  sub(x: Value, y: Value): Value {
    return this.binary("Sub", x, y);
  }

  mul(x: Value, y: Value): Value {
    return this.binary("Mul", x, y);
  }

  div(x: Value, y: Value): Value {
    return this.binary("Div", x, y);
  }

  /** With a number of the same type. */
  by(operator: string, x: Value, number: number): Value {
    return this.binary(operator, x, this.scalar(x.type, number));
  }

  not(x: Value): Value {
    return this.unary("Not", x);
  }

  where(condition: Value, x: Value, y: Value): Value {
    if (x.type !== y.type || condition.type !== "bool") reject("ONNX_SHAPE", `Where of ${x.type} and ${y.type}`);
    const shape = broadcast(condition.shape, broadcast(x.shape, y.shape));
    const walk = this.#walk(shape, [condition, x, y]);
    const entry = `where_${bytesOf(x.type)}`;
    return this.each(entry, x.type, shape, (out) => [...walk, condition, x, y, out], 2 * WALK);
  }

  reshape(x: Value, shape: Shape): Value {
    if (countOf(shape) !== countOf(x.shape)) {
      reject("ONNX_SHAPE", `[${x.shape.join(", ")}] has not the elements of [${shape.join(", ")}]`);
    }
    return this.builder.as(x, shape);
  }

  copy(x: Value): Value {
    return this.each(`copy_${bytesOf(x.type)}`, x.type, x.shape, (out) => [x, out]);
  }

  /** Elements in another order, some more than once: position p of the result is `base` + p * strides in x. */
  view(x: Value, shape: Shape, strides: readonly number[], base = 0): Value {
    const joined = coalesced({ sizes: shape, strides: [strides] });
    const plain =
      base === 0 && countOf(shape) === countOf(x.shape) && joined.strides[0]?.join() === stridesOf(joined.sizes).join();
    if (plain) return this.builder.as(x, shape);
    const made = this.#walked(x, shape, joined.sizes, joined.strides[0] ?? [], base);
    this.#views.set(made.store, { source: x, shape, strides, base });
    return made;
  }

  #walked(x: Value, shape: Shape, sizes: Shape, strides: readonly number[], base: number): Value {
    const size = bytesOf(x.type);
    if (sizes.length > 3) {
      const walk = [space(sizes), steps(strides, base)];
      return this.each(`view_${size}`, x.type, shape, (out) => [...walk, x, out]);
    }
    const [, middle = 1, inner = 1] = [...[1, 1, 1].slice(sizes.length), ...sizes];
    const numbers = [u32(middle), u32(inner), i32(base), ...[...[0, 0, 0].slice(strides.length), ...strides].map(i32)];
    return this.each(`view3_${size}`, x.type, shape, (out) => [...numbers, x, out]);
  }

  transpose(x: Value, order: readonly number[]): Value {
    const strides = stridesOf(x.shape);
    const shape = order.map((d) => x.shape[d] as number);
    return this.view(
      x,
      shape,
      order.map((d) => strides[d] as number),
    );
  }

  expand(x: Value, shape: Shape): Value {
    const target = broadcast(x.shape, shape);
    return this.view(x, target, repeatedStrides(x.shape, stridesOf(x.shape), target));
  }

  /** `size` positions along an axis from `start` on, `step` apart. */
  slice(x: Value, axis: number, start: number, size: number, step = 1): Value {
    const strides = stridesOf(x.shape);
    const along = strides[axis] as number;
    const shape = x.shape.map((old, d) => (d === axis ? size : old));
    return this.view(
      x,
      shape,
      strides.map((stride, d) => (d === axis ? stride * step : stride)),
      start * along,
    );
  }

  /** Position `at` along an axis, which goes away. */
  take(x: Value, axis: number, at: number): Value {
    return this.reshape(
      this.slice(x, axis, at, 1),
      x.shape.filter((_, d) => d !== axis),
    );
  }

  concat(values: readonly Value[], axis: number): Value {
    const [first] = values;
    if (first === undefined) return reject("ONNX_SHAPE", "nothing to join");
    const along = axisOf(axis, first.shape.length);
    const present = values.filter(({ shape }) => countOf(shape) > 0);
    const total = values.reduce((sum, { shape }) => sum + (shape[along] ?? 0), 0);
    const shape = first.shape.map((size, d) => (d === along ? total : size));
    if (present.length === 1 && countOf(shape) === countOf(present[0]?.shape ?? [])) {
      return this.reshape(present[0] as Value, shape);
    }
    return this.#joined(present, along, shape);
  }

  /** Each part is chosen by its place: what lies before it comes from the value so far. */
  #joined(values: readonly Value[], axis: number, shape: Shape): Value {
    const [first] = values;
    if (first === undefined) return this.constant("f32", shape, []);
    const inner = countOf(shape.slice(axis + 1));
    const outer = countOf(shape.slice(0, axis));
    let low = 0;
    let result = this.#filled(first, outer, countOf(shape.slice(axis)));
    for (const value of values) {
      const width = (value.shape[axis] as number) * inner;
      if (value.type !== first.type) reject("ONNX_SHAPE", `joins ${first.type} and ${value.type}`);
      result = this.#withPart(result, this.reshape(value, [outer, width]), low);
      low += width;
    }
    return this.reshape(result, shape);
  }

  #filled(like: Value, rows: number, columns: number): Value {
    const zero = this.constant(like.type, [1], [0]);
    return this.each(`fill_${bytesOf(like.type)}`, like.type, [rows, columns], (out) => [zero, out]);
  }

  /** `whole` of [rows, columns] with `part` from column `low` on. */
  #withPart(whole: Value, part: Value, low: number): Value {
    const [rows = 1, columns = 1] = whole.shape;
    const width = part.shape[1] as number;
    const fits = [space([rows, columns]), corner([0, low]), space([rows, width]), steps([width, 1])];
    const entry = `join_${bytesOf(whole.type)}`;
    return this.each(entry, whole.type, whole.shape, (out) => [...fits, part, whole, out], 2 * WALK);
  }

  /** Whether the axes are the last ones, and the order that would make them so. */
  #lastOrder(rank: number, axes: readonly number[]): readonly number[] {
    const rest = Array.from({ length: rank }, (_, d) => d).filter((d) => !axes.includes(d));
    return [...rest, ...axes];
  }

  /** Rows along the axes: [rows, columns], with the order that they were brought into. */
  rows(
    x: Value,
    axes: readonly number[],
  ): { readonly value: Value; readonly order: readonly number[]; readonly rows: number; readonly columns: number } {
    const sorted = [...axes].sort((a, b) => a - b);
    const order = this.#lastOrder(x.shape.length, sorted);
    const columns = countOf(sorted.map((d) => x.shape[d] as number));
    const rows = countOf(order.slice(0, order.length - sorted.length).map((d) => x.shape[d] as number));
    return { value: this.transpose(x, order), order, rows, columns };
  }

  /** Folds the axes away; kept ones stay with size 1. */
  reduce(operator: string, x: Value, axes: readonly number[], keep: boolean): Value {
    if (x.type === "f16") return this.inFloat(x, (wide) => this.reduce(operator, wide, axes, keep));
    const shape = keep
      ? x.shape.map((size, d) => (axes.includes(d) ? 1 : size))
      : x.shape.filter((_, d) => !axes.includes(d));
    const standard = x.type === "f32" ? standardFold(this.builder, operator, x, axes) : undefined;
    if (standard !== undefined) return this.reshape(standard, shape);
    const { value, rows, columns } = this.rows(x, axes);
    const prefix = x.type === "f32" ? "rf" : x.type === "f64" ? "rd" : "ri";
    const entry = operator === "LogSumExp" ? operator : `${prefix}_${operator}`;
    if (!hasOnnxKernel(entry) || (operator === "LogSumExp" && x.type !== "f32")) {
      reject("ONNX_UNSUPPORTED", `folding ${x.type} by ${operator}`);
    }
    const kind = prefix === "ri" ? [i32(kernelNumber(x.type))] : [];
    const given = [u32(rows), u32(columns), ...kind, value, { type: x.type, made: [rows] }];
    const perColumn = operator === "LogSumExp" ? 200 : 60;
    const [folded] = this.builder.launch(entry, { kind: "rows", count: rows }, given, 400 + columns * perColumn);
    return this.reshape(folded as Value, shape);
  }

  /** A kernel that makes each row along an axis from the same row, in single precision. */
  alongAxis(
    entry: string,
    x: Value,
    axis: number,
    numbers: readonly Uint8Array[] = [],
    type: ElementType = x.type,
  ): Value {
    const { value, order, rows, columns } = this.rows(x, [axis]);
    const shape = order.map((d) => x.shape[d] as number);
    const given = [u32(rows), u32(columns), ...numbers, value, { type, made: shape }];
    const [made] = this.builder.launch(entry, { kind: "rows", count: rows }, given, 600 + columns * 450);
    return this.transpose(made as Value, inverse(order));
  }

  softmax(x: Value, axis: number): Value {
    if (x.type === "f64") {
      const { powers, sum } = this.#powers(x, axis);
      return this.div(powers, sum);
    }
    return this.#float(
      "Softmax",
      x,
      (wide) => standardSoftmax(this.builder, wide, axis) ?? this.alongAxis("Softmax", wide, axis),
    );
  }

  logSoftmax(x: Value, axis: number): Value {
    if (x.type === "f64") {
      const { lowered, sum } = this.#powers(x, axis);
      return this.sub(lowered, this.unary("Log", sum));
    }
    return this.#float("LogSoftmax", x, (wide) => this.alongAxis("LogSoftmax", wide, axis));
  }

  hardmax(x: Value, axis: number): Value {
    return this.#float("Hardmax", x, (wide) => this.alongAxis("Hardmax", wide, axis));
  }

  /** Of softmax and its logarithm in doubles, which have no kernel: x less its largest, powers of e, and their sum. */
  #powers(x: Value, axis: number): { readonly lowered: Value; readonly powers: Value; readonly sum: Value } {
    const lowered = this.sub(x, this.reduce("Max", x, [axis], true));
    const powers = this.unary("Exp", lowered);
    return { lowered, powers, sum: this.reduce("Sum", powers, [axis], true) };
  }

  #float(operator: string, x: Value, run: (x: Value) => Value): Value {
    if (x.type !== "f32" && x.type !== "f16") reject("ONNX_UNSUPPORTED", `${operator} of ${x.type}`);
    return this.inFloat(x, run);
  }

  /** Products of the last two dimensions, repeated over those before. */
  matmul(a: Value, b: Value): Value {
    if (a.type !== b.type) reject("ONNX_SHAPE", `products of ${a.type} and ${b.type}`);
    if (a.type === "f16") return this.cast(this.matmul(this.cast(a, "f32"), this.cast(b, "f32")), "f16");
    const left = a.shape.length === 1 ? this.reshape(a, [1, ...a.shape]) : a;
    const right = b.shape.length === 1 ? this.reshape(b, [...b.shape, 1]) : b;
    const made = this.#product(left, right);
    const shape = [...made.shape];
    if (b.shape.length === 1) shape.pop();
    if (a.shape.length === 1) shape.splice(made.shape.length - 2, 1);
    return this.reshape(made, shape);
  }

  /** The value that a view looks at, when the shape is still the view's. */
  #strided(value: Value): Strided {
    const view = this.#views.get(value.store);
    if (view !== undefined && view.base === 0 && view.shape.join() === value.shape.join()) return view;
    return { source: value, shape: value.shape, strides: stridesOf(value.shape), base: 0 };
  }

  #product(a: Value, b: Value): Value {
    const [m, depth] = a.shape.slice(-2) as [number, number];
    const [inner, n] = b.shape.slice(-2) as [number, number];
    if (inner !== depth) reject("ONNX_SHAPE", `[${a.shape.join(", ")}] times [${b.shape.join(", ")}]`);
    const batch = broadcast(a.shape.slice(0, -2), b.shape.slice(0, -2));
    const [aStrides, bStrides] = [stridesOf(a.shape), stridesOf(b.shape)];
    const strides = [
      [...repeatedStrides(a.shape.slice(0, -2), aStrides, batch), depth, 0],
      [...repeatedStrides(b.shape.slice(0, -2), bStrides, batch), 0, 1],
    ];
    const standard = standardProduct(this.builder, this.#strided(a), this.#strided(b), batch, [m, n, depth]);
    if (standard !== undefined) return standard;
    const joined = coalesced({ sizes: [...batch, m, n], strides });
    const [p = [], q = []] = joined.strides;
    const walk = [u32(depth), space(joined.sizes), steps(p), i32(1), steps(q), i32(n)];
    const name = a.type === "u32" ? "i32" : a.type === "u64" ? "i64" : a.type;
    const entry = `matmul_${name}`;
    if (!hasOnnxKernel(entry)) reject("ONNX_UNSUPPORTED", `products of ${a.type}`);
    return this.each(entry, a.type, [...batch, m, n], (out) => [...walk, a, b, out], 2 * WALK + 40 * depth);
  }

  /** y[outer, i, inner] = x[outer, indices[i], inner]. */
  gather(x: Value, indices: Value, axis: number): Value {
    const before = x.shape.slice(0, axis);
    const after = x.shape.slice(axis + 1);
    const numbers = [x.shape[axis] as number, countOf(indices.shape), countOf(after)].map(u32);
    const shape = [...before, ...indices.shape, ...after];
    const kind = i32(kernelNumber(indices.type));
    return this.each(`gather_${bytesOf(x.type)}`, x.type, shape, (out) => [...numbers, kind, indices, x, out]);
  }

  /** How far each element of a matrix lies to the right of the diagonal. */
  offDiagonal(rows: number, columns: number): Value {
    return this.sub(this.iota("i64", columns), this.reshape(this.iota("i64", rows), [rows, 1]));
  }

  /** 0, 1, 2, ... */
  iota(type: ElementType, count: number): Value {
    return this.constant(
      type,
      [count],
      Array.from({ length: checkTable(count) }, (_, i) => i),
    );
  }
}

export function inverse(order: readonly number[]): readonly number[] {
  const back = order.map(() => 0);
  order.forEach((d, i) => {
    back[d] = i;
  });
  return back;
}
