/** What each instruction computes, stated plainly: the oracle of the compiler, and one with docs/spec/numerics.md. */
import { exactFma32, exactFma64 } from "../exact-fma.ts";
import type { Instruction } from "../ir.ts";
import { bitsOf, isFloat, isSigned, type ScalarType } from "../scalar-types.ts";
import { bitsOfNumber, floatOfInteger, NAN_BITS, numberOf, roundToEven } from "./float-values.ts";

/** Sources as bits of their types, in order. */
export type Operation = (values: readonly bigint[], instruction: Instruction) => bigint;

function wrap(value: bigint, type: ScalarType): bigint {
  return BigInt.asUintN(bitsOf(type), value);
}

/** The whole number that bits of this type stand for. */
export function integerOf(bits: bigint, type: ScalarType): bigint {
  return isSigned(type) ? BigInt.asIntN(bitsOf(type), bits) : BigInt.asUintN(bitsOf(type), bits);
}

type Integers = (values: readonly [bigint, bigint, bigint], instruction: Instruction) => bigint;

/** Works on whole numbers and wraps the result. */
function integers(compute: Integers): Operation {
  return (values, instruction) => {
    const [a = 0n, b = 0n, c = 0n] = values.map((bits) => integerOf(bits, instruction.type));
    return wrap(compute([a, b, c], instruction), instruction.type);
  };
}

function bitwise(compute: (a: bigint, b: bigint) => bigint): Operation {
  return ([a = 0n, b = 0n], { type }) => wrap(compute(a, b), type);
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function multiply(values: readonly bigint[], { type, mode }: Instruction): bigint {
  const [a = 0n, b = 0n] = values.map((bits) => integerOf(bits, type));
  const bits = bitsOf(type);
  if (mode === "wide") return BigInt.asUintN(2 * bits, a * b);
  return wrap(mode === "hi" ? (a * b) >> BigInt(bits) : a * b, type);
}

function multiplyAdd(values: readonly bigint[], instruction: Instruction): bigint {
  const { type, mode } = instruction;
  const width = mode === "wide" ? 2 * bitsOf(type) : bitsOf(type);
  return BigInt.asUintN(width, multiply(values, instruction) + (values[2] ?? 0n));
}

function shift(values: readonly bigint[], { op, type }: Instruction): bigint {
  const [bits = 0n, amount = 0n] = values;
  if (op === "shl") return amount >= BigInt(bitsOf(type)) ? 0n : wrap(bits << amount, type);
  return wrap(integerOf(bits, type) >> (amount > 64n ? 64n : amount), type);
}

function binaryDigits(value: bigint): string {
  return value === 0n ? "" : value.toString(2);
}

function countLeading(bits: bigint, width: number): bigint {
  return BigInt(width - binaryDigits(bits).length);
}

function findHighest([bits = 0n]: readonly bigint[], { type, mode }: Instruction): bigint {
  const value = integerOf(bits, type);
  const searched = value < 0n ? ~value : value;
  if (searched === 0n) return 0xffffffffn;
  const position = BigInt(binaryDigits(searched).length - 1);
  return mode === "shiftamt" ? BigInt(bitsOf(type) - 1) - position : position;
}

function reverse([bits = 0n]: readonly bigint[], { type }: Instruction): bigint {
  const text = bits.toString(2).padStart(bitsOf(type), "0");
  return BigInt(`0b${[...text].reverse().join("")}`);
}

/** Bit by bit, as the PTX manual defines it. */
function extractField([a = 0n, b = 0n, c = 0n]: readonly bigint[], { type }: Instruction): bigint {
  const top = bitsOf(type) - 1;
  const position = Number(b & 0xffn);
  const length = Number(c & 0xffn);
  const bit = (at: number): bigint => (a >> BigInt(at)) & 1n;
  const sign = isSigned(type) && length > 0 ? bit(Math.min(position + length - 1, top)) : 0n;
  let result = 0n;
  for (let i = 0; i <= top; i++) {
    result |= (i < length && position + i <= top ? bit(position + i) : sign) << BigInt(i);
  }
  return result;
}

function insertField([a = 0n, b = 0n, c = 0n, d = 0n]: readonly bigint[], { type }: Instruction): bigint {
  const top = bitsOf(type) - 1;
  const position = Number(c & 0xffn);
  const length = Number(d & 0xffn);
  let result = b;
  for (let i = 0; i < length && position + i <= top; i++) {
    const place = 1n << BigInt(position + i);
    result = (a >> BigInt(i)) & 1n ? result | place : result & ~place;
  }
  return result;
}

function anyLogic([a = 0n, b = 0n, c = 0n]: readonly bigint[], { mode }: Instruction): bigint {
  const table = Number(mode);
  let result = 0n;
  for (let i = 0n; i < 32n; i++) {
    const row = Number(((a >> i) & 1n) * 4n + ((b >> i) & 1n) * 2n + ((c >> i) & 1n));
    if ((table >> row) & 1) result |= 1n << i;
  }
  return result;
}

function funnel([low = 0n, high = 0n, c = 0n]: readonly bigint[], { mode }: Instruction): bigint {
  const amount = mode.endsWith("wrap") ? c & 31n : c > 32n ? 32n : c;
  const pair = (high << 32n) | low;
  return mode.startsWith("l") ? ((pair << amount) >> 32n) & 0xffffffffn : (pair >> amount) & 0xffffffffn;
}

function permute([a = 0n, b = 0n, selector = 0n]: readonly bigint[]): bigint {
  const bytes = (b << 32n) | a;
  let result = 0n;
  for (let i = 0n; i < 4n; i++) {
    const choice = (selector >> (4n * i)) & 15n;
    const byte = (bytes >> (8n * (choice & 7n))) & 0xffn;
    const chosen = choice & 8n ? (byte >= 0x80n ? 0xffn : 0n) : byte;
    result |= chosen << (8n * i);
  }
  return result;
}

function dotProduct([a = 0n, b = 0n, c = 0n]: readonly bigint[], { mode }: Instruction): bigint {
  const [first, second] = mode.split(".");
  const byte = (word: bigint, i: bigint, type: string | undefined): bigint =>
    integerOf((word >> (8n * i)) & 0xffn, type === "s32" ? "s8" : "u8");
  let sum = c;
  for (let i = 0n; i < 4n; i++) sum += byte(a, i, first) * byte(b, i, second);
  return BigInt.asUintN(32, sum);
}

function copySign([sign = 0n, value = 0n]: readonly bigint[], { type }: Instruction): bigint {
  const top = 1n << BigInt(bitsOf(type) - 1);
  return (sign & top) | (value & (top - 1n));
}

function floats(compute: (a: number, b: number) => number): Operation {
  return ([a = 0n, b = 0n], { type }) => bitsOfNumber(compute(numberOf(a, type), numberOf(b, type)), type);
}

const ONE = 0x3f800000n;
const SIGN = 0x80000000n;

/** Towards zero there is f32 alone. */
function eitherRounding(nearest: Operation, towardsZero: (a: bigint, b: bigint) => bigint): Operation {
  return (values, instruction) =>
    instruction.mode === "rz" ? towardsZero(values[0] ?? 0n, values[1] ?? 0n) : nearest(values, instruction);
}

/** A NaN loses; -0 is less than +0. */
function smaller(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  if (Number.isNaN(b)) return a;
  if (a === 0 && b === 0) return Object.is(a, -0) ? a : b;
  return a < b ? a : b;
}

function compareIntegers(a: bigint, b: bigint, mode: string): boolean {
  const outcomes: Readonly<Record<string, boolean>> = {
    eq: a === b,
    ne: a !== b,
    lt: a < b,
    le: a <= b,
    gt: a > b,
    ge: a >= b,
  };
  return outcomes[mode] as boolean;
}

function compareFloats(a: number, b: number, mode: string): boolean {
  const unordered = Number.isNaN(a) || Number.isNaN(b);
  const outcomes: Readonly<Record<string, boolean>> = { eq: a === b, lt: a < b, le: a <= b, gt: a > b, ge: a >= b };
  if (mode === "num") return !unordered;
  if (mode === "nan") return unordered;
  if (mode === "ne") return !unordered && a !== b;
  if (mode === "neu") return unordered || a !== b;
  return mode.endsWith("u") ? unordered || (outcomes[mode.slice(0, -1)] as boolean) : (outcomes[mode] as boolean);
}

function compare([a = 0n, b = 0n]: readonly bigint[], { type, mode }: Instruction): bigint {
  const outcome = isFloat(type)
    ? compareFloats(numberOf(a, type), numberOf(b, type), mode)
    : compareIntegers(integerOf(a, type), integerOf(b, type), mode);
  return outcome ? 1n : 0n;
}

const ROUNDINGS: Readonly<Record<string, (value: number) => number>> = {
  rni: roundToEven,
  rzi: Math.trunc,
  rmi: Math.floor,
  rpi: Math.ceil,
};

function rangeOf(type: ScalarType): readonly [bigint, bigint] {
  const bits = BigInt(bitsOf(type));
  return isSigned(type) ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
}

function saturate(value: bigint, type: ScalarType): bigint {
  const [low, high] = rangeOf(type);
  return value < low ? low : value > high ? high : value;
}

function convert([bits = 0n]: readonly bigint[], { type, from, mode }: Instruction): bigint {
  if (!isFloat(from)) {
    const value = integerOf(bits, from);
    if (type === "f32") return bitsOfNumber(floatOfInteger(value), "f32");
    if (type === "f64") return bitsOfNumber(Number(value), "f64");
    return wrap(mode === "sat" ? saturate(value, type) : value, type);
  }
  const value = numberOf(BigInt.asUintN(bitsOf(from), bits), from);
  const round = ROUNDINGS[mode];
  if (isFloat(type)) {
    const rounded = round === undefined || !Number.isFinite(value) ? value : keepSign(round(value), value);
    return bitsOfNumber(rounded, type);
  }
  if (Number.isNaN(value)) return 0n;
  if (!Number.isFinite(value)) return wrap(rangeOf(type)[value < 0 ? 0 : 1], type);
  return wrap(saturate(BigInt((round ?? Math.trunc)(value)), type), type);
}

/** A negative number that rounds to zero rounds to -0. */
function keepSign(rounded: number, value: number): number {
  return rounded === 0 ? (value < 0 || Object.is(value, -0) ? -0 : 0) : rounded;
}

function fixNan([bits = 0n]: readonly bigint[], { type }: Instruction): bigint {
  return Number.isNaN(numberOf(bits, type)) ? NAN_BITS[type as "f32"] : bits;
}

export const OPERATIONS: Readonly<Partial<Record<Instruction["op"], Operation>>> = {
  add: integers(([a, b]) => a + b),
  sub: integers(([a, b]) => a - b),
  mul: multiply,
  mad: multiplyAdd,
  div: integers(([a, b]) => (b === 0n ? -1n : a / b)),
  rem: integers(([a, b]) => (b === 0n ? a : a % b)),
  min: integers(([a, b]) => (a < b ? a : b)),
  max: integers(([a, b]) => (a > b ? a : b)),
  abs: integers(([a]) => magnitude(a)),
  neg: integers(([a]) => -a),
  sad: integers(([a, b, c]) => c + magnitude(a - b)),
  and: bitwise((a, b) => a & b),
  or: bitwise((a, b) => a | b),
  xor: bitwise((a, b) => a ^ b),
  not: bitwise((a) => ~a),
  cnot: bitwise((a) => (a === 0n ? 1n : 0n)),
  shl: shift,
  shr: shift,
  popc: ([bits = 0n]) => BigInt(binaryDigits(bits).replaceAll("0", "").length),
  clz: ([bits = 0n], { type }) => countLeading(bits, bitsOf(type)),
  bfind: findHighest,
  brev: reverse,
  bfe: extractField,
  bfi: insertField,
  lop3: anyLogic,
  shf: funnel,
  prmt: permute,
  dp4a: dotProduct,
  copysign: copySign,
  mov: ([a = 0n]) => a,
  cvta: ([a = 0n]) => a,
  selp: ([a = 0n, b = 0n, p = 0n]) => (p === 0n ? b : a),
  setp: compare,
  cvt: convert,
  fadd: eitherRounding(
    floats((a, b) => a + b),
    (a, b) => exactFma32(a, ONE, b, true),
  ),
  fsub: eitherRounding(
    floats((a, b) => a - b),
    (a, b) => exactFma32(a, ONE, b ^ SIGN, true),
  ),
  fmul: eitherRounding(
    floats((a, b) => a * b),
    // A zero of the product's sign changes nothing.
    (a, b) => exactFma32(a, b, (a ^ b) & SIGN, true),
  ),
  fdiv: floats((a, b) => a / b),
  fsqrt: floats((a) => Math.sqrt(a)),
  fneg: floats((a) => -a),
  fabs: floats((a) => Math.abs(a)),
  fmin: floats(smaller),
  fmax: floats((a, b) => -smaller(-a, -b)),
  fma: ([a = 0n, b = 0n, c = 0n], { type, mode }) =>
    type === "f32" ? exactFma32(a, b, c, mode === "rz") : exactFma64(a, b, c),
  fixnan: fixNan,
};
