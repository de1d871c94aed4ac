/**
 * Where NaNs must be fixed in PTX for a GPU. The rewriter fixes each where it is made, which would triple the length of a
 * chain of multiply-adds. Most results only go into further float operations, which do not tell one NaN from another: a
 * register that holds nothing but such results is fixed where its bits are seen (stored, moved elsewhere, read as an integer).
 */
import { withEnd } from "../../ptx/data-flow.ts";
import type { Instruction, Kernel, Source } from "../../ptx/ir.ts";
import { makesNan } from "../../ptx/rewrite.ts";
import { isFloat, type ScalarType } from "../../ptx/scalar-types.ts";

export const ONE_NAN: Partial<Record<ScalarType, bigint>> = {
  f16: 0x7fffn,
  f32: 0x7fffffffn,
  f64: 0x7fffffffffffffffn,
};

export interface LateNans {
  /** Whether the register's NaNs are fixed where they are seen, not where they are made. */
  isLate(register: number): boolean;
  /** Whether the instruction sees the bits of this source. */
  sees(instruction: Instruction, source: Source): boolean;
}

const NOT_FLOAT = "none";

/** Greatest fixpoint: a register is late until one of its definitions says otherwise. */
export function findLateNans(kernel: Kernel): LateNans {
  const instructions = kernel.blocks.flatMap(withEnd);
  /** Register -> the float type of what is put there, or that it is something else. */
  const types = new Map<number, string>();
  const copies: Instruction[] = [];
  for (const instruction of instructions) {
    const copy = isCopy(instruction);
    if (copy) copies.push(instruction);
    for (const id of instruction.dst) {
      if (id < 0 || copy) continue;
      const type = madeType(instruction);
      const known = types.get(id);
      types.set(id, known === undefined || known === type ? type : NOT_FLOAT);
    }
  }
  settleCopies(copies, types);
  const isLate = (register: number): boolean => {
    const type = types.get(register);
    return type === "f32" || type === "f64";
  };
  const sees = (instruction: Instruction, source: Source): boolean => {
    if (source.kind !== "register" || !isLate(source.id)) return false;
    if (readsFloat(instruction)) return false;
    return !(isCopy(instruction) && isLate(instruction.dst[0] ?? -1) && source !== instruction.src[2]);
  };
  return { isLate, sees };
}

function isCopy({ op, type }: Instruction): boolean {
  return (op === "mov" || op === "selp") && type !== "pred";
}

/** The float type of a result that is a NaN only if it was computed, or that it is not so. */
function madeType(instruction: Instruction): string {
  const { op, type, from } = instruction;
  if (op === "fixnan" || makesNan(instruction)) return type;
  // From an integer there is no NaN.
  return op === "cvt" && isFloat(type) && !isFloat(from) ? type : NOT_FLOAT;
}

/** Operations that take any NaN for the same. */
function readsFloat(instruction: Instruction): boolean {
  const { op, type, from } = instruction;
  if (op === "fixnan" || op === "setp") return isFloat(type);
  if (op === "cvt") return isFloat(from);
  return makesNan(instruction);
}

/** Copies are what their sources are. Registers only ever change from unknown to a type, and from a type to none. */
function settleCopies(copies: readonly Instruction[], types: Map<number, string>): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (const { dst, src } of copies) {
      const [id = -1] = dst;
      for (const source of src.slice(0, 2)) {
        const given = sourceType(source, types);
        const known = types.get(id);
        if (given === undefined || known === given || known === NOT_FLOAT) continue;
        types.set(id, known === undefined ? given : NOT_FLOAT);
        changed = true;
      }
    }
  }
}

/** `undefined`: it fits whatever the others are, or is not known yet. */
function sourceType(source: Source, types: ReadonlyMap<number, string>): string | undefined {
  if (source.kind === "register") return types.get(source.id);
  // Other NaNs than the one must keep their bits.
  if (source.kind === "immediate") return isOtherNan(source.bits) ? NOT_FLOAT : undefined;
  return NOT_FLOAT;
}

function isOtherNan(bits: bigint): boolean {
  const narrow = BigInt.asUintN(32, bits);
  const wide = BigInt.asUintN(64, bits);
  const nan32 = (narrow & 0x7fffffffn) > 0x7f800000n && narrow !== ONE_NAN.f32;
  const nan64 = (wide & 0x7fffffffffffffffn) > 0x7ff0000000000000n && wide !== ONE_NAN.f64;
  return nan32 || nan64;
}
