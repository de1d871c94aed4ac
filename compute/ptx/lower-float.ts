/** Lowers float arithmetic, comparisons and conversions, and refuses what has no single answer. */
import type { FloatOp, Source } from "./ir.ts";
import { INTEGER_LOWERINGS, type Lowering } from "./lower-integer.ts";
import type { LoweringContext } from "./lowering-context.ts";
import { bitsOf, isFloat, isSigned, type ScalarType } from "./scalar-types.ts";

const FLOATS: readonly ScalarType[] = ["f32", "f64"];

/** Modifiers that make the answer depend on the machine, or that we have not built. */
function checkFloatModifiers(context: LoweringContext): void {
  const inexact = context.oneOf("approx", "full", "ftz");
  if (inexact === "ftz") {
    context.fail("PTX_REFUSED", ".ftz drops denormals, and drivers apply it as they like: compile with -ftz=false");
  }
  if (inexact !== undefined) {
    context.fail("PTX_REFUSED", `.${inexact} is not exact, and differs between machines: use the IEEE form`);
  }
  const rounding = context.oneOf("rm", "rp");
  if (rounding !== undefined) context.fail("PTX_UNSUPPORTED", `rounding .${rounding} is not supported`);
  if (context.flag("sat")) context.fail("PTX_UNSUPPORTED", ".sat is not supported on floats");
}

/** Operations that round: `.rn` must be said, because without it a driver may fuse two of them. */
function rounded(op: FloatOp, sources: number): Lowering {
  return (context) => {
    checkFloatModifiers(context);
    const rounding = context.oneOf("rn", "rz");
    if (rounding === undefined) {
      context.fail("PTX_REFUSED", "without .rn a driver may contract it into fma: compile with -fmad=false");
    }
    emitFloat(context, op, sources, rounding === "rz" ? "rz" : "");
  };
}

/** Towards zero is built where compilers use it: roundf adds so. */
const TOWARDS_ZERO: ReadonlySet<FloatOp> = new Set<FloatOp>(["fadd", "fsub", "fmul", "fma"]);

function emitFloat(context: LoweringContext, op: FloatOp, sources: number, mode: "" | "rz"): void {
  const type = context.type(...FLOATS);
  context.done(sources + 1);
  if (mode === "rz" && (type !== "f32" || !TOWARDS_ZERO.has(op))) {
    context.fail("PTX_UNSUPPORTED", "rounding .rz is supported for add, sub, mul and fma on f32");
  }
  const src = Array.from({ length: sources }, (_, i) => context.source(i + 1, type));
  context.emit(op, type, [context.destination(0, type)], src, { mode });
}

function unrounded(op: FloatOp, sources: number): Lowering {
  return (context) => {
    checkFloatModifiers(context);
    emitFloat(context, op, sources, "");
  };
}

function reciprocal(context: LoweringContext): void {
  checkFloatModifiers(context);
  if (!context.flag("rn")) context.fail("PTX_REFUSED", "only rcp.rn is exact");
  const type = context.type(...FLOATS);
  context.done(2);
  const one = { kind: "immediate", bits: type === "f32" ? 0x3f800000n : 0x3ff0000000000000n } as const;
  context.emit("fdiv", type, [context.destination(0, type)], [one, context.source(1, type)]);
}

function copySign(context: LoweringContext): void {
  const type = context.type(...FLOATS);
  context.done(3);
  context.emit("copysign", type, [context.destination(0, type)], [context.source(1, type), context.source(2, type)]);
}

const INTEGER_COMPARISONS: readonly string[] = ["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"];
const FLOAT_COMPARISONS: readonly string[] = [
  ...["eq", "ne", "lt", "le", "gt", "ge"],
  ...["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"],
];
/** lo, ls, hi and hs are the unsigned order under other names. */
const UNSIGNED_NAMES: Readonly<Record<string, string>> = { lo: "lt", ls: "le", hi: "gt", hs: "ge" };

interface ComparisonForm {
  readonly type: ScalarType;
  readonly mode: string;
  readonly combine: "and" | "or" | "xor" | undefined;
}

function comparison(context: LoweringContext): ComparisonForm {
  const combine = context.oneOf("and", "or", "xor");
  const name = context.oneOf(...FLOAT_COMPARISONS, ...INTEGER_COMPARISONS);
  if (context.flag("ftz")) context.fail("PTX_REFUSED", ".ftz drops denormals: compile with -ftz=false");
  const type = context.type();
  const known = isFloat(type) ? FLOAT_COMPARISONS : INTEGER_COMPARISONS;
  if (name === undefined || !known.includes(name)) context.fail("PTX_SYNTAX", `is no comparison of ${type}`);
  if (type === "f16" || bitsOf(type) < 16) context.fail("PTX_UNSUPPORTED", `type ${type} is not supported`);
  const unsigned = UNSIGNED_NAMES[name];
  if (unsigned !== undefined && isSigned(type)) context.fail("PTX_TYPE", `.${name} compares unsigned integers`);
  return { type, mode: unsigned ?? name, combine: combine as ComparisonForm["combine"] };
}

function setPredicate(context: LoweringContext): void {
  const { type, mode, combine } = comparison(context);
  context.done(combine === undefined ? 3 : 4);
  const target = context.operand(0);
  const [first, second] = target.kind === "pair" ? [target.first, target.second] : [target, undefined];
  const src = [context.source(1, type), context.source(2, type)];
  const result = context.destinationOf(first, "pred");
  if (combine === undefined && second === undefined) {
    context.emit("setp", type, [result], src, { mode });
    return;
  }
  const other = combine === undefined ? undefined : context.source(3, "pred");
  const compared = context.freshRegister("pred");
  context.emit("setp", type, [compared], src, { mode });
  const positive = combined(context, compared, combine, other);
  if (second !== undefined) {
    const inverse = context.freshRegister("pred");
    context.emit("not", "pred", [inverse], [{ kind: "register", id: compared }]);
    const negative = combined(context, inverse, combine, other);
    const target = context.destinationOf(second, "pred");
    context.emit("mov", "pred", [target], [{ kind: "register", id: negative }]);
  }
  context.emit("mov", "pred", [result], [{ kind: "register", id: positive }]);
}

/** In a fresh register, so that neither destination is written before everything has been read. */
function combined(
  context: LoweringContext,
  id: number,
  combine: ComparisonForm["combine"],
  other: Source | undefined,
): number {
  if (combine === undefined || other === undefined) return id;
  const fresh = context.freshRegister("pred");
  context.emit(combine, "pred", [fresh], [{ kind: "register", id }, other]);
  return fresh;
}

/** `set.lt.u32.f32`: the comparison as all ones or zero (as 1.0 or 0.0 for a float). */
function setValue(context: LoweringContext): void {
  const { type, mode, combine } = comparison(context);
  const result = context.type("u32", "s32", "f32");
  if (combine !== undefined) context.fail("PTX_UNSUPPORTED", "a combination is not supported");
  context.done(3);
  const outcome = context.freshRegister("pred");
  context.emit("setp", type, [outcome], [context.source(1, type), context.source(2, type)], { mode });
  const truth = { kind: "immediate", bits: result === "f32" ? 0x3f800000n : 0xffffffffn } as const;
  const src = [truth, { kind: "immediate", bits: 0n }, { kind: "register", id: outcome }] as const;
  context.emit("selp", result, [context.destination(0, result)], src);
}

const ROUNDINGS: readonly string[] = ["rn", "rni", "rzi", "rmi", "rpi", "rz", "rm", "rp"];

function convert(context: LoweringContext): void {
  if (context.flag("ftz")) context.fail("PTX_REFUSED", ".ftz drops denormals: compile with -ftz=false");
  const saturate = context.flag("sat");
  const rounding = context.oneOf(...ROUNDINGS) ?? "";
  const from = context.type();
  const type = context.type();
  context.done(2);
  if (from === "pred" || type === "pred") context.fail("PTX_TYPE", "predicates are not converted");
  checkRounding(context, type, from, rounding, saturate);
  const src = [context.source(1, from, "wider")];
  const mode = saturate ? "sat" : rounding;
  context.emit("cvt", type, [context.destination(0, type, "wider")], src, { from, mode });
}

function checkRounding(
  context: LoweringContext,
  type: ScalarType,
  from: ScalarType,
  rounding: string,
  saturate: boolean,
): void {
  if (saturate && (isFloat(type) || isFloat(from))) {
    // Conversions from float to integer saturate anyway.
    if (isFloat(type)) context.fail("PTX_UNSUPPORTED", ".sat is not supported on floats");
  }
  if (!isFloat(type) && !isFloat(from)) {
    if (rounding !== "") context.fail("PTX_SYNTAX", "integers are not rounded");
    return;
  }
  const whole = rounding === "" || rounding.endsWith("i");
  if (isFloat(from) && !isFloat(type) && (rounding === "" || !whole)) {
    context.fail("PTX_SYNTAX", "needs .rni, .rzi, .rmi or .rpi");
  }
  if (isFloat(type) && rounding !== "rn" && !whole) {
    context.fail("PTX_UNSUPPORTED", `rounding .${rounding} is not supported, only .rn`);
  }
  const narrowing = isFloat(type) && (!isFloat(from) || bitsOf(from) > bitsOf(type));
  if (narrowing && rounding !== "rn") context.fail("PTX_SYNTAX", "needs .rn");
  if (isFloat(type) && isFloat(from) && type !== from && rounding.endsWith("i")) {
    context.fail("PTX_UNSUPPORTED", "rounding to whole numbers while changing the width is not supported");
  }
  if ((type === "f16" && from !== "f32") || (from === "f16" && type !== "f32")) {
    context.fail("PTX_UNSUPPORTED", "f16 converts to and from f32 only");
  }
}

/** Takes the float form when the type is a float, and the integer form otherwise. */
function either(name: string, float: Lowering): Lowering {
  const integer = INTEGER_LOWERINGS[name] as Lowering;
  return (context) => {
    const type = context.statement.modifiers.at(-1) ?? "";
    return /^(?:f16|f16x2|bf16|bf16x2|f32|f64)$/.test(type) ? float(context) : integer(context);
  };
}

export const FLOAT_LOWERINGS: Readonly<Record<string, Lowering>> = {
  add: either("add", rounded("fadd", 2)),
  sub: either("sub", rounded("fsub", 2)),
  mul: either("mul", rounded("fmul", 2)),
  mad: either("mad", rounded("fma", 3)),
  fma: rounded("fma", 3),
  div: either("div", rounded("fdiv", 2)),
  sqrt: rounded("fsqrt", 1),
  rcp: reciprocal,
  min: either("min", unrounded("fmin", 2)),
  max: either("max", unrounded("fmax", 2)),
  abs: either("abs", unrounded("fabs", 1)),
  neg: either("neg", unrounded("fneg", 1)),
  copysign: copySign,
  setp: setPredicate,
  set: setValue,
  cvt: convert,
};
