/** Integer, bit, compare and select instructions. */
import type { Instruction, IntegerOp, Source } from "../ir.ts";
import { bitsOf, isFloat, isSigned, type ScalarType } from "../scalar-types.ts";
import { type Emitter, type Width, widthOf } from "./emitter.ts";

/** Leaves the result on the stack. */
export type ValueEmitter = (e: Emitter, instruction: Instruction) => void;

function operands(instruction: Instruction): readonly [Source, Source, Source, Source] {
  const [a, b, c, d] = instruction.src;
  const first = a as Source;
  return [first, b ?? first, c ?? first, d ?? first];
}

function binary(name: string): ValueEmitter {
  return (e, instruction) => {
    const [a, b] = operands(instruction);
    e.push(a, instruction.type);
    e.push(b, instruction.type);
    e.op(widthOf(instruction.type), name);
  };
}

/** Low, high or whole product. */
function product(e: Emitter, instruction: Instruction): void {
  const { type, mode } = instruction;
  const [a, b] = operands(instruction);
  const sign = isSigned(type) ? "s" : "u";
  if (mode === "lo") {
    e.push(a, type);
    e.push(b, type);
    e.op(widthOf(type), "mul");
    return;
  }
  if (bitsOf(type) === 64) {
    e.push(a, type);
    e.push(b, type);
    e.call(sign === "s" ? "mulHighSigned" : "mulHighUnsigned");
    return;
  }
  if (bitsOf(type) === 16) {
    e.pushExtended(a, type);
    e.pushExtended(b, type);
    e.op("i32", "mul");
    if (mode === "hi") e.code.i32(16).op("i32.shr_u");
    return;
  }
  for (const source of [a, b]) {
    e.push(source, type);
    e.code.op(sign === "s" ? "i64.extend_i32_s" : "i64.extend_i32_u");
  }
  e.code.op("i64.mul");
  if (mode === "hi") e.code.i64(32n).op("i64.shr_u", "i32.wrap_i64");
}

const DOUBLED: Partial<Record<ScalarType, ScalarType>> = { u16: "u32", s16: "s32", u32: "u64", s32: "s64" };

/** The type of what an instruction leaves on the stack, where it is not its own type. */
export function resultType({ op, type, mode }: Instruction): ScalarType {
  if ((op === "mul" || op === "mad") && mode === "wide") return DOUBLED[type] ?? type;
  if (op === "popc" || op === "clz" || op === "bfind") return "u32";
  return op === "setp" ? "pred" : type;
}

function multiplyAdd(e: Emitter, instruction: Instruction): void {
  const type = resultType(instruction);
  product(e, instruction);
  e.push(operands(instruction)[2], type);
  e.op(widthOf(type), "add");
}

/** By zero: all ones, and the dividend as remainder. The most negative number by -1: itself, and 0. */
function division(name: "div" | "rem"): ValueEmitter {
  return (e, instruction) => {
    const { type } = instruction;
    const [a, b] = operands(instruction);
    const width = widthOf(type);
    const result = e.temporary(width, "quotient");
    const divisor = e.temporary(width, "divisor");
    e.pushExtended(b, type);
    e.code.tee(divisor);
    e.op(width, "eqz");
    e.code.if();
    if (name === "div") e.constant(width, -1n);
    else e.pushExtended(a, type);
    e.code.set(result).op("else");
    if (isSigned(type)) {
      e.code.get(divisor);
      e.constant(width, -1n);
      e.op(width, "eq");
      e.code.if();
      e.constant(width, 0n);
      if (name === "div") {
        e.pushExtended(a, type);
        e.op(width, "sub");
      }
      e.code.set(result).op("else");
    }
    e.pushExtended(a, type);
    e.code.get(divisor);
    e.op(width, `${name}_${isSigned(type) ? "s" : "u"}`);
    e.code.set(result).op("end");
    if (isSigned(type)) e.code.op("end");
    e.code.get(result);
  };
}

function minMax(comparison: "lt" | "gt"): ValueEmitter {
  return (e, instruction) => {
    const { type } = instruction;
    const [a, b] = operands(instruction);
    e.pushExtended(a, type);
    e.pushExtended(b, type);
    e.pushExtended(a, type);
    e.pushExtended(b, type);
    e.op(widthOf(type), `${comparison}_${isSigned(type) ? "s" : "u"}`);
    e.code.op("select");
  };
}

function negate(e: Emitter, { type, src }: Instruction): void {
  e.constant(widthOf(type), 0n);
  e.push(src[0] as Source, type);
  e.op(widthOf(type), "sub");
}

function absolute(e: Emitter, instruction: Instruction): void {
  const { type, src } = instruction;
  const width = widthOf(type);
  e.constant(width, 0n);
  e.pushExtended(src[0] as Source, type);
  e.op(width, "sub");
  e.pushExtended(src[0] as Source, type);
  e.pushExtended(src[0] as Source, type);
  e.constant(width, 0n);
  e.op(width, "lt_s");
  e.code.op("select");
}

function complement(e: Emitter, { type, src }: Instruction): void {
  e.push(src[0] as Source, type);
  e.constant(widthOf(type), type === "pred" ? 1n : -1n);
  e.op(widthOf(type), "xor");
}

function isZero(e: Emitter, { type, src }: Instruction): void {
  e.pushExtended(src[0] as Source, type);
  e.op(widthOf(type), "eqz");
  if (widthOf(type) === "i64") e.code.op("i64.extend_i32_u");
}

function shift(direction: "shl" | "shr"): ValueEmitter {
  return (e, instruction) => {
    const { type } = instruction;
    const [a, amount] = operands(instruction);
    const width = widthOf(type);
    const name = direction === "shl" ? "shl" : isSigned(type) ? "shr_s" : "shr_u";
    const bits = BigInt(bitsOf(type));
    if (amount.kind === "immediate") return shiftBy(e, a, type, name, amount.bits < bits ? amount.bits : bits);
    e.pushExtended(a, type);
    pushAmount(e, amount, width);
    e.op(width, name);
    // At the width and above: nothing is left but the sign.
    if (name === "shr_s") {
      e.pushExtended(a, type);
      e.constant(width, BigInt(width === "i64" ? 63 : 31));
      e.op(width, "shr_s");
    } else e.constant(width, 0n);
    e.push(amount, "b32");
    e.code.i32(Number(bits)).op("i32.lt_u", "select");
  };
}

function pushAmount(e: Emitter, amount: Source, width: Width): void {
  e.push(amount, "b32");
  if (width === "i64") e.code.op("i64.extend_i32_u");
}

function shiftBy(e: Emitter, a: Source, type: ScalarType, name: string, amount: bigint): void {
  const width = widthOf(type);
  const most = width === "i64" ? 63n : 31n;
  if (name !== "shr_s" && amount >= BigInt(bitsOf(type))) {
    e.constant(width, 0n);
    return;
  }
  e.pushExtended(a, type);
  e.constant(width, amount > most ? most : amount);
  e.op(width, name);
}

function population(e: Emitter, { type, src }: Instruction): void {
  e.push(src[0] as Source, type);
  e.op(widthOf(type), "popcnt");
  if (widthOf(type) === "i64") e.code.op("i32.wrap_i64");
}

function leadingZeros(e: Emitter, { type, src }: Instruction): void {
  e.push(src[0] as Source, type);
  e.op(widthOf(type), "clz");
  if (widthOf(type) === "i64") e.code.op("i32.wrap_i64");
}

/** The position of the highest bit that is not a copy of the sign; all ones when there is none. */
function findHighest(e: Emitter, { type, src, mode }: Instruction): void {
  const width = widthOf(type);
  const zeros = e.temporary("i32", "zeros");
  e.push(src[0] as Source, type);
  if (isSigned(type)) {
    e.push(src[0] as Source, type);
    e.constant(width, BigInt(bitsOf(type) - 1));
    e.op(width, "shr_s", "xor");
  }
  e.op(width, "clz");
  if (width === "i64") e.code.op("i32.wrap_i64");
  e.code.set(zeros);
  e.code.i32(-1);
  if (mode === "shiftamt") e.code.get(zeros);
  else
    e.code
      .i32(bitsOf(type) - 1)
      .get(zeros)
      .op("i32.sub");
  e.code.get(zeros).i32(bitsOf(type)).op("i32.eq", "select");
}

function reverse(e: Emitter, { type, src }: Instruction): void {
  e.push(src[0] as Source, type);
  e.call(type === "b64" ? "reverse64" : "reverse32");
}

function helperCall(name: "bfe32" | "bfe64" | "bfi32" | "bfi64", types: readonly ScalarType[]): ValueEmitter {
  return (e, instruction) => {
    instruction.src.forEach((source, i) => {
      e.push(source, types[i] as ScalarType);
    });
    if (name.startsWith("bfe")) e.code.i32(isSigned(instruction.type) ? 1 : 0);
    e.call(name);
  };
}

const BFE32 = helperCall("bfe32", ["b32", "b32", "b32"]);
const BFE64 = helperCall("bfe64", ["b64", "b32", "b32"]);
const BFI32 = helperCall("bfi32", ["b32", "b32", "b32", "b32"]);
const BFI64 = helperCall("bfi64", ["b64", "b64", "b32", "b32"]);

function sumOfDifferences(e: Emitter, instruction: Instruction): void {
  const { type } = instruction;
  const [a, b, c] = operands(instruction);
  const width = widthOf(type);
  for (const [first, second] of [[a, b] as const, [b, a] as const]) {
    e.pushExtended(first, type);
    e.pushExtended(second, type);
    e.op(width, "sub");
  }
  e.pushExtended(a, type);
  e.pushExtended(b, type);
  e.op(width, isSigned(type) ? "ge_s" : "ge_u");
  e.code.op("select");
  e.push(c, type);
  e.op(width, "add");
}

/** Any function of two bits, by its truth table (bit 2x+y is f(x, y)). */
function twoBits(e: Emitter, table: number, x: Source, y: Source): void {
  const push = (source: Source): void => e.push(source, "b32");
  const simple: Readonly<Record<number, () => void>> = {
    0: () => e.constant("i32", 0n),
    15: () => e.constant("i32", -1n),
    12: () => push(x),
    10: () => push(y),
  };
  const found = simple[table] ?? simple[table ^ 15];
  if (found !== undefined) {
    found();
    if (simple[table] === undefined) e.code.i32(-1).op("i32.xor");
    return;
  }
  // x & y, x | y, x ^ y with either side or the result inverted.
  if (table === 6 || table === 9) {
    push(x);
    push(y);
    e.code.op("i32.xor");
    if (table === 9) e.code.i32(-1).op("i32.xor");
    return;
  }
  const ones = [0, 1, 2, 3].filter((bit) => (table >> bit) & 1).length;
  const minterm = Math.log2(ones === 1 ? table : table ^ 15);
  push(x);
  if ((minterm & 2) === 0) e.code.i32(-1).op("i32.xor");
  push(y);
  if ((minterm & 1) === 0) e.code.i32(-1).op("i32.xor");
  e.code.op("i32.and");
  if (ones === 3) e.code.i32(-1).op("i32.xor");
}

/** f(a, b, c) = f(0, b, c) ^ (a & (f(0, b, c) ^ f(1, b, c))). */
function lop3(e: Emitter, instruction: Instruction): void {
  const table = Number(instruction.mode);
  const [a, b, c] = operands(instruction);
  const low = table & 15;
  const high = table >> 4;
  twoBits(e, low, b, c);
  e.push(a, "b32");
  twoBits(e, low ^ high, b, c);
  e.code.op("i32.and", "i32.xor");
}

/** 32 bits out of the 64 of b:a. */
function funnelShift(e: Emitter, instruction: Instruction): void {
  const { mode } = instruction;
  const [a, b, amount] = operands(instruction);
  e.push(b, "b32");
  e.code.op("i64.extend_i32_u").i64(32n).op("i64.shl");
  e.push(a, "b32");
  e.code.op("i64.extend_i32_u", "i64.or");
  e.push(amount, "b32");
  if (mode.endsWith("wrap")) e.code.i32(31).op("i32.and");
  else {
    e.code.i32(32);
    e.push(amount, "b32");
    e.code.i32(32).op("i32.lt_u", "select");
  }
  e.code.op("i64.extend_i32_u");
  if (mode.startsWith("l")) e.code.op("i64.shl").i64(32n).op("i64.shr_u");
  else e.code.op("i64.shr_u");
  e.code.op("i32.wrap_i64");
}

function permute(e: Emitter, instruction: Instruction): void {
  for (const source of instruction.src) e.push(source, "b32");
  e.call("permute");
}

function dotProduct(e: Emitter, instruction: Instruction): void {
  const [a, b, c] = operands(instruction);
  const [first, second] = instruction.mode.split(".");
  e.push(c, "b32");
  for (let i = 0; i < 4; i++) {
    pushByte(e, a, i, first === "s32");
    pushByte(e, b, i, second === "s32");
    e.code.op("i32.mul", "i32.add");
  }
}

function pushByte(e: Emitter, source: Source, index: number, signed: boolean): void {
  e.push(source, "b32");
  if (index > 0) e.code.i32(8 * index).op("i32.shr_u");
  if (signed) e.code.op("i32.extend8_s");
  else e.code.i32(0xff).op("i32.and");
}

function copySign(e: Emitter, instruction: Instruction): void {
  const { type } = instruction;
  const [sign, magnitude] = operands(instruction);
  const width = widthOf(type);
  const top = 1n << BigInt(bitsOf(type) - 1);
  e.push(sign, type);
  e.constant(width, top);
  e.op(width, "and");
  e.push(magnitude, type);
  e.constant(width, top - 1n);
  e.op(width, "and", "or");
}

function select(e: Emitter, instruction: Instruction): void {
  const [a, b, p] = operands(instruction);
  e.push(a, instruction.type);
  e.push(b, instruction.type);
  e.push(p, "pred");
  e.code.op("select");
}

/** The order of integers; floats are in emit-float.ts. */
export function integerComparison(e: Emitter, instruction: Instruction): void {
  const { type, mode } = instruction;
  const [a, b] = operands(instruction);
  e.pushExtended(a, type);
  e.pushExtended(b, type);
  const ordered = mode !== "eq" && mode !== "ne";
  e.op(widthOf(type), ordered ? `${mode}_${isSigned(type) ? "s" : "u"}` : mode);
}

function move(e: Emitter, instruction: Instruction): void {
  e.push(operands(instruction)[0], instruction.type);
}

export const INTEGER_EMITTERS: Readonly<Record<IntegerOp | "mov" | "cvta" | "selp", ValueEmitter>> = {
  add: binary("add"),
  sub: binary("sub"),
  and: binary("and"),
  or: binary("or"),
  xor: binary("xor"),
  mul: product,
  mad: multiplyAdd,
  div: division("div"),
  rem: division("rem"),
  min: minMax("lt"),
  max: minMax("gt"),
  abs: absolute,
  neg: negate,
  not: complement,
  cnot: isZero,
  shl: shift("shl"),
  shr: shift("shr"),
  popc: population,
  clz: leadingZeros,
  brev: reverse,
  bfind: findHighest,
  bfe: (e, instruction) => (bitsOf(instruction.type) === 64 ? BFE64 : BFE32)(e, instruction),
  bfi: (e, instruction) => (bitsOf(instruction.type) === 64 ? BFI64 : BFI32)(e, instruction),
  sad: sumOfDifferences,
  lop3,
  shf: funnelShift,
  prmt: permute,
  dp4a: dotProduct,
  copysign: copySign,
  mov: move,
  cvta: move,
  selp: select,
};

export function isIntegerComparison(instruction: Instruction): boolean {
  return instruction.op === "setp" && !isFloat(instruction.type);
}
