/** Operators that work on each element alone. */
import type { Value } from "../builder.ts";
import { bytesOf, type ElementType, elementTypeOf, isFloating, kernelNumber, rangeOf } from "../element-types.ts";
import { f32, i32 } from "../geometry.ts";
import type { Lowering, NodeContext } from "../node-context.ts";

/** Operator -> names and defaults of the attributes that its kernel takes. */
const UNARY: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
  ...Object.fromEntries(
    [
      ...["Abs", "Neg", "Sign", "Reciprocal", "Sqrt", "Exp", "Log", "Tanh", "Erf", "Sigmoid", "Relu", "HardSwish"],
      ...[
        "Softplus",
        "Softsign",
        "Floor",
        "Ceil",
        "Round",
        "Sin",
        "Cos",
        "Tan",
        "Asin",
        "Acos",
        "Atan",
        "Sinh",
        "Cosh",
      ],
      ...["Asinh", "Acosh", "Atanh", "Not", "BitwiseNot", "Mish"],
    ].map((name) => [name, []]),
  ),
  LeakyRelu: [["alpha", 0.01]],
  Elu: [["alpha", 1]],
  Celu: [["alpha", 1]],
  Selu: [
    ["alpha", 1.6732631921768188],
    ["gamma", 1.0507010221481323],
  ],
  HardSigmoid: [
    ["alpha", 0.2],
    ["beta", 0.5],
  ],
  ThresholdedRelu: [["alpha", 1]],
  Shrink: [
    ["lambd", 0.5],
    ["bias", 0],
  ],
  Swish: [["alpha", 1]],
};

const BINARY: readonly string[] = [
  ...["Add", "Sub", "Mul", "Div", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Xor"],
  ...["BitwiseAnd", "BitwiseOr", "BitwiseXor"],
];

function unary(operator: string): Lowering {
  return (c) => {
    const [a = 0, b = 0] = (UNARY[operator] ?? []).map(([name, otherwise]) => c.float(name, otherwise));
    return [c.ops.unary(operator, c.input(0), a, b)];
  };
}

/** Sums and extremes of any number of inputs. */
function variadic(operator: string): Lowering {
  return (c) => {
    const [first, ...rest] = c.inputs.filter((value) => value !== undefined);
    if (first === undefined) return c.unsupported("no inputs");
    return [rest.reduce((sum, value) => c.ops.binary(operator, sum, value), first)];
  };
}

function mean(c: NodeContext): readonly Value[] {
  const [sum] = variadic("Add")(c) as readonly Value[];
  return [c.ops.by("Div", sum as Value, c.inputs.length)];
}

/** The result has the type of the base. */
function power(c: NodeContext): readonly Value[] {
  const [x, y] = [c.input(0), c.input(1)];
  if (x.type === y.type || !isFloating(y.type)) return [c.ops.binary("Pow", x, c.ops.cast(y, x.type))];
  if (isFloating(x.type)) return [c.ops.binary("Pow", x, c.ops.cast(y, x.type))];
  return [c.ops.cast(c.ops.binary("Pow", c.ops.cast(x, "f32"), c.ops.cast(y, "f32")), x.type)];
}

/** Before version 7 slopes were not repeated to fit from the last dimension on: there is one for each channel. */
function parametricRelu(c: NodeContext): readonly Value[] {
  const [x, slope] = [c.input(0), c.input(1)];
  const channels = c.opset < 7 && slope.shape.length === 1 && x.shape.length > 2;
  const shape = x.shape.slice(1).map((_, d) => (d === 0 ? (slope.shape[0] as number) : 1));
  return [c.ops.binary("PRelu", x, channels ? c.ops.reshape(slope, shape) : slope)];
}

function modulo(c: NodeContext): readonly Value[] {
  const [x, y] = [c.input(0), c.input(1)];
  if (c.int("fmod", 0) === 1) return [c.ops.binary("Fmod", x, y)];
  if (isFloating(x.type)) return c.unsupported("Mod of floats without fmod");
  return [c.ops.binary("Mod", x, y)];
}

function shift(c: NodeContext): readonly Value[] {
  const operator = c.text("direction", "LEFT") === "LEFT" ? "ShiftLeft" : "ShiftRight";
  return [c.ops.binary(operator, c.input(0), c.input(1))];
}

/** Limits from attributes in older versions, from inputs since. */
function clip(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const limit = (name: string, index: number): Value | undefined =>
    c.has(name) ? c.ops.scalar(x.type, c.float(name, 0)) : c.maybe(index);
  const [low, high] = [limit("min", 1), limit("max", 2)];
  const raised = low === undefined ? x : c.ops.binary("Max", x, low);
  return [high === undefined ? raised : c.ops.binary("Min", raised, high)];
}

function gelu(c: NodeContext): readonly Value[] {
  return [c.ops.unary(c.text("approximate", "none") === "tanh" ? "GeluNear" : "Gelu", c.input(0))];
}

function isNan(c: NodeContext): readonly Value[] {
  const x = c.input(0).type === "f16" ? c.ops.cast(c.input(0), "f32") : c.input(0);
  if (x.type === "f64") return [c.ops.not(c.ops.binary("Equal", x, x))];
  return [c.ops.each("IsNaN", "bool", x.shape, (out) => [x, out])];
}

function isInfinite(c: NodeContext): readonly Value[] {
  const given = c.input(0);
  // A large double would be infinite as a float.
  if (given.type === "f64") return [c.ops.binary("Or", ...infinities(c, given))];
  const x = c.ops.cast(given, "f32");
  const signs = [i32(c.int("detect_positive", 1)), i32(c.int("detect_negative", 1))];
  return [c.ops.each("IsInf", "bool", x.shape, (out) => [...signs, x, out])];
}

/** Whether it is the positive infinity, and whether the negative, each if it is asked for. */
function infinities(c: NodeContext, x: Value): readonly [Value, Value] {
  const is = (asked: boolean, value: number): Value =>
    c.ops.binary("And", c.ops.scalar("bool", asked ? 1 : 0), c.ops.by("Equal", x, value));
  const [positive, negative] = ["detect_positive", "detect_negative"].map((name) => c.int(name, 1) === 1);
  return [is(positive === true, Number.POSITIVE_INFINITY), is(negative === true, Number.NEGATIVE_INFINITY)];
}

function typeOf(c: NodeContext, number: number): ElementType {
  return elementTypeOf(number) ?? c.unsupported(`elements of type ${number}`);
}

function cast(c: NodeContext): readonly Value[] {
  return [c.ops.cast(c.input(0), typeOf(c, c.int("to", 0)))];
}

/** The same bits under another type. */
function bitCast(c: NodeContext): readonly Value[] {
  const x = c.input(0);
  const type = typeOf(c, c.int("to", 0));
  if (bytesOf(type) !== bytesOf(x.type)) return c.unsupported(`bits of ${x.type} as ${type}`);
  return [c.ops.builder.as(x, x.shape, type)];
}

/** While training it would be random; a program computes inference. */
function dropout(c: NodeContext): readonly (Value | undefined)[] {
  const x = c.input(0);
  if (c.opset >= 12 && (c.known(2)?.[0] ?? 0) !== 0 && (c.known(1)?.[0] ?? 0.5) !== 0) {
    return c.unsupported("dropping at random");
  }
  return [x, c.wants(1) ? c.ops.expand(c.ops.scalar("bool", 1), x.shape) : undefined];
}

/** A narrow integer from a whole float, limited to its range. */
export function clamped(c: NodeContext, x: Value, type: ElementType): Value {
  const [low, high] = rangeOf(type);
  const numbers = [i32(kernelNumber(type)), f32(low), f32(high)];
  return c.ops.each("CastClamped", type, x.shape, (out) => [...numbers, x, out]);
}

export const ELEMENTWISE: Readonly<Record<string, Lowering>> = {
  ...Object.fromEntries(Object.keys(UNARY).map((name) => [name, unary(name)])),
  ...Object.fromEntries(BINARY.map((name) => [name, (c) => [c.ops.binary(name, c.input(0), c.input(1))]])),
  Max: variadic("Max"),
  Min: variadic("Min"),
  Sum: variadic("Add"),
  Mean: mean,
  PRelu: parametricRelu,
  Pow: power,
  Mod: modulo,
  BitShift: shift,
  Clip: clip,
  Gelu: gelu,
  IsNaN: isNan,
  IsInf: isInfinite,
  Cast: cast,
  CastLike: (c) => [c.ops.cast(c.input(0), c.input(1).type)],
  BitCast: bitCast,
  Identity: (c) => [c.input(0)],
  Where: (c) => [c.ops.where(c.input(0), c.input(1), c.input(2))],
  Dropout: dropout,
};
