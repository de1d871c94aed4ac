/**
 * The rewriter that runs before every engine. Hardware disagrees on the bits of a NaN that an operation makes, and
 * float bits can be stored and read back as integers, so the pattern is fixed where it is made: after each float
 * operation comes a `fixnan` of its result. Shared and local memory start as zeros in every engine.
 */
import type { Block, Instruction, Kernel, Source } from "./ir.ts";
import { isFloat, type ScalarType } from "./scalar-types.ts";

const FLOAT_OPS: ReadonlySet<string> = new Set([
  ...["fadd", "fsub", "fmul", "fdiv", "fsqrt", "fma", "fmin", "fmax", "fneg", "fabs"],
]);

/** Whether the operation can make a NaN whose bits are up to the machine. */
export function makesNan(instruction: Instruction): boolean {
  if (FLOAT_OPS.has(instruction.op)) return true;
  return instruction.op === "cvt" && isFloat(instruction.type) && isFloat(instruction.from);
}

const SIGNED: Partial<Record<ScalarType, ScalarType>> = { u32: "s32", u64: "s64" };

/**
 * Addresses of one object are ordered by their distance from its start, which may be negative: as unsigned numbers their
 * order would depend on where the object lies.
 */
export function orderAddresses(kernel: Kernel, isAddress: (source: Source) => boolean): Kernel {
  const change = (instruction: Instruction): Instruction => {
    const { op, type, src } = instruction;
    const signed = SIGNED[type];
    if (op !== "setp" || signed === undefined || !src.some(isAddress)) return instruction;
    return { ...instruction, type: signed, from: signed };
  };
  const blocks = kernel.blocks.map((block) => ({ ...block, instructions: block.instructions.map(change) }));
  return { ...kernel, blocks };
}

export function rewrite(kernel: Kernel): Kernel {
  return { ...kernel, blocks: kernel.blocks.map(rewriteBlock) };
}

function rewriteBlock(block: Block): Block {
  const instructions: Instruction[] = [];
  for (const instruction of block.instructions) {
    instructions.push(instruction);
    const [id = -1] = instruction.dst;
    if (id < 0 || !makesNan(instruction)) continue;
    const { type, guard, line, column } = instruction;
    const src = [{ kind: "register", id }] as const;
    const fix = { op: "fixnan", type, from: type, mode: "", dst: [id], src, memory: undefined } as const;
    instructions.push({ ...fix, guard, line, column });
  }
  return { ...block, instructions };
}
