/** Functions that every compiled kernel carries, written in WebAssembly by hand. */
import { Code, type FunctionType, type ImportedFunction, type ModuleBuilder } from "./assembler.ts";
import * as at from "./layout.ts";

export type HelperName =
  | "trap"
  | "checkTile"
  | "markChunk"
  | "page"
  | "mulHighUnsigned"
  | "mulHighSigned"
  | "reverse32"
  | "reverse64"
  | "bfe32"
  | "bfe64"
  | "bfi32"
  | "bfi64"
  | "permute"
  | "fma32"
  | "sumTowardsZero"
  | "fma64"
  | "halfToFloat"
  | "floatToHalf";

/** What the host gives. */
export const IMPORTS: readonly ImportedFunction[] = [
  { name: "fma64", type: { params: ["i64", "i64", "i64"], results: ["i64"] } },
  // (address, bytes, frame, kind and line): notes an access, in checking mode.
  { name: "trace", type: { params: ["i32", "i32", "i32", "i32"], results: [] } },
  // (table of the buffer, chunk): the address of a chunk that is touched for the first time, where buffers are paged.
  { name: "page", type: { params: ["i32", "i32"], results: ["i32"] } },
];
const IMPORTED_FMA64 = 0;
export const IMPORTED_TRACE = 1;
const IMPORTED_PAGE = 2;

type Indices = ReadonlyMap<HelperName, number>;

interface Helper {
  readonly type: FunctionType;
  readonly write: (code: Code, indices: Indices, paged: boolean) => void;
}

const BINARY64: FunctionType = { params: ["i64", "i64"], results: ["i64"] };

const HELPERS: Readonly<Record<HelperName, Helper>> = {
  trap: { type: { params: ["i32", "i32"], results: [] }, write: trap },
  checkTile: { type: { params: ["i32", "i64", "i32", "i32"], results: ["i32"] }, write: checkTile },
  markChunk: { type: { params: ["i32"], results: [] }, write: markChunk },
  page: { type: { params: ["i32", "i32"], results: ["i32"] }, write: page },
  mulHighUnsigned: { type: BINARY64, write: mulHighUnsigned },
  mulHighSigned: { type: BINARY64, write: mulHighSigned },
  reverse32: { type: { params: ["i32"], results: ["i32"] }, write: reverse32 },
  reverse64: { type: { params: ["i64"], results: ["i64"] }, write: reverse64 },
  bfe32: { type: { params: ["i32", "i32", "i32", "i32"], results: ["i32"] }, write: bfe32 },
  bfe64: { type: { params: ["i64", "i32", "i32", "i32"], results: ["i64"] }, write: bfe64 },
  bfi32: { type: { params: ["i32", "i32", "i32", "i32"], results: ["i32"] }, write: bfi32 },
  bfi64: { type: { params: ["i64", "i64", "i32", "i32"], results: ["i64"] }, write: bfi64 },
  permute: { type: { params: ["i32", "i32", "i32"], results: ["i32"] }, write: permute },
  fma32: { type: { params: ["f64", "f64"], results: ["f32"] }, write: fma32 },
  sumTowardsZero: { type: { params: ["f64", "f64"], results: ["f32"] }, write: sumTowardsZero },
  fma64: { type: { params: ["f64", "f64", "f64"], results: ["f64"] }, write: fma64 },
  halfToFloat: { type: { params: ["i32"], results: ["i32"] }, write: halfToFloat },
  floatToHalf: { type: { params: ["i32"], results: ["i32"] }, write: floatToHalf },
};

export function addHelpers(builder: ModuleBuilder, paged: boolean): Indices {
  const names = Object.keys(HELPERS) as HelperName[];
  const indices = new Map(names.map((name) => [name, builder.reserve()]));
  for (const name of names) {
    const { type, write } = HELPERS[name];
    const code = new Code(type.params.length);
    write(code, indices, paged);
    builder.define(indices.get(name) as number, type, code);
  }
  return indices;
}

/** (kind, line): the reason goes to memory, where the host finds it. */
function trap(code: Code): void {
  code.i32(0).get(0).memory("i32.store", at.TRAP_CODE);
  code.i32(0).get(1).memory("i32.store", at.TRAP_LINE).op("unreachable");
}

/**
 * (entry, offset, bytes, line): the address of an access that must lie in the block's tile, or its place in the buffer
 * where buffers are paged. Bounds and alignment first: turning the offset right by the logarithm of the size moves stray low bits to the top.
 */
function checkTile(code: Code, indices: Indices, paged: boolean): void {
  const [entry, offset, bytes, line] = [0, 1, 2, 3] as const;
  const shift = code.local("i64");
  const position = code.local("i32");
  const stop = (kind: at.TrapNumber): void => {
    code.if().i32(kind).get(line);
    code.call(indices.get("trap") as number).op("unreachable", "end");
  };
  code.i32(31).get(bytes).op("i32.clz", "i32.sub", "i64.extend_i32_u").set(shift);
  code.get(offset).get(shift).op("i64.rotr");
  code.get(entry).memory("i64.load", at.ENTRY_LENGTH).get(shift).op("i64.shr_u", "i64.ge_u");
  stop(at.TRAP_OUT_OF_BOUNDS);
  code.get(offset).op("i32.wrap_i64").set(position);
  code.get(entry).memory("i32.load", at.ENTRY_TILE_KIND).i32(2).op("i32.eq").if();
  code.get(position).get(entry).memory("i32.load", at.ENTRY_PITCH).op("i32.div_u");
  code.get(entry).memory("i32.load", at.ENTRY_ROW).op("i32.sub");
  code.get(entry).memory("i32.load", at.ENTRY_ROWS).op("i32.ge_u");
  stop(at.TRAP_OUT_OF_TILE);
  code.get(position).get(entry).memory("i32.load", at.ENTRY_PITCH).op("i32.rem_u").set(position).op("end");
  code.get(entry).memory("i32.load", at.ENTRY_TILE_KIND).if();
  // position - column + bytes <= width, without a sum that could wrap.
  code.get(position).get(entry).memory("i32.load", at.ENTRY_COLUMN).op("i32.sub").tee(position);
  code.get(entry).memory("i32.load", at.ENTRY_WIDTH).op("i32.ge_u");
  stop(at.TRAP_OUT_OF_TILE);
  code.get(entry).memory("i32.load", at.ENTRY_WIDTH).get(position).op("i32.sub").get(bytes).op("i32.lt_u");
  stop(at.TRAP_OUT_OF_TILE);
  code.op("end");
  if (paged) code.get(offset).op("i32.wrap_i64");
  else code.get(entry).memory("i32.load", at.ENTRY_BASE).get(offset).op("i32.wrap_i64", "i32.add");
}

/** (chunk): in the map, so that it is counted once, and in the list, so that the map is cleared in little time. */
function markChunk(code: Code): void {
  const count = code.local("i32");
  code.i32(0).memory("i32.load", at.CHUNK_MAP).get(0).op("i32.add").i32(1).memory("i32.store8");
  code.i32(0).memory("i32.load", at.CHUNK_COUNT).set(count);
  code.i32(0).memory("i32.load", at.CHUNK_LIST).get(count).i32(2).op("i32.shl", "i32.add").get(0).memory("i32.store");
  code.i32(0).get(count).i32(1).op("i32.add").memory("i32.store", at.CHUNK_COUNT);
}

/** (table, place in the buffer): the address, with the chunk brought in when it is not there. */
function page(code: Code): void {
  const slot = code.local("i32");
  const chunk = code.local("i32");
  code.get(1).i32(at.CHUNK_SHIFT).op("i32.shr_u").set(chunk);
  code.get(0).get(chunk).i32(2).op("i32.shl", "i32.add").memory("i32.load").tee(slot).op("i32.eqz").if();
  code.get(0).get(chunk).call(IMPORTED_PAGE).set(slot).op("end");
  code
    .get(slot)
    .get(1)
    .i32((1 << at.CHUNK_SHIFT) - 1)
    .op("i32.and", "i32.add");
}

/** Schoolbook on 32-bit halves. */
function mulHighUnsigned(code: Code): void {
  const mask = 0xffffffffn;
  const middle = code.local("i64");
  const low = (local: number): Code => code.get(local).i64(mask).op("i64.and");
  const high = (local: number): Code => code.get(local).i64(32n).op("i64.shr_u");
  // middle = aHigh * bLow + (aLow * bLow >> 32)
  high(0);
  low(1).op("i64.mul");
  low(0);
  low(1).op("i64.mul").i64(32n).op("i64.shr_u", "i64.add").set(middle);
  // aHigh * bHigh + (middle >> 32) + (aLow * bHigh + (middle & mask) >> 32)
  high(0);
  high(1).op("i64.mul");
  high(middle).op("i64.add");
  low(0);
  high(1).op("i64.mul");
  low(middle).op("i64.add").i64(32n).op("i64.shr_u", "i64.add");
}

function mulHighSigned(code: Code, indices: Indices): void {
  code
    .get(0)
    .get(1)
    .call(indices.get("mulHighUnsigned") as number);
  code.get(0).i64(63n).op("i64.shr_s").get(1).op("i64.and", "i64.sub");
  code.get(1).i64(63n).op("i64.shr_s").get(0).op("i64.and", "i64.sub");
}

function reverse32(code: Code): void {
  for (const [shift, mask] of [[1, 0x55555555] as const, [2, 0x33333333] as const, [4, 0x0f0f0f0f] as const]) {
    code.get(0).i32(shift).op("i32.shr_u").i32(mask).op("i32.and");
    code.get(0).i32(mask).op("i32.and").i32(shift).op("i32.shl", "i32.or").set(0);
  }
  // Bytes: swap them by two rotations.
  code.get(0).i32(0x00ff00ff).op("i32.and").i32(8).op("i32.rotr");
  code.get(0).i32(0x00ff00ff).i32(-1).op("i32.xor", "i32.and").i32(8).op("i32.rotl", "i32.or");
}

function reverse64(code: Code, indices: Indices): void {
  const half = indices.get("reverse32") as number;
  code.get(0).op("i32.wrap_i64").call(half).op("i64.extend_i32_u").i64(32n).op("i64.shl");
  code.get(0).i64(32n).op("i64.shr_u", "i32.wrap_i64").call(half).op("i64.extend_i32_u", "i64.or");
}

/** (value, position, length, signed): on the value extended to 64 bits this is the 64-bit extraction. */
function bfe32(code: Code, indices: Indices): void {
  code.get(0).op("i64.extend_i32_s").get(0).op("i64.extend_i32_u").get(3).op("select");
  code
    .get(1)
    .get(2)
    .get(3)
    .call(indices.get("bfe64") as number)
    .op("i32.wrap_i64");
}

function bfe64(code: Code): void {
  const [value, position, length, signed] = [0, 1, 2, 3] as const;
  const unused = code.local("i64");
  code.get(position).i32(0xff).op("i32.and").set(position);
  code.get(length).i32(0xff).op("i32.and").tee(length).op("i32.eqz").if().i64(0n).op("return", "end");
  // Positions beyond the top read the sign, or zero.
  code.get(position).i32(63).op("i32.gt_u").if();
  code.get(value).i64(63n).op("i64.shr_s").i64(0n).get(signed).op("select").set(value).i32(0).set(position).op("end");
  code.get(value).get(position).op("i64.extend_i32_u", "i64.shr_s");
  code.get(value).get(position).op("i64.extend_i32_u", "i64.shr_u").get(signed).op("select").set(value);
  code.get(length).i32(63).op("i32.gt_u").if().get(value).op("return", "end");
  code.i64(64n).get(length).op("i64.extend_i32_u", "i64.sub").set(unused);
  code.get(value).get(unused).op("i64.shl").get(unused).op("i64.shr_s");
  code.get(value).get(unused).op("i64.shl").get(unused).op("i64.shr_u").get(signed).op("select");
}

/** (value, into, position, length). */
function bfi32(code: Code, indices: Indices): void {
  code.get(0).op("i64.extend_i32_u").get(1).op("i64.extend_i32_u").get(2).get(3);
  code.call(indices.get("bfi64") as number).op("i32.wrap_i64");
}

function bfi64(code: Code): void {
  const [value, into, position, length] = [0, 1, 2, 3] as const;
  const mask = code.local("i64");
  code.get(position).i32(0xff).op("i32.and").tee(position).i32(63).op("i32.gt_u").if().get(into).op("return", "end");
  code.get(length).i32(0xff).op("i32.and").set(length);
  code.i64(-1n).i64(1n).get(length).op("i64.extend_i32_u", "i64.shl").i64(1n).op("i64.sub");
  code.get(length).i32(63).op("i32.gt_u", "select");
  code.get(position).op("i64.extend_i32_u", "i64.shl").set(mask);
  code.get(into).get(mask).i64(-1n).op("i64.xor", "i64.and");
  code.get(value).get(position).op("i64.extend_i32_u", "i64.shl").get(mask).op("i64.and", "i64.or");
}

/** (a, b, selector): four bytes of b:a, each with the choice to spread its sign. */
function permute(code: Code): void {
  const bytes = code.local("i64");
  const byte = code.local("i32");
  const result = code.local("i32");
  code.get(1).op("i64.extend_i32_u").i64(32n).op("i64.shl").get(0).op("i64.extend_i32_u", "i64.or").set(bytes);
  for (let i = 0; i < 4; i++) {
    code
      .get(bytes)
      .get(2)
      .i32(4 * i)
      .op("i32.shr_u")
      .i32(7)
      .op("i32.and")
      .i32(3)
      .op("i32.shl");
    code.op("i64.extend_i32_u", "i64.shr_u", "i32.wrap_i64", "i32.extend8_s").set(byte);
    code.get(byte).i32(7).op("i32.shr_s").get(byte);
    code
      .get(2)
      .i32(4 * i + 3)
      .op("i32.shr_u")
      .i32(1)
      .op("i32.and", "select");
    code
      .i32(0xff)
      .op("i32.and")
      .i32(8 * i)
      .op("i32.shl")
      .get(result)
      .op("i32.or")
      .set(result);
  }
  code.get(result);
}

/** Moves the double in `value` to the odd neighbour on the side of its error, when it is even and not exact. */
function toOdd(code: Code, value: number, error: number, bits: number): void {
  code.get(error).f64(0).op("f64.lt").get(error).f64(0).op("f64.gt", "i32.or").if();
  code.get(value).op("i64.reinterpret_f64").tee(bits).i64(1n).op("i64.and", "i64.eqz").if();
  code.get(bits).i64(1n).i64(-1n);
  code.get(error).f64(0).op("f64.gt").get(value).f64(0).op("f64.gt", "i32.eq", "select");
  code.op("i64.add", "f64.reinterpret_i64").set(value).op("end", "end");
}

/** sum = a + b, and error = what rounding took away (D. Knuth's exact sum). */
function exactSum(code: Code, a: number, b: number, sum: number, error: number, part: number): void {
  code.get(a).get(b).op("f64.add").tee(sum).get(a).op("f64.sub").set(part);
  code.get(a).get(sum).get(part).op("f64.sub", "f64.sub");
  code.get(b).get(part).op("f64.sub", "f64.add").set(error);
}

/** (product, addend): rounded to odd first, so that rounding to a float afterwards is right (S. Boldo, G. Melquiond). */
function fma32(code: Code): void {
  const [sum, error, part] = [code.local("f64"), code.local("f64"), code.local("f64")];
  const bits = code.local("i64");
  exactSum(code, 0, 1, sum, error, part);
  toOdd(code, sum, error, bits);
  code.get(sum).op("f32.demote_f64");
}

/** (a, b): rounded to odd, then to the nearest float, and one step back where that went away from zero. */
function sumTowardsZero(code: Code): void {
  const [sum, error, part] = [code.local("f64"), code.local("f64"), code.local("f64")];
  const bits = code.local("i64");
  const near = code.local("f32");
  exactSum(code, 0, 1, sum, error, part);
  toOdd(code, sum, error, bits);
  code.get(sum).op("f32.demote_f64").tee(near).op("f64.promote_f32", "f64.abs").get(sum).op("f64.abs", "f64.gt").if();
  code.get(near).op("i32.reinterpret_f32").i32(1).op("i32.sub", "f32.reinterpret_i32").set(near).op("end");
  code.get(near);
}

/** The exponent field of a double, less `low`; at most `range` when it lies between. */
function exponentInside(code: Code, value: number, low: number, range: number): void {
  code.get(value).op("i64.reinterpret_f64").i64(52n).op("i64.shr_u", "i32.wrap_i64").i32(0x7ff).op("i32.and");
  code.i32(low).op("i32.sub").i32(range).op("i32.le_u");
}

/** high + low = value, each with half the digits (T. Dekker). */
function split(code: Code, value: number, high: number, low: number): void {
  code.get(value).f64(134217729).op("f64.mul").tee(high);
  code.get(high).get(value).op("f64.sub", "f64.sub").set(high);
  code.get(value).get(high).op("f64.sub").set(low);
}

/** (a, b, c) by error-free sums and products where nothing can overflow or underflow, else by whole numbers. */
function fma64(code: Code): void {
  const locals = Array.from({ length: 14 }, () => code.local("f64"));
  const [ah, al, bh, bl, p, e, th, tl, vh, vl, z, ze, part] = locals as [
    ...[number, number, number, number, number, number, number],
    ...[number, number, number, number, number, number],
  ];
  const bits = code.local("i64");
  code.get(0).f64(0).op("f64.eq").get(1).f64(0).op("f64.eq", "i32.or");
  code.get(2).get(2).op("f64.sub").f64(0).op("f64.eq", "i32.and");
  code.get(0).get(1).op("f64.mul").f64(0).op("f64.eq", "i32.and").if();
  code.get(0).get(1).op("f64.mul").get(2).op("f64.add", "return", "end");
  exponentInside(code, 0, 623, 800);
  exponentInside(code, 1, 623, 800);
  exponentInside(code, 2, 123, 1800);
  code.get(2).f64(0).op("f64.eq", "i32.or", "i32.and", "i32.and", "i32.eqz").if();
  for (const local of [0, 1, 2]) code.get(local).op("i64.reinterpret_f64");
  code.call(IMPORTED_FMA64).op("f64.reinterpret_i64", "return", "end");
  split(code, 0, ah, al);
  split(code, 1, bh, bl);
  // e = al*bl - (((p - ah*bh) - al*bh) - ah*bl)
  code.get(0).get(1).op("f64.mul").set(p);
  code.get(al).get(bl).op("f64.mul").get(p);
  for (const [x, y] of [[ah, bh] as const, [al, bh] as const, [ah, bl] as const]) {
    code.get(x).get(y).op("f64.mul", "f64.sub");
  }
  code.op("f64.sub").set(e);
  exactSum(code, 2, e, th, tl, part);
  exactSum(code, p, th, vh, vl, part);
  exactSum(code, tl, vl, z, ze, part);
  toOdd(code, z, ze, bits);
  code.get(vh).get(z).op("f64.add");
}

function halfToFloat(code: Code): void {
  const sign = code.local("i32");
  const rest = code.local("i32");
  code.get(0).i32(0x8000).op("i32.and").i32(16).op("i32.shl").set(sign);
  code.get(0).i32(0x7fff).op("i32.and").tee(rest).i32(0x7c00).op("i32.gt_u").if().i32(0x7fffffff).op("return", "end");
  code.get(rest).i32(0x7c00).op("i32.eq").if().get(sign).i32(0x7f800000).op("i32.or", "return", "end");
  code.get(rest).i32(0x400).op("i32.lt_u").if();
  code.get(rest).op("f32.convert_i32_u").i32(0x33800000).op("f32.reinterpret_i32", "f32.mul", "i32.reinterpret_f32");
  code.get(sign).op("i32.or", "return", "end");
  code.get(rest).i32(13).op("i32.shl").i32(0x38000000).op("i32.add").get(sign).op("i32.or");
}

function floatToHalf(code: Code): void {
  const sign = code.local("i32");
  const rest = code.local("i32");
  code.get(0).i32(16).op("i32.shr_u").i32(0x8000).op("i32.and").set(sign);
  code.get(0).i32(0x7fffffff).op("i32.and").tee(rest).i32(0x7f800000).op("i32.gt_u").if();
  code.i32(0x7fff).op("return", "end");
  // From 65520 up everything rounds to infinity.
  code.get(rest).i32(0x477ff000).op("i32.ge_u").if().get(sign).i32(0x7c00).op("i32.or", "return", "end");
  code.get(rest).i32(0x38800000).op("i32.lt_u").if();
  code.get(rest).op("f32.reinterpret_i32").i32(0x4b800000).op("f32.reinterpret_i32", "f32.mul", "f32.nearest");
  code.op("i32.trunc_sat_f32_u").get(sign).op("i32.or", "return", "end");
  code.get(rest).i32(0xfff).op("i32.add").get(rest).i32(13).op("i32.shr_u").i32(1).op("i32.and", "i32.add");
  code.i32(0x38000000).op("i32.sub").i32(13).op("i32.shr_u").get(sign).op("i32.or");
}
