/**
 * One instruction of the intermediate form as PTX. Where hardware or the PTX manual leave the answer open, more
 * instructions are put that make it ours: division by zero, NaN to integer, the bits of a NaN.
 */
import { assert } from "../../../base/errors.ts";
import type { CheckedKernel } from "../../ptx/check.ts";
import type { Instruction, MemoryAccess, Source } from "../../ptx/ir.ts";
import { bitsOf, isFloat, isSigned, type ScalarType, sizeOf } from "../../ptx/scalar-types.ts";
import { ONE_NAN } from "./late-nan.ts";
import { classOf, type PtxWriter, parameterName } from "./ptx-writer.ts";

type Printer = (writer: PtxWriter, instruction: Instruction, checked: CheckedKernel) => void;

/** `name d, a, b...` where the sources have the types that `typeOf` says. */
function plain(name: (instruction: Instruction) => string): Printer {
  return (writer, instruction) => {
    const { dst, src, type, guard } = instruction;
    const sources = src.map((source, i) => writer.source(instruction, source, sourceType(instruction, i)));
    const target = writer.destination(dst[0] ?? -1, resultType(instruction, type));
    writer.line(`${name(instruction)} ${[target, ...sources].join(", ")}`, guard);
  };
}

const typed: Printer = plain(({ op, type }) => `${op}.${type}`);
const asBits: Printer = plain(({ op, type }) => `${op}.${type === "pred" ? type : `b${bitsOf(type)}`}`);

function float(name: string): Printer {
  return plain(({ type, mode }) => `${name}.${mode === "rz" ? "rz" : "rn"}.${type}`);
}

function exactFloat(name: string): Printer {
  return plain(({ type }) => `${name}.${type}`);
}

/** Shift amounts, positions and the like have 32 bits; predicates have one. */
function sourceType({ op, type, from, mode }: Instruction, index: number): ScalarType {
  if ((op === "shl" || op === "shr" || op === "bfe") && index > 0) return "u32";
  if (op === "bfi" && index > 1) return "u32";
  if (op === "selp" && index === 2) return "pred";
  if (op === "mad" && index === 2 && mode === "wide") return WIDER[type] ?? type;
  return from;
}

const WIDER: Partial<Record<ScalarType, ScalarType>> = { u16: "u32", s16: "s32", u32: "u64", s32: "s64" };

function resultType({ op, mode }: Instruction, type: ScalarType): ScalarType {
  if (op === "setp") return "pred";
  if (op === "popc" || op === "clz" || op === "bfind") return "b32";
  return mode === "wide" ? (WIDER[type] ?? type) : type;
}

/** By zero: all ones, or the dividend; by -1, where the most negative number would not fit: the negation, or 0. */
const divide: Printer = (writer, instruction) => {
  const { op, type, src, dst, guard } = instruction;
  const [dividend, divisor] = src as readonly [Source, Source];
  const bits = bitsOf(type);
  if (divisor.kind === "immediate") {
    const value = BigInt.asIntN(bits, divisor.bits);
    if (value !== 0n && (value !== -1n || !isSigned(type))) return typed(writer, instruction, undefined as never);
  }
  const a = writer.source(instruction, dividend, type);
  const b = inRegister(writer, writer.source(instruction, divisor, type), type);
  const special = (value: string, answer: string, safe: string, result: string): readonly [string, string] => {
    const found = writer.fresh("p");
    const [nextSafe, nextResult] = [writer.fresh(classOf(type)), writer.fresh(classOf(type))];
    writer.line(`setp.eq.${type} ${found}, ${b}, ${value}`);
    if (result === "") {
      writer.line(`selp.b${bits} ${nextSafe}, 1, ${safe}, ${found}`);
      return [nextSafe, found];
    }
    writer.line(`selp.b${bits} ${nextResult}, ${answer}, ${result}, ${found}`);
    return [safe, nextResult];
  };
  let [safe] = special("0", "", b, "");
  if (isSigned(type)) [safe] = special("-1", "", safe, "");
  let result = writer.fresh(classOf(type));
  writer.line(`${op}.${type} ${result}, ${a}, ${safe}`);
  if (isSigned(type)) {
    let answer = "0";
    if (op === "div") {
      answer = writer.fresh(classOf(type));
      writer.line(`neg.${type} ${answer}, ${inRegister(writer, a, type)}`);
    }
    [, result] = special("-1", answer, safe, result);
  }
  [, result] = special("0", op === "div" ? "-1" : a, safe, result);
  writer.line(`mov.b${bits} ${writer.destination(dst[0] ?? -1, type)}, ${result}`, guard);
};

function inRegister(writer: PtxWriter, operand: string, type: ScalarType): string {
  if (operand.startsWith("%")) return operand;
  const register = writer.fresh(classOf(type));
  writer.line(`mov.b${bitsOf(type)} ${register}, ${operand}`);
  return register;
}

/** A NaN in a register that is not fixed later. */
const fixNan: Printer = (writer, { type, dst, guard }) => {
  const [id = -1] = dst;
  if (id < 0 || writer.nans.isLate(id)) return;
  const register = writer.register(id);
  const found = writer.fresh("p");
  const bits = bitsOf(type);
  if (type === "f16") {
    // Beyond infinity, whatever the sign.
    const size = writer.fresh("h");
    writer.line(`and.b16 ${size}, ${register}, 32767`);
    writer.line(`setp.gt.u16 ${found}, ${size}, 31744`);
  } else writer.line(`setp.nan.${type} ${found}, ${register}, ${register}`);
  if (guard !== undefined) {
    const other = guard.negated ? invert(writer, guard.register) : writer.register(guard.register);
    writer.line(`and.pred ${found}, ${found}, ${other}`);
  }
  writer.lines.push(`\t@${found} mov.b${bits} ${register}, ${(ONE_NAN[type] ?? 0n).toString()};`);
};

function invert(writer: PtxWriter, predicate: number): string {
  const inverse = writer.fresh("p");
  writer.line(`not.pred ${inverse}, ${writer.register(predicate)}`);
  return inverse;
}

const move: Printer = (writer, instruction) => {
  const { type, src, dst, guard } = instruction;
  const target = writer.destination(dst[0] ?? -1, type);
  const source = writer.source(
    instruction,
    src[0] as Source,
    type === "pred" ? type : (`b${bitsOf(type)}` as ScalarType),
  );
  writer.line(`mov.${type === "pred" ? type : `b${bitsOf(type)}`} ${target}, ${source}`, guard);
};

const select: Printer = (writer, instruction) => {
  const { type, src, dst, guard } = instruction;
  const [a, b, predicate] = src as readonly [Source, Source, Source];
  const bits = `b${bitsOf(type)}` as ScalarType;
  const operands = [
    ...[a, b].map((source) => writer.source(instruction, source, bits)),
    writer.source(instruction, predicate, "pred"),
  ];
  writer.line(`selp.${bits} ${[writer.destination(dst[0] ?? -1, type), ...operands].join(", ")}`, guard);
};

const convert: Printer = (writer, instruction) => {
  const { type, from, mode, src, dst, guard } = instruction;
  const source = inRegister(writer, writer.source(instruction, src[0] as Source, from), from);
  const id = dst[0] ?? -1;
  const target = writer.destination(id, type);
  const toInteger = isFloat(from) && !isFloat(type);
  const rounding = toInteger && (mode === "sat" || mode === "") ? "rzi" : mode;
  const name = ["cvt", ...(rounding === "" ? [] : [rounding]), type, from].join(".");
  if (!toInteger || (from === "f32" && bitsOf(type) < 64)) {
    writer.line(`${name} ${target}, ${source}`, guard);
    return;
  }
  // The manual gives another number than 0 for a NaN here.
  const held = id < 0 ? type : (writer.kernel.registers[id] as ScalarType);
  const [found, result] = [writer.fresh("p"), writer.fresh(classOf(held))];
  writer.line(`setp.nan.${from} ${found}, ${source}, ${source}`);
  writer.line(`${name} ${result}, ${source}`);
  writer.line(`selp.b${Math.max(16, bitsOf(held))} ${target}, 0, ${result}, ${found}`, guard);
};

const convertAddress: Printer = (writer, instruction) => {
  const { mode, type, src, dst, guard } = instruction;
  const [direction, space] = mode.split(".");
  const source = writer.source(instruction, src[0] as Source, type);
  const name = direction === "to" ? `cvta.to.${space}` : `cvta.${space}`;
  writer.line(`${name}.${type} ${writer.destination(dst[0] ?? -1, type)}, ${source}`, guard);
};

/** Halves are moved as bits. */
function memoryType(type: ScalarType): string {
  return type === "f16" ? "b16" : type;
}

function addressOf(writer: PtxWriter, instruction: Instruction, memory: MemoryAccess): string {
  const { base, offset, space } = memory;
  if (space === "param") {
    const index = writer.kernel.parameters.findIndex((p) => offset >= p.offset && offset < p.offset + p.size);
    const parameter = writer.kernel.parameters[index];
    assert(parameter !== undefined, "a parameter is read");
    const inside = offset - BigInt(parameter.offset);
    return `[${parameterName(index)}${inside === 0n ? "" : `+${inside}`}]`;
  }
  if (base.kind === "variable") return `[${writer.symbol(base.index, base.offset + offset)}]`;
  const register = writer.source(instruction, base, "b64");
  return `[${register}${offset === 0n ? "" : `+${offset}`}]`;
}

/** The space of an access as the hardware wants it: a variable's own name is no generic address. */
function spaceOf(writer: PtxWriter, { base, space }: MemoryAccess): string {
  const named = base.kind === "variable" && space === "generic" ? writer.kernel.variables[base.index]?.space : space;
  return named === "generic" || named === undefined ? "" : `.${named}`;
}

function lanes(count: number): string {
  return count === 1 ? "" : `.v${count}`;
}

function braces(items: readonly string[]): string {
  return items.length === 1 ? (items[0] as string) : `{${items.join(", ")}}`;
}

const load: Printer = (writer, instruction, { pointers }) => {
  const { dst, type, guard } = instruction;
  const memory = instruction.memory as MemoryAccess;
  const object = pointers.objectOf(instruction);
  const use = object?.kind === "parameter" ? pointers.buffers.get(object.index) : undefined;
  // Nothing writes it during the launch, so that it may be cached freely.
  const constant = memory.space === "global" && use !== undefined && !use.stores && use.reductions.length === 0;
  const name = `ld${spaceOf(writer, memory)}${constant ? ".nc" : ""}${lanes(dst.length)}.${memoryType(type)}`;
  const targets = dst.map((id) => writer.destination(id, type));
  writer.line(`${name} ${braces(targets)}, ${addressOf(writer, instruction, memory)}`, guard);
};

const store: Printer = (writer, instruction) => {
  const { src, type, guard } = instruction;
  const memory = instruction.memory as MemoryAccess;
  const values = src.map((source) => inRegister(writer, writer.source(instruction, source, type), type));
  const address = addressOf(writer, instruction, memory);
  writer.line(
    `st${spaceOf(writer, memory)}${lanes(src.length)}.${memoryType(type)} ${address}, ${braces(values)}`,
    guard,
  );
};

const reduction: Printer = (writer, instruction) => {
  const { src, type, mode, guard } = instruction;
  const memory = instruction.memory as MemoryAccess;
  const bits = 8 * sizeOf(type);
  const bitwise = mode === "and" || mode === "or" || mode === "xor";
  const added = mode === "add" && bits === 64;
  const form = bitwise ? `b${bits}` : added || type.startsWith("b") ? `u${bits}` : type;
  const value = writer.source(instruction, src[0] as Source, type);
  const address = addressOf(writer, instruction, memory);
  writer.line(`red${spaceOf(writer, memory)}.${mode}.${form} ${address}, ${value}`, guard);
};

const ORDERS: ReadonlySet<string> = new Set(["lt", "le", "gt", "ge"]);

/**
 * Addresses of a buffer are ordered by their distance from its start. As numbers they would be ordered alike, but for
 * distances near 2^63, which a program could make to have GPUs disagree with everybody else.
 */
const compare: Printer = (writer, instruction, checked) => {
  const { src, type, mode, dst, guard } = instruction;
  const [a, b] = src as readonly [Source, Source];
  const parameter = ORDERS.has(mode) && bitsOf(type) === 64 ? bufferBehind(instruction, a, checked) : undefined;
  if (parameter === undefined) {
    comparison(writer, instruction, checked);
    return;
  }
  const base = writer.fresh("d");
  writer.line(`ld.param.u64 ${base}, [${parameterName(parameter)}]`);
  const distances = [a, b].map((source) => {
    const distance = writer.fresh("d");
    writer.line(`sub.s64 ${distance}, ${writer.source(instruction, source, type)}, ${base}`);
    return distance;
  });
  writer.line(`setp.${mode}.s64 ${[writer.destination(dst[0] ?? -1, "pred"), ...distances].join(", ")}`, guard);
};

/** The parameter whose buffer a source points into. */
function bufferBehind(instruction: Instruction, base: Source, { pointers }: CheckedKernel): number | undefined {
  if (!pointers.isAddress(base)) return undefined;
  const memory: MemoryAccess = { space: "generic", base, offset: 0n, bytes: 1 };
  const object = pointers.objectOf({ ...instruction, memory });
  return object?.kind === "parameter" ? object.index : undefined;
}

const comparison: Printer = plain(({ type, mode }) => `setp.${mode}.${type}`);

const PRINTERS: Partial<Record<Instruction["op"], Printer>> = {
  ...{ add: typed, sub: typed, min: typed, max: typed, abs: typed, neg: typed, sad: typed, bfe: typed },
  ...{ and: asBits, or: asBits, xor: asBits, not: asBits, cnot: asBits, shl: asBits, shr: typed, bfi: asBits },
  ...{ popc: asBits, clz: asBits, brev: asBits, prmt: asBits, copysign: typed, div: divide, rem: divide },
  mul: plain(({ type, mode }) => `mul.${mode}.${type}`),
  mad: plain(({ type, mode }) => `mad.${mode}.${type}`),
  bfind: plain(({ type, mode }) => `bfind${mode === "" ? "" : `.${mode}`}.${type}`),
  shf: plain(({ mode }) => `shf.${mode}.b32`),
  dp4a: plain(({ mode }) => `dp4a.${mode}`),
  lop3: (writer, instruction) => {
    const { src, dst, mode, guard } = instruction;
    const sources = src.map((source) => writer.source(instruction, source, "b32"));
    writer.line(`lop3.b32 ${[writer.destination(dst[0] ?? -1, "b32"), ...sources, mode].join(", ")}`, guard);
  },
  ...{ fadd: float("add"), fsub: float("sub"), fmul: float("mul"), fdiv: float("div"), fsqrt: float("sqrt") },
  ...{ fma: float("fma"), fmin: exactFloat("min"), fmax: exactFloat("max") },
  ...{ fneg: exactFloat("neg"), fabs: exactFloat("abs"), fixnan: fixNan },
  setp: compare,
  ...{ mov: move, selp: select, cvt: convert, cvta: convertAddress, ld: load, st: store, red: reduction },
  trap: (writer, { guard }) => writer.line("trap", guard),
};

export function printInstruction(writer: PtxWriter, instruction: Instruction, checked: CheckedKernel): void {
  const printer = PRINTERS[instruction.op];
  assert(printer !== undefined, `PTX has ${instruction.op}`);
  printer(writer, instruction, checked);
}

/** Barriers and warp operations, at the end of a block. */
export function printWait(writer: PtxWriter, instruction: Instruction): void {
  const { op, mode, dst, src, type } = instruction;
  const source = (index: number, kind: ScalarType): string => writer.source(instruction, src[index] as Source, kind);
  const pair = (first: ScalarType): string => {
    const [value = -1, predicate = -1] = dst;
    const target = writer.destination(value, first);
    return predicate < 0 ? target : `${target}|${writer.register(predicate)}`;
  };
  if (op === "barrier") {
    // The form that does not ask the threads of a warp to arrive together.
    writer.line(`barrier.sync ${mode}`);
  } else if (op === "warpsync") writer.line(`bar.warp.sync ${source(0, "u32")}`);
  else if (op === "shfl") {
    const values = [source(0, "b32"), source(1, "u32"), source(2, "u32"), source(3, "u32")];
    writer.line(`shfl.sync.${mode}.b32 ${pair("b32")}, ${values.join(", ")}`);
  } else if (op === "vote") {
    const values = [source(0, "pred"), source(1, "u32")].join(", ");
    writer.line(`vote.sync.${mode}.${type} ${pair(type)}, ${values}`);
  } else {
    const values = [inRegister(writer, source(0, type), type), source(1, "u32")].join(", ");
    writer.line(`match.${mode}.sync.b${bitsOf(type)} ${pair("b32")}, ${values}`);
  }
}
