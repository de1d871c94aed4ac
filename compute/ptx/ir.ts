/**
 * The intermediate form that every engine executes: typed instructions in basic blocks. docs/spec/numerics.md says
 * what each operation computes.
 */
import type { Place } from "./errors.ts";
import type { ScalarType } from "./scalar-types.ts";
import type { Guard, Parameter, Space, Variable } from "./syntax.ts";

export const SPECIAL_REGISTERS = [
  "tid.x",
  "tid.y",
  "tid.z",
  "ntid.x",
  "ntid.y",
  "ntid.z",
  "ctaid.x",
  "ctaid.y",
  "ctaid.z",
  "nctaid.x",
  "nctaid.y",
  "nctaid.z",
  "laneid",
  "warpid",
  "lanemask_eq",
  "lanemask_lt",
  "lanemask_le",
  "lanemask_gt",
  "lanemask_ge",
] as const;
export type SpecialRegister = (typeof SPECIAL_REGISTERS)[number];

export type Source =
  | { readonly kind: "register"; readonly id: number }
  | { readonly kind: "immediate"; readonly bits: bigint }
  | { readonly kind: "special"; readonly name: SpecialRegister }
  /** The address of a variable. */
  | { readonly kind: "variable"; readonly index: number; readonly offset: bigint };

export type IntegerOp =
  | "add"
  | "sub"
  | "mul"
  | "mad"
  | "div"
  | "rem"
  | "min"
  | "max"
  | "abs"
  | "neg"
  | "and"
  | "or"
  | "xor"
  | "not"
  | "cnot"
  | "shl"
  | "shr"
  | "popc"
  | "clz"
  | "brev"
  | "bfind"
  | "bfe"
  | "bfi"
  | "sad"
  | "lop3"
  | "shf"
  | "prmt"
  | "dp4a"
  | "copysign";
export type FloatOp = "fadd" | "fsub" | "fmul" | "fdiv" | "fsqrt" | "fma" | "fmin" | "fmax" | "fneg" | "fabs";
/** Threads wait for each other here: a block ends with it. */
export type SyncOp = "barrier" | "shfl" | "vote" | "match" | "warpsync";
export type Op =
  | IntegerOp
  | FloatOp
  | SyncOp
  /** Replaces any NaN by the one pattern; put by the rewriter after each float operation. */
  | "fixnan"
  | "mov"
  | "setp"
  | "selp"
  | "cvt"
  | "cvta"
  | "ld"
  | "st"
  | "red"
  | "trap";

export interface MemoryAccess {
  readonly space: Space | "generic";
  readonly base: Source;
  readonly offset: bigint;
  /** Bytes of the whole access, all lanes of a vector together. */
  readonly bytes: number;
}

export interface Instruction extends Place {
  readonly op: Op;
  readonly type: ScalarType;
  /** The type of the sources, where it is not `type`: conversions. */
  readonly from: ScalarType;
  /** lo, hi, wide; the comparison; the rounding; the kind of a shuffle: whatever the operation needs. */
  readonly mode: string;
  /** Registers written; -1 for a result that is not wanted. */
  readonly dst: readonly number[];
  readonly src: readonly Source[];
  readonly guard: Guard | undefined;
  readonly memory: MemoryAccess | undefined;
}

export type Terminator =
  | { readonly kind: "jump"; readonly to: number }
  | { readonly kind: "branch"; readonly guard: Guard; readonly taken: number; readonly next: number }
  | { readonly kind: "sync"; readonly instruction: Instruction; readonly next: number }
  /** To the target with the number that the register holds; beyond them the block traps. */
  | ({ readonly kind: "table"; readonly index: number; readonly targets: readonly number[] } & Place)
  | { readonly kind: "exit" };

export interface Block {
  readonly instructions: readonly Instruction[];
  readonly end: Terminator;
}

export interface Kernel {
  readonly name: string;
  readonly registers: readonly ScalarType[];
  readonly registerNames: readonly string[];
  readonly parameters: readonly Parameter[];
  /** Of the kernel and of its module. */
  readonly variables: readonly Variable[];
  /** The first is the entry. */
  readonly blocks: readonly Block[];
  readonly requiredThreads: readonly number[] | undefined;
}

export function successors(end: Terminator): readonly number[] {
  if (end.kind === "jump" || end.kind === "sync") return [end.kind === "jump" ? end.to : end.next];
  if (end.kind === "table") return [...new Set(end.targets)];
  return end.kind === "branch" ? [end.taken, end.next] : [];
}

/** The register that decides where a block goes. */
export function decidingRegister(end: Terminator): number | undefined {
  if (end.kind === "branch") return end.guard.register;
  return end.kind === "table" ? end.index : undefined;
}

/** Registers read by an instruction, its guard included. */
export function readsOf(instruction: Instruction): readonly number[] {
  const reads: number[] = [];
  for (const source of instruction.src) if (source.kind === "register") reads.push(source.id);
  const base = instruction.memory?.base;
  if (base?.kind === "register") reads.push(base.id);
  if (instruction.guard !== undefined) reads.push(instruction.guard.register);
  return reads;
}
