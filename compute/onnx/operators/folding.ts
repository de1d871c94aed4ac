/** Operators that fold dimensions away, or go along one. */
import type { Value } from "../builder.ts";
import { kernelNumber } from "../element-types.ts";
import { reject } from "../errors.ts";
import { axisOf, f32, i32, u32 } from "../geometry.ts";
import type { Lowering, NodeContext } from "../node-context.ts";
import { inverse } from "../ops.ts";
import { countOf } from "../tensor.ts";

/** Axes from an attribute or an input; none means all, unless the node says that it means none. */
function axesOf(c: NodeContext, rank: number): readonly number[] {
  const given = c.listed("axes", 1) ?? [];
  if (given.length > 0) return given.map((axis) => axisOf(axis, rank));
  return c.int("noop_with_empty_axes", 0) === 1 ? [] : Array.from({ length: rank }, (_, d) => d);
}

function reduce(operator: string): Lowering {
  return (c) => {
    const x = c.input(0);
    const axes = axesOf(c, x.shape.length);
    return [folded(c, operator, x, axes, c.int("keepdims", 1) === 1)];
  };
}

function folded(c: NodeContext, operator: string, x: Value, axes: readonly number[], keep: boolean): Value {
  if (operator === "LogSum") return c.ops.unary("Log", c.ops.reduce("Sum", x, axes, keep));
  if (operator === "LogSumExp" && x.type === "f64") return logSumExp(c, x, axes, keep);
  if (operator === "L2" && !x.type.startsWith("f")) {
    const wide = c.ops.reduce("L2", c.ops.cast(x, "f64"), axes, keep);
    return c.ops.cast(wide, x.type);
  }
  return c.ops.reduce(operator, x, axes, keep);
}

/** The largest is taken out first, so that nothing overflows. */
function logSumExp(c: NodeContext, x: Value, axes: readonly number[], keep: boolean): Value {
  const most = c.ops.reduce("Max", x, axes, true);
  const sum = c.ops.reduce("Sum", c.ops.unary("Exp", c.ops.sub(x, most)), axes, true);
  const result = c.ops.add(c.ops.unary("Log", sum), most);
  return keep
    ? result
    : c.ops.reshape(
        result,
        x.shape.filter((_, d) => !axes.includes(d)),
      );
}

function extreme(smallest: boolean): Lowering {
  return (c) => {
    const given = c.input(0);
    const x = given.type === "f16" ? c.ops.cast(given, "f32") : given;
    const axis = axisOf(c.int("axis", 0), x.shape.length);
    const last = i32(c.int("select_last_index", 0));
    const { value, rows, columns } = c.ops.rows(x, [axis]);
    const out = { type: "i64", made: [rows] } as const;
    const numbers = [u32(rows), u32(columns)];
    if (x.type === "f64") return c.unsupported("positions among f64");
    const [entry, ...rest] =
      x.type === "f32"
        ? (["ArgF", f32(smallest ? -1 : 1), last] as const)
        : (["ArgI", i32(kernelNumber(x.type)), i32(smallest ? 1 : 0), last] as const);
    const given2 = [...numbers, ...rest, value, out];
    const [found] = c.ops.builder.launch(entry, { kind: "rows", count: rows }, given2, 400 + 90 * columns);
    const keep = c.int("keepdims", 1) === 1;
    const shape = keep ? x.shape.map((size, d) => (d === axis ? 1 : size)) : x.shape.filter((_, d) => d !== axis);
    return [c.ops.reshape(found as Value, shape)];
  };
}

/** Before version 13 all dimensions from the axis on were one. */
function normalised(operator: "softmax" | "logSoftmax" | "hardmax"): Lowering {
  return (c) => {
    const x = c.input(0);
    const old = c.opset < 13;
    const axis = axisOf(c.int("axis", old ? 1 : -1), x.shape.length);
    const flat = old ? c.ops.reshape(x, [countOf(x.shape.slice(0, axis)), countOf(x.shape.slice(axis))]) : x;
    return [c.ops.reshape(c.ops[operator](flat, old ? 1 : axis), x.shape)];
  };
}

function running(operator: "Sum" | "Prod"): Lowering {
  return (c) => {
    const given = c.input(0);
    const axis = c.known(1)?.[0];
    if (axis === undefined) return reject("ONNX_DYNAMIC", "the axis is not known before the run");
    const prefixes: Readonly<Record<string, string>> = {
      f32: "cf",
      f64: "cd",
      i32: "c32",
      u32: "c32",
      i64: "c64",
      u64: "c64",
    };
    const x = given.type === "f16" ? c.ops.cast(given, "f32") : given;
    const prefix = prefixes[x.type];
    if (prefix === undefined) return c.unsupported(`running sums of ${x.type}`);
    const flags = [i32(c.int("exclusive", 0)), i32(c.int("reverse", 0))];
    const made = c.ops.alongAxis(`${prefix}_${operator}`, x, axisOf(axis, x.shape.length), flags);
    return [c.ops.cast(made, given.type)];
  };
}

function topK(c: NodeContext): readonly Value[] {
  const given = c.input(0);
  const x = given.type === "f16" ? c.ops.cast(given, "f32") : given;
  const k = c.has("k") ? c.int("k", 1) : c.known(1)?.[0];
  if (k === undefined) return reject("ONNX_DYNAMIC", "how many is not known before the run");
  const axis = axisOf(c.int("axis", -1), x.shape.length);
  const smallest = c.int("largest", 1) === 0;
  const { value, order, rows, columns } = c.ops.rows(x, [axis]);
  const shape = order.map((d) => (d === axis ? k : (x.shape[d] as number)));
  const outs = [{ type: x.type, made: shape }, { type: "i64", made: shape } as const];
  if (x.type === "f64") return c.unsupported("TopK of f64");
  const how = x.type === "f32" ? [f32(smallest ? -1 : 1)] : [i32(kernelNumber(x.type)), i32(smallest ? 1 : 0)];
  const args = [u32(rows), u32(columns), u32(k), ...how, value, ...outs];
  const entry = x.type === "f32" ? "TopKF" : "TopKI";
  const made = c.ops.builder.launch(entry, { kind: "rows", count: rows }, args, 600 + k * (60 + columns * 110));
  const [values, indices] = made.map((found) => c.ops.transpose(found, inverse(order))) as [Value, Value];
  return [c.ops.cast(values, given.type), indices];
}

export const FOLDING: Readonly<Record<string, Lowering>> = {
  ...Object.fromEntries(
    ["Sum", "Mean", "Prod", "Max", "Min", "L1", "L2", "SumSquare", "LogSum", "LogSumExp"].map((name) => [
      `Reduce${name}`,
      reduce(name),
    ]),
  ),
  ArgMax: extreme(false),
  ArgMin: extreme(true),
  Softmax: normalised("softmax"),
  LogSoftmax: normalised("logSoftmax"),
  Hardmax: normalised("hardmax"),
  CumSum: running("Sum"),
  CumProd: running("Prod"),
  TopK: topK,
};
