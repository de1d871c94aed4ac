/** Lowers integer, bit, selection and move instructions. */
import type { IntegerOp } from "./ir.ts";
import type { LoweringContext } from "./lowering-context.ts";
import { bitsOf, type ScalarType } from "./scalar-types.ts";

export type Lowering = (context: LoweringContext) => void;

const INTEGERS: readonly ScalarType[] = ["u16", "s16", "u32", "s32", "u64", "s64"];
const SIGNED: readonly ScalarType[] = ["s16", "s32", "s64"];
const WORDS: readonly ScalarType[] = ["b32", "b64"];
const BITS: readonly ScalarType[] = ["b16", "b32", "b64"];

/** `op d, a...` where everything has one type. */
function simple(op: IntegerOp, sources: number, types: readonly ScalarType[]): Lowering {
  return (context) => {
    const type = context.type(...types);
    context.done(sources + 1);
    const src = Array.from({ length: sources }, (_, i) => context.source(i + 1, type));
    context.emit(op, type, [context.destination(0, type)], src);
  };
}

/** `op d, a` where the result has 32 bits whatever the source has. */
function counting(op: IntegerOp, types: readonly ScalarType[]): Lowering {
  return (context) => {
    const mode = context.flag("shiftamt") ? "shiftamt" : "";
    const type = context.type(...types);
    context.done(2);
    context.emit(op, type, [context.destination(0, "b32")], [context.source(1, type)], { mode });
  };
}

/** Shifts take their amount as 32 bits, whatever they shift. */
function shift(op: "shl" | "shr", types: readonly ScalarType[]): Lowering {
  return (context) => {
    const type = context.type(...types);
    context.done(3);
    context.emit(op, type, [context.destination(0, type)], [context.source(1, type), context.source(2, "b32")]);
  };
}

const WIDER: Partial<Record<ScalarType, ScalarType>> = { u16: "u32", s16: "s32", u32: "u64", s32: "s64" };

function product(op: "mul" | "mad", sources: number): Lowering {
  return (context) => {
    const mode = context.oneOf("lo", "hi", "wide");
    if (mode === undefined) return context.fail("PTX_SYNTAX", "says neither .lo, .hi nor .wide");
    const type = context.type(...INTEGERS);
    context.done(sources + 1);
    const result = mode === "wide" ? WIDER[type] : type;
    if (result === undefined) return context.fail("PTX_TYPE", "64-bit integers have no wide product");
    const src = [context.source(1, type), context.source(2, type)];
    if (op === "mad") src.push(context.source(3, result));
    context.emit(op, type, [context.destination(0, result)], src, { mode });
  };
}

function bitField(op: "bfe" | "bfi"): Lowering {
  return (context) => {
    const type = op === "bfe" ? context.type("u32", "s32", "u64", "s64") : context.type(...WORDS);
    context.done(op === "bfe" ? 4 : 5);
    const values = op === "bfe" ? [context.source(1, type)] : [context.source(1, type), context.source(2, type)];
    const src = [...values, context.source(values.length + 1, "b32"), context.source(values.length + 2, "b32")];
    context.emit(op, type, [context.destination(0, type)], src);
  };
}

function logic(op: "and" | "or" | "xor" | "not", sources: number): Lowering {
  return (context) => {
    const type = context.type("pred", ...BITS);
    context.done(sources + 1);
    const src = Array.from({ length: sources }, (_, i) => context.source(i + 1, type));
    context.emit(op, type, [context.destination(0, type)], src);
  };
}

function lop3(context: LoweringContext): void {
  const type = context.type("b32");
  context.done(5);
  const table = context.operand(4);
  if (table.kind !== "integer" || table.value < 0n || table.value > 255n) {
    context.fail("PTX_SYNTAX", "its table is a number from 0 to 255");
    return;
  }
  const src = [context.source(1, type), context.source(2, type), context.source(3, type)];
  context.emit("lop3", type, [context.destination(0, type)], src, { mode: table.value.toString() });
}

function funnelShift(context: LoweringContext): void {
  const direction = context.oneOf("l", "r");
  const overflow = context.oneOf("wrap", "clamp");
  const type = context.type("b32");
  context.done(4);
  if (direction === undefined || overflow === undefined) context.fail("PTX_SYNTAX", "needs .l or .r, .wrap or .clamp");
  const src = [context.source(1, type), context.source(2, type), context.source(3, type)];
  context.emit("shf", type, [context.destination(0, type)], src, { mode: `${direction}.${overflow}` });
}

function permute(context: LoweringContext): void {
  const type = context.type("b32");
  context.done(4);
  const src = [context.source(1, type), context.source(2, type), context.source(3, type)];
  context.emit("prmt", type, [context.destination(0, type)], src);
}

function dotProduct(context: LoweringContext): void {
  const second = context.type("u32", "s32");
  const first = context.type("u32", "s32");
  context.done(4);
  const result: ScalarType = first === "u32" && second === "u32" ? "u32" : "s32";
  const src = [context.source(1, first), context.source(2, second), context.source(3, result)];
  context.emit("dp4a", result, [context.destination(0, result)], src, { mode: `${first}.${second}` });
}

function select(context: LoweringContext): void {
  const type = context.type();
  context.done(4);
  if (bitsOf(type) < 16) context.fail("PTX_UNSUPPORTED", `type ${type} is not supported`);
  const src = [context.source(1, type), context.source(2, type), context.source(3, "pred")];
  context.emit("selp", type, [context.destination(0, type)], src);
}

function move(context: LoweringContext): void {
  const type = context.type();
  context.done(2);
  const target = context.operand(0);
  const value = context.operand(1);
  if (target.kind === "vector") {
    unpack(context, type);
    return;
  }
  if (value.kind === "vector") {
    pack(context, type);
    return;
  }
  context.emit("mov", type, [context.destination(0, type)], [context.source(1, type)]);
}

function halves(context: LoweringContext, type: ScalarType, count: number): ScalarType {
  const bits = bitsOf(type) / count;
  if (count !== 2 && count !== 4) context.fail("PTX_SYNTAX", "a value has two or four parts");
  if (bits !== 16 && bits !== 32) context.fail("PTX_UNSUPPORTED", `parts of ${bits} bits are not supported`);
  return bits === 16 ? "b16" : "b32";
}

/** `mov.b64 d, {low, high}`: shifts and ors. */
function pack(context: LoweringContext, type: ScalarType): void {
  const value = context.operand(1);
  if (value.kind !== "vector") return;
  const part = halves(context, type, value.items.length);
  const width: ScalarType = bitsOf(type) === 64 ? "b64" : "b32";
  const unsigned: ScalarType = part === "b16" ? "u16" : "u32";
  let whole = -1;
  value.items.forEach((item, i) => {
    const extended = context.freshRegister(width);
    const wide: ScalarType = width === "b64" ? "u64" : "u32";
    context.emit("cvt", wide, [extended], [context.sourceOf(item, part)], { from: unsigned });
    if (i === 0) {
      whole = extended;
      return;
    }
    const shifted = context.freshRegister(width);
    const amount = { kind: "immediate", bits: BigInt(i * bitsOf(part)) } as const;
    context.emit("shl", width, [shifted], [{ kind: "register", id: extended }, amount]);
    const joined = context.freshRegister(width);
    const parts = [whole, shifted].map((id) => ({ kind: "register", id }) as const);
    context.emit("or", width, [joined], parts);
    whole = joined;
  });
  context.emit("mov", type, [context.destination(0, type)], [{ kind: "register", id: whole }]);
}

/** `mov.b64 {low, high}, a`. */
function unpack(context: LoweringContext, type: ScalarType): void {
  const target = context.operand(0);
  if (target.kind !== "vector") return;
  const part = halves(context, type, target.items.length);
  const wide: ScalarType = bitsOf(type) === 64 ? "u64" : "u32";
  const narrow: ScalarType = part === "b16" ? "u16" : "u32";
  const whole = context.freshRegister(wide);
  context.emit("mov", wide, [whole], [context.source(1, type)]);
  target.items.forEach((item, i) => {
    const shifted = context.freshRegister(wide);
    const amount = { kind: "immediate", bits: BigInt(i * bitsOf(part)) } as const;
    context.emit("shr", wide, [shifted], [{ kind: "register", id: whole }, amount]);
    const id = context.destinationOf(item, part);
    context.emit("cvt", narrow, [id], [{ kind: "register", id: shifted }], { from: wide });
  });
}

export const INTEGER_LOWERINGS: Readonly<Record<string, Lowering>> = {
  add: simple("add", 2, INTEGERS),
  sub: simple("sub", 2, INTEGERS),
  div: simple("div", 2, INTEGERS),
  rem: simple("rem", 2, INTEGERS),
  min: simple("min", 2, INTEGERS),
  max: simple("max", 2, INTEGERS),
  abs: simple("abs", 1, SIGNED),
  neg: simple("neg", 1, SIGNED),
  sad: simple("sad", 3, INTEGERS),
  cnot: simple("cnot", 1, BITS),
  brev: simple("brev", 1, WORDS),
  mul: product("mul", 2),
  mad: product("mad", 3),
  and: logic("and", 2),
  or: logic("or", 2),
  xor: logic("xor", 2),
  not: logic("not", 1),
  shl: shift("shl", BITS),
  shr: shift("shr", [...BITS, ...INTEGERS]),
  popc: counting("popc", WORDS),
  clz: counting("clz", WORDS),
  bfind: counting("bfind", ["u32", "s32", "u64", "s64"]),
  bfe: bitField("bfe"),
  bfi: bitField("bfi"),
  lop3,
  shf: funnelShift,
  prmt: permute,
  dp4a: dotProduct,
  selp: select,
  mov: move,
};
