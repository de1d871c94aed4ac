/** Lowers loads, stores, atomics and address conversions. */
import type { MemoryAccess, Source } from "./ir.ts";
import type { Lowering } from "./lower-integer.ts";
import type { LoweringContext } from "./lowering-context.ts";
import { type ScalarType, sizeOf } from "./scalar-types.ts";
import type { Operand, Space } from "./syntax.ts";

/** Hints that change speed and never the result. */
const HINTS: readonly string[] = [
  ...["weak", "volatile", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"],
  ...["L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"],
  ...["L2::64B", "L2::128B", "L2::256B", "L2::evict_first", "L2::evict_last", "L2::evict_normal"],
];

const SPACES: readonly string[] = ["param", "global", "shared", "local", "const", "shared::cta", "param::entry"];

function spaceOf(context: LoweringContext): Space | "generic" {
  while (context.oneOf(...HINTS) !== undefined) {
    // Taken off.
  }
  const ordered = context.oneOf("relaxed", "acquire", "release", "mmio");
  if (ordered !== undefined) {
    context.fail("PTX_REFUSED", `.${ordered} talks to other blocks, whose order is not defined`);
  }
  const name = context.oneOf(...SPACES) ?? "generic";
  return name.split("::")[0] as Space | "generic";
}

function accessOf(context: LoweringContext, index: number, space: Space | "generic", bytes: number): MemoryAccess {
  const address = context.operand(index);
  if (address.kind !== "address") return context.fail("PTX_SYNTAX", "expected an address in brackets");
  const { base, offset } = address;
  if (base === undefined) return context.fail("PTX_POINTER", "a number is not an address");
  if (space === "param") return parameterAccess(context, base, offset, bytes);
  const source = context.sourceOf(base, pointerType(context, base));
  return { space, base: source, offset, bytes };
}

/** Addresses of shared and local memory may have 32 bits. */
function pointerType(context: LoweringContext, base: Operand): ScalarType {
  if (base.kind !== "register") return "b64";
  const held = context.scope.registers[base.id] as ScalarType;
  return sizeOf(held) === 4 ? "b32" : "b64";
}

function parameterAccess(context: LoweringContext, base: Operand, offset: bigint, bytes: number): MemoryAccess {
  const parameter = base.kind === "symbol" ? context.scope.parameters.get(base.name) : undefined;
  if (parameter === undefined) return context.fail("PTX_UNSUPPORTED", "only named parameters can be read");
  if (offset < 0n || offset + BigInt(bytes) > BigInt(parameter.size)) {
    context.fail("PTX_TYPE", `reads beyond the ${parameter.size} bytes of ${parameter.name}`);
  }
  const at = BigInt(parameter.offset) + offset;
  if (at % BigInt(bytes) !== 0n) context.fail("PTX_TYPE", "the parameter is not aligned for this access");
  return { space: "param", base: { kind: "immediate", bits: 0n }, offset: at, bytes };
}

function lanesOf(context: LoweringContext): number {
  const vector = context.oneOf("v2", "v4");
  return vector === undefined ? 1 : Number(vector[1]);
}

function itemsOf(context: LoweringContext, index: number, lanes: number): readonly Operand[] {
  const operand = context.operand(index);
  // Triton writes braces around a single register too.
  if (lanes === 1) return operand.kind === "vector" && operand.items.length === 1 ? operand.items : [operand];
  if (operand.kind !== "vector" || operand.items.length !== lanes) {
    return context.fail("PTX_TYPE", `needs ${lanes} registers in braces`);
  }
  return operand.items;
}

function load(context: LoweringContext): void {
  const space = spaceOf(context);
  const lanes = lanesOf(context);
  const type = context.type();
  context.done(2);
  if (type === "pred" || sizeOf(type) * lanes > 16) context.fail("PTX_TYPE", "loads at most 16 bytes");
  const memory = accessOf(context, 1, space, sizeOf(type) * lanes);
  const dst = itemsOf(context, 0, lanes).map((item) => context.destinationOf(item, type, "wider"));
  const written = dst.filter((id) => id >= 0);
  if (new Set(written).size !== written.length) context.fail("PTX_TYPE", "loads twice into one register");
  context.emit("ld", type, dst, [], { memory });
}

function store(context: LoweringContext): void {
  const space = spaceOf(context);
  if (space === "param") context.fail("PTX_UNSUPPORTED", "parameters cannot be written");
  if (space === "const") context.fail("PTX_TYPE", "constants cannot be written");
  const lanes = lanesOf(context);
  const type = context.type();
  context.done(2);
  if (type === "pred" || sizeOf(type) * lanes > 16) context.fail("PTX_TYPE", "stores at most 16 bytes");
  const memory = accessOf(context, 0, space, sizeOf(type) * lanes);
  const src = itemsOf(context, 1, lanes).map((item) => context.sourceOf(item, type, "wider"));
  context.emit("st", type, [], src, { memory });
}

const REDUCTIONS: readonly string[] = ["add", "and", "or", "xor", "min", "max"];
const UNORDERED = "its outcome depends on the order of threads";

function reduction(context: LoweringContext, resultOperand: boolean): void {
  context.oneOf("relaxed");
  context.oneOf("cta", "gpu");
  const space = spaceOf(context);
  const refused = context.oneOf("exch", "cas", "inc", "dec");
  if (refused !== undefined) context.fail("PTX_REFUSED", `.${refused}: ${UNORDERED}`);
  const mode = context.oneOf(...REDUCTIONS);
  if (mode === undefined) context.fail("PTX_UNSUPPORTED", "is not a reduction that is supported");
  const last = context.statement.modifiers.at(-1) ?? "";
  if (last.includes("f")) context.fail("PTX_REFUSED", `floats are not associative: ${UNORDERED}`);
  const type = context.type("u32", "s32", "b32", "u64", "s64", "b64");
  const first = resultOperand ? 1 : 0;
  context.done(first + 2);
  const memory = accessOf(context, first, space, sizeOf(type));
  if (space === "local" || space === "param" || space === "const") context.fail("PTX_TYPE", "not in this memory");
  if (resultOperand) context.destination(0, type);
  context.emit("red", type, [], [context.source(first + 1, type)], { memory, mode });
}

/** `cvta.to.global.u64`, `cvta.shared.u64`: addresses keep the object that they point into. */
function convertAddress(context: LoweringContext): void {
  const to = context.flag("to");
  const space = context.oneOf("global", "shared", "local", "const", "param", "shared::cta");
  if (space === undefined || space === "param") context.fail("PTX_UNSUPPORTED", "this memory is not supported");
  const type = context.type("u32", "u64");
  context.done(2);
  const src: Source = context.source(1, type);
  const mode = `${to ? "to" : "from"}.${space === "shared::cta" ? "shared" : space}`;
  context.emit("cvta", type, [context.destination(0, type)], [src], { mode });
}

export const MEMORY_LOWERINGS: Readonly<Record<string, Lowering>> = {
  ld: load,
  ldu: load,
  st: store,
  red: (context) => reduction(context, false),
  atom: (context) => reduction(context, true),
  cvta: convertAddress,
};
