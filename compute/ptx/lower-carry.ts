/**
 * Lowers arithmetic with carry: `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`. The carry flag becomes a predicate
 * register, and the instructions plain sums and comparisons, so that engines need not know about them.
 */
import type { Source } from "./ir.ts";
import type { Lowering } from "./lower-integer.ts";
import type { LoweringContext } from "./lowering-context.ts";
import type { ScalarType } from "./scalar-types.ts";

const TYPES: readonly ScalarType[] = ["u32", "s32", "u64", "s64"];

function unsigned(type: ScalarType): ScalarType {
  return type.endsWith("64") ? "u64" : "u32";
}

function register(id: number): Source {
  return { kind: "register", id };
}

/** a + b or a - b in a fresh register, and whether it carried or borrowed, in another. */
function step(
  context: LoweringContext,
  op: "add" | "sub",
  type: ScalarType,
  a: Source,
  b: Source,
): { readonly value: Source; readonly carry: Source } {
  const value = context.freshRegister(type);
  const carry = context.freshRegister("pred");
  context.emit(op, type, [value], [a, b]);
  const compared = op === "add" ? [register(value), a] : [a, b];
  context.emit("setp", type, [carry], compared, { mode: "lt" });
  return { value: register(value), carry: register(carry) };
}

/** a op b op carry-in, with the flag written when `.cc` says so. */
function withCarry(
  context: LoweringContext,
  op: "add" | "sub",
  type: ScalarType,
  operands: readonly [Source, Source],
  carryIn: boolean,
): void {
  const writes = context.flag("cc");
  const target = context.destination(0, type);
  const flag = context.carryFlag();
  let result = step(context, op, type, ...operands);
  if (carryIn) {
    const one = context.freshRegister(type);
    const bits = [1n, 0n].map((value): Source => ({ kind: "immediate", bits: value }));
    context.emit("selp", type, [one], [...bits, register(flag)]);
    const second = step(context, op, type, result.value, register(one));
    const carry = context.freshRegister("pred");
    context.emit("or", "pred", [carry], [result.carry, second.carry]);
    result = { value: second.value, carry: register(carry) };
  }
  context.emit("mov", type, [target], [result.value]);
  if (writes) context.emit("mov", "pred", [flag], [result.carry]);
}

function sum(op: "add" | "sub", carryIn: boolean): Lowering {
  return (context) => {
    const type = unsigned(context.type(...TYPES));
    withCarry(context, op, type, [context.source(1, type), context.source(2, type)], carryIn);
    context.done(3);
  };
}

function multiplySum(carryIn: boolean): Lowering {
  return (context) => {
    const mode = context.oneOf("lo", "hi");
    const type = context.type(...TYPES);
    if (mode === undefined) return context.fail("PTX_SYNTAX", "says neither .lo nor .hi");
    const plain = unsigned(type);
    const product = context.freshRegister(plain);
    context.emit("mul", type, [product], [context.source(1, type), context.source(2, type)], { mode });
    withCarry(context, "add", plain, [register(product), context.source(3, plain)], carryIn);
    context.done(4);
  };
}

export const CARRY_LOWERINGS: Readonly<Record<"add.cc" | "sub.cc" | "mad.cc" | "addc" | "subc" | "madc", Lowering>> = {
  "add.cc": sum("add", false),
  "sub.cc": sum("sub", false),
  "mad.cc": multiplySum(false),
  addc: sum("add", true),
  subc: sum("sub", true),
  madc: multiplySum(true),
};
