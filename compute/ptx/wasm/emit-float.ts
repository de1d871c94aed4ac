/** Float arithmetic, comparisons and conversions. What they leave on the stack is a float, unless said otherwise. */
import type { FloatOp, Instruction, Source } from "../ir.ts";
import { bitsOf, isFloat, isSigned, isWide, type ScalarType } from "../scalar-types.ts";
import type { ValueEmitter } from "./emit-integer.ts";
import { type Emitter, widthOf } from "./emitter.ts";
import type { PlainOp } from "./opcodes.ts";

function floatOp(e: Emitter, type: ScalarType, name: string): void {
  e.code.op(`${type}.${name}` as PlainOp);
}

function toFloat(e: Emitter, type: ScalarType): void {
  e.code.op(type === "f64" ? "f64.reinterpret_i64" : "f32.reinterpret_i32");
}

/** As doubles, where the product is exact, to the helper that rounds the sum towards zero. */
function towardsZero(e: Emitter, { op, src }: Instruction): void {
  const push = (source: Source): void => {
    e.pushFloat(source, "f32");
    e.code.op("f64.promote_f32");
  };
  const [a, b, c] = src as readonly [Source, Source, Source];
  push(a);
  push(b);
  if (op === "fsub") e.code.op("f64.neg");
  if (op === "fmul" || op === "fma") e.code.op("f64.mul");
  // Adding -0 changes nothing, not even the sign of a zero.
  if (op === "fmul") e.code.f64(-0);
  if (op === "fma") push(c);
  e.call("sumTowardsZero");
}

function arithmetic(name: string): ValueEmitter {
  return (e, instruction) => {
    const { type, src, mode } = instruction;
    if (mode === "rz") {
      towardsZero(e, instruction);
      return;
    }
    for (const source of src) e.pushFloat(source, type);
    floatOp(e, type, name);
  };
}

/** A NaN loses against a number; -0 is less than +0, as in WebAssembly. */
function minMax(name: "min" | "max"): ValueEmitter {
  return (e, { type, src }) => {
    const [a, b] = src as readonly [Source, Source];
    const isNan = (source: Source): void => {
      e.pushFloat(source, type);
      e.pushFloat(source, type);
      floatOp(e, type, "ne");
    };
    for (const source of [b, a, a, b]) e.pushFloat(source, type);
    floatOp(e, type, name);
    isNan(b);
    e.code.op("select");
    isNan(a);
    e.code.op("select");
  };
}

/**
 * The product of two floats is exact as a double, and rounding the sum twice gives the right float unless the double
 * falls exactly between two floats, or below the normal ones: those few go to the helper.
 */
function fma32(e: Emitter, { src }: Instruction): void {
  const [a, b, c] = src as readonly [Source, Source, Source];
  const { code } = e;
  const product = e.temporary("f64", "product");
  const addend = e.temporary("f64", "addend");
  const bits = e.temporary("i64", "sum");
  const result = e.temporary("f32", "fma");
  for (const source of [a, b]) {
    e.pushFloat(source, "f32");
    code.op("f64.promote_f32");
  }
  code.op("f64.mul").tee(product);
  e.pushFloat(c, "f32");
  code.op("f64.promote_f32").tee(addend).op("f64.add", "i64.reinterpret_f64").tee(bits);
  code.op("f64.reinterpret_i64", "f32.demote_f64").set(result);
  code.get(bits).op("i32.wrap_i64").i32(0x1fffffff).op("i32.and").i32(0x10000000).op("i32.eq");
  code.get(bits).i64(52n).op("i64.shr_u", "i32.wrap_i64").i32(0x7ff).op("i32.and").i32(897).op("i32.lt_u", "i32.or");
  code.if().get(product).get(addend);
  e.call("fma32");
  code.set(result).op("end").get(result);
}

function fma(e: Emitter, instruction: Instruction): void {
  if (instruction.mode === "rz") {
    towardsZero(e, instruction);
    return;
  }
  if (instruction.type === "f32") {
    fma32(e, instruction);
    return;
  }
  for (const source of instruction.src) e.pushFloat(source, "f64");
  e.call("fma64");
}

/** A branch that is never taken costs nothing on the way of the value; a select would wait for the comparison. */
export function emitFixNan(e: Emitter, { type, src, dst }: Instruction): void {
  const [a] = src as readonly [Source];
  // f16 is made by a helper that knows its NaN.
  if (type === "f16") return;
  e.pushFloat(a, type);
  e.pushFloat(a, type);
  floatOp(e, type, "ne");
  e.code.if();
  e.constant(widthOf(type), type === "f64" ? 0x7fffffffffffffffn : 0x7fffffffn);
  e.store(dst[0] as number, type);
  e.code.op("end");
}

export const FLOAT_EMITTERS: Readonly<Record<FloatOp, ValueEmitter>> = {
  fadd: arithmetic("add"),
  fsub: arithmetic("sub"),
  fmul: arithmetic("mul"),
  fdiv: arithmetic("div"),
  fsqrt: arithmetic("sqrt"),
  fneg: arithmetic("neg"),
  fabs: arithmetic("abs"),
  fmin: minMax("min"),
  fmax: minMax("max"),
  fma,
};

/** What the unordered comparisons are the opposite of. */
const OPPOSITES: Readonly<Record<string, string>> = {
  equ: "ne",
  neu: "eq",
  ltu: "ge",
  leu: "gt",
  gtu: "le",
  geu: "lt",
};

export function floatComparison(e: Emitter, { type, mode, src }: Instruction): void {
  const [a, b] = src as readonly [Source, Source];
  if (mode === "num" || mode === "nan") {
    for (const source of [a, b]) {
      e.pushFloat(source, type);
      e.pushFloat(source, type);
      floatOp(e, type, mode === "num" ? "eq" : "ne");
    }
    e.code.op(mode === "num" ? "i32.and" : "i32.or");
    return;
  }
  const both = (name: string): void => {
    e.pushFloat(a, type);
    e.pushFloat(b, type);
    floatOp(e, type, name);
  };
  if (mode === "equ") {
    // Less or greater is the opposite of equal or unordered.
    both("lt");
    both("gt");
    e.code.op("i32.or", "i32.eqz");
  } else if (mode === "ne") {
    both("lt");
    both("gt");
    e.code.op("i32.or");
  } else if (mode === "neu") both("ne");
  else {
    const opposite = OPPOSITES[mode];
    both(opposite ?? mode);
    if (opposite !== undefined) e.code.op("i32.eqz");
  }
}

const ROUNDINGS: Readonly<Record<string, string>> = { rni: "nearest", rzi: "trunc", rmi: "floor", rpi: "ceil" };

/** Leaves a float where the target is f32 or f64, else bits. */
export function conversion(e: Emitter, instruction: Instruction): void {
  const { type, from } = instruction;
  if (isFloat(from)) {
    isFloat(type) ? floatToFloat(e, instruction) : floatToInteger(e, instruction);
    return;
  }
  isFloat(type) ? integerToFloat(e, instruction) : integerToInteger(e, instruction);
}

function floatToFloat(e: Emitter, { type, from, mode, src }: Instruction): void {
  const [a] = src as readonly [Source];
  if (type === from) {
    e.pushFloat(a, type);
    const rounding = ROUNDINGS[mode];
    if (rounding !== undefined) floatOp(e, type, rounding);
    return;
  }
  if (from === "f16" || type === "f16") {
    e.push(a, from);
    e.call(from === "f16" ? "halfToFloat" : "floatToHalf");
    if (from === "f16") toFloat(e, type);
    return;
  }
  e.pushFloat(a, from);
  e.code.op(type === "f64" ? "f64.promote_f32" : "f32.demote_f64");
}

function floatToInteger(e: Emitter, { type, from, mode, src }: Instruction): void {
  const [a] = src as readonly [Source];
  e.pushFloat(a, from);
  floatOp(e, from, ROUNDINGS[mode] ?? "trunc");
  const narrow = bitsOf(type) < 32;
  const sign = narrow || isSigned(type) ? "s" : "u";
  e.code.op(`${widthOf(type)}.trunc_sat_${from}_${sign}` as PlainOp);
  if (narrow) clamp(e, type, "i32", true);
}

function range(type: ScalarType): readonly [bigint, bigint] {
  const bits = BigInt(bitsOf(type));
  return isSigned(type) ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
}

/** Limits the value on the stack to the range of `type`. */
function clamp(e: Emitter, type: ScalarType, width: "i32" | "i64", signed: boolean): void {
  const [low, high] = range(type);
  const value = e.temporary(width, "clamped");
  e.code.set(value);
  if (signed) limit(low, "gt_s");
  limit(high, signed ? "lt_s" : "lt_u");
  e.code.get(value);
  function limit(bound: bigint, keep: string): void {
    e.code.get(value);
    e.constant(width, bound);
    e.code.get(value);
    e.constant(width, bound);
    e.op(width, keep);
    e.code.op("select").set(value);
  }
}

function integerToFloat(e: Emitter, { type, from, src }: Instruction): void {
  const [a] = src as readonly [Source];
  e.pushExtended(a, from);
  const sign = isSigned(from) || bitsOf(from) < 32 ? "s" : "u";
  e.code.op(`${type}.convert_${widthOf(from)}_${sign}` as PlainOp);
}

function integerToInteger(e: Emitter, { type, from, mode, src }: Instruction): void {
  const [a] = src as readonly [Source];
  e.pushExtended(a, from);
  if (mode === "sat") {
    // In 64 bits, where only unsigned 64-bit sources are not signed.
    if (!isWide(from)) e.code.op(isSigned(from) ? "i64.extend_i32_s" : "i64.extend_i32_u");
    if (type === "u64" && from !== "u64") clampNegative(e);
    else if (bitsOf(type) < 64 || from === "u64") clamp(e, type, "i64", from !== "u64");
    if (!isWide(type)) e.code.op("i32.wrap_i64");
    return;
  }
  if (isWide(type) && !isWide(from)) e.code.op(isSigned(from) ? "i64.extend_i32_s" : "i64.extend_i32_u");
  if (!isWide(type) && isWide(from)) e.code.op("i32.wrap_i64");
}

function clampNegative(e: Emitter): void {
  const value = e.temporary("i64", "clamped");
  e.code.set(value).i64(0n).get(value).get(value).i64(0n).op("i64.lt_s", "select");
}
