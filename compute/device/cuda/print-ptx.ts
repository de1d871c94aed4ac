/**
 * PTX of a checked kernel for the CUDA driver: what the engines execute, instruction for instruction, with everything that
 * hardware would decide for itself decided (NaNs, division by zero, memory that starts as zeros, warp numbers). A GPU counts
 * no fuel and cannot be stopped, so each thread counts how often it goes back, and traps when its tile's fuel cannot
 * have been enough for that: a kernel that does not end ends.
 */
import type { CheckedKernel } from "../../ptx/check.ts";
import { type Block, successors, type Terminator } from "../../ptx/ir.ts";
import { sizeOf } from "../../ptx/scalar-types.ts";
import type { Parameter, Variable } from "../../ptx/syntax.ts";
import { printInstruction, printWait } from "./print-instruction.ts";
import { PtxWriter, parameterName } from "./ptx-writer.ts";

/** What every driver from CUDA 11 takes, for every GPU from 2018 on. */
const HEADER = [".version 7.0", ".target sm_75", ".address_size 64"];

/** The kernel's name in what is printed: names of the author's appear nowhere. */
export const ENTRY = "ogpu_kernel";

/** What the launches of a kernel have at most. */
export interface LaunchBounds {
  /** Of a block. */
  readonly threads: number;
  /** Of a tile. */
  readonly fuel: number;
}

/** The name of the last parameter, beyond the kernel's own: how often a thread may go back, and once more. */
const ROUNDS = "ogpu_rounds";

function roundsType(fuel: number): "u32" | "u64" {
  return fuel < 2 ** 32 - 1 ? "u32" : "u64";
}

/** The last argument of a launch. Every basic block costs fuel, so a thread goes back at most that often. */
export function roundsArgument(bounds: LaunchBounds, fuel: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(fuel) + 1n, true);
  return bytes.subarray(0, roundsType(bounds.fuel) === "u32" ? 4 : 8);
}

export function printPtx(checked: CheckedKernel, { threads, fuel }: LaunchBounds): string {
  const { kernel } = checked;
  const writer = new PtxWriter(kernel);
  const type = roundsType(fuel);
  const rounds = { type, register: writer.fresh(type === "u32" ? "r" : "d") };
  kernel.blocks.forEach((block, index) => {
    printBlock(writer, block, index, checked, rounds);
  });
  const body = writer.lines.splice(0);
  writer.line(`ld.param.${type} ${rounds.register}, [${ROUNDS}]`);
  const { shared, dynamic } = sharedMemory(writer);
  if (shared > 0 || dynamic !== undefined) clearShared(writer, shared, dynamic);
  if (writer.arrayBytes("local") > 0) clearLocal(writer);
  return [
    ...HEADER,
    ...writer.usedVariables().map(({ variable, symbol }) => declare(variable, symbol)),
    `.visible .entry ${ENTRY}(${[...kernel.parameters.map(parameterText), `.param .${type} ${ROUNDS}`].join(", ")})`,
    `.maxntid ${threads}, 1, 1`,
    "{",
    ...writer.declarations(),
    ...arrays(writer),
    ...writer.lines,
    ...body,
    "}",
    "",
  ].join("\n");
}

function parameterText({ type, size, alignment }: Parameter, index: number): string {
  const name = parameterName(index);
  if (size === sizeOf(type)) return `.param .${type === "f16" ? "b16" : type} ${name}`;
  return `.param .align ${alignment} .b8 ${name}[${size}]`;
}

function declare({ space, size, alignment, initial, dynamic }: Variable, symbol: string): string {
  if (dynamic) return `.extern .shared .align 16 .b8 ${symbol}[];`;
  const contents = initial === undefined ? "" : ` = {${[...initial].join(",")}}`;
  return `.${space} .align ${alignment} .b8 ${symbol}[${size}]${contents};`;
}

function arrays(writer: PtxWriter): readonly string[] {
  return (["shared", "local"] as const)
    .filter((space) => writer.arrayBytes(space) > 0)
    .map((space) => `\t.${space} .align 16 .b8 ogpu_${space}[${writer.arrayBytes(space)}];`);
}

function sharedMemory(writer: PtxWriter): { readonly shared: number; readonly dynamic: string | undefined } {
  const dynamic = writer.usedVariables().find(({ variable }) => variable.dynamic)?.symbol;
  return { shared: writer.arrayBytes("shared"), dynamic };
}

/** All threads together; the launch gives dynamic memory in multiples of 16 bytes. */
function clearShared(writer: PtxWriter, bytes: number, dynamic: string | undefined): void {
  const thread = writer.linearThread();
  const [nx, ny, nz] = ["x", "y", "z"].map((axis) => {
    const register = writer.fresh("r");
    writer.line(`mov.u32 ${register}, %ntid.${axis}`);
    return register;
  });
  const [plane, count, first, step] = [writer.fresh("r"), writer.fresh("r"), writer.fresh("r"), writer.fresh("r")];
  writer.line(`mul.lo.u32 ${plane}, ${nx}, ${ny}`);
  writer.line(`mul.lo.u32 ${count}, ${plane}, ${nz}`);
  writer.line(`shl.b32 ${first}, ${thread}, 4`);
  writer.line(`shl.b32 ${step}, ${count}, 4`);
  if (bytes > 0) clearLoop(writer, "shared", "ogpu_shared", first, step, bytes.toString());
  if (dynamic !== undefined) {
    const size = writer.fresh("r");
    writer.line(`mov.u32 ${size}, %dynamic_smem_size`);
    clearLoop(writer, "shared", dynamic, first, step, size);
  }
  writer.line("barrier.sync 0");
}

function clearLocal(writer: PtxWriter): void {
  const first = writer.fresh("r");
  writer.line(`mov.u32 ${first}, 0`);
  clearLoop(writer, "local", "ogpu_local", first, "16", writer.arrayBytes("local").toString());
}

function clearLoop(writer: PtxWriter, space: string, symbol: string, first: string, step: string, end: string): void {
  const [base, at, offset, done, zero] = [...["r", "r", "r"], "p", "r"].map((kind) => writer.fresh(kind as "r" | "p"));
  const label = `clear_${symbol}`;
  writer.line(`mov.u32 ${base}, ${symbol}`);
  writer.line(`mov.u32 ${zero}, 0`);
  writer.line(`mov.u32 ${offset}, ${first}`);
  writer.lines.push(`${label}:`);
  writer.line(`setp.ge.u32 ${done}, ${offset}, ${end}`);
  writer.lines.push(`\t@${done} bra ${label}_end;`);
  writer.line(`add.u32 ${at}, ${base}, ${offset}`);
  writer.line(`st.${space}.v4.u32 [${at}], {${zero}, ${zero}, ${zero}, ${zero}}`);
  writer.line(`add.u32 ${offset}, ${offset}, ${step}`);
  writer.line(`bra ${label}`);
  writer.lines.push(`${label}_end:`);
}

/** The register that counts down. */
interface Rounds {
  readonly type: "u32" | "u64";
  readonly register: string;
}

function printBlock(
  writer: PtxWriter,
  { instructions, end }: Block,
  index: number,
  checked: CheckedKernel,
  rounds: Rounds,
): void {
  writer.lines.push(`B${index}:`);
  for (const instruction of instructions) printInstruction(writer, instruction, checked);
  // Whatever goes round passes a block whose successor is not after it.
  if (successors(end).some((to) => to <= index)) countRound(writer, rounds);
  printEnd(writer, end, index + 1);
}

function countRound(writer: PtxWriter, { type, register }: Rounds): void {
  const none = writer.fresh("p");
  writer.line(`sub.${type} ${register}, ${register}, 1`);
  writer.line(`setp.eq.${type} ${none}, ${register}, 0`);
  writer.lines.push(`\t@${none} trap;`);
}

function printEnd(writer: PtxWriter, end: Terminator, following: number): void {
  const jump = (to: number): void => {
    if (to !== following) writer.line(`bra B${to}`);
  };
  switch (end.kind) {
    case "exit":
      writer.line("ret");
      return;
    case "jump":
      jump(end.to);
      return;
    case "branch":
      writer.line(`bra B${end.taken}`, end.guard);
      jump(end.next);
      return;
    case "sync":
      printWait(writer, end.instruction);
      jump(end.next);
      return;
    case "table":
      end.targets.forEach((to, value) => {
        const found = writer.fresh("p");
        writer.line(`setp.eq.u32 ${found}, ${writer.register(end.index)}, ${value}`);
        writer.lines.push(`\t@${found} bra B${to};`);
      });
      writer.line("trap");
      writer.line("ret");
  }
}
