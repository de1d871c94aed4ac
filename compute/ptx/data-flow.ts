/** Which registers are live, and which are certainly assigned, at the start of each basic block. */

import type { CodedError } from "../../base/errors.ts";
import { BitRows } from "./bit-rows.ts";
import { fail, type PtxErrorCode, ptxError } from "./errors.ts";
import { type Block, decidingRegister, type Instruction, type Kernel, readsOf, successors } from "./ir.ts";
import { MAX_ANALYSIS_STEPS } from "./limits.ts";

/** The instructions of a block with the one that ends it. */
export function withEnd(block: Block): readonly Instruction[] {
  return block.end.kind === "sync" ? [...block.instructions, block.end.instruction] : block.instructions;
}

export function reachableBlocks(kernel: Kernel): readonly boolean[] {
  const reached = kernel.blocks.map(() => false);
  const open = [0];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (reached[at]) continue;
    reached[at] = true;
    open.push(...successors((kernel.blocks[at] as Block).end));
  }
  return reached;
}

export function predecessorsOf(kernel: Kernel): readonly (readonly number[])[] {
  const predecessors: number[][] = kernel.blocks.map(() => []);
  kernel.blocks.forEach(({ end }, from) => {
    for (const to of successors(end)) predecessors[to]?.push(from);
  });
  return predecessors;
}

/** What going around until nothing changes may take: an edge costs its row of words. */
class AnalysisBudget {
  readonly #each: number;
  #spent = 0;

  constructor(registers: number) {
    this.#each = 1 + (registers >>> 5);
  }

  spend(): void {
    this.#spent += this.#each;
    if (this.#spent <= MAX_ANALYSIS_STEPS) return;
    fail("PTX_LIMIT", "the jumps of the kernel take too long to follow", { line: 1, column: 1 });
  }
}

/** Registers whose value may still be read when a block starts. */
export function liveRegisters(kernel: Kernel): BitRows {
  const { blocks, registers } = kernel;
  const live = new BitRows(blocks.length, registers.length);
  const killed = new BitRows(blocks.length, registers.length);
  blocks.forEach((block, row) => {
    for (const instruction of withEnd(block)) {
      for (const id of readsOf(instruction)) if (!killed.has(row, id)) live.add(row, id);
      if (instruction.guard !== undefined) continue;
      for (const id of instruction.dst) if (id >= 0) killed.add(row, id);
    }
    const decides = decidingRegister(block.end);
    if (decides !== undefined && !killed.has(row, decides)) live.add(row, decides);
  });
  const predecessors = predecessorsOf(kernel);
  const open = blocks.map((_, row) => row);
  const queued = blocks.map(() => true);
  const budget = new AnalysisBudget(registers.length);
  for (let row = open.pop(); row !== undefined; row = open.pop()) {
    queued[row] = false;
    for (const from of predecessors[row] ?? []) {
      budget.spend();
      if (live.join(from, live, row, killed, from) && !queued[from]) {
        queued[from] = true;
        open.push(from);
      }
    }
  }
  return live;
}

/** Reads of registers that some path leaves unwritten. */
export function unassignedReads(kernel: Kernel): readonly CodedError[] {
  const { blocks, registers } = kernel;
  const reached = reachableBlocks(kernel);
  const entering = new BitRows(blocks.length, registers.length);
  const leaving = new BitRows(blocks.length, registers.length);
  for (let row = 1; row < blocks.length; row++) entering.fill(row);
  const open = [0];
  const seen = blocks.map(() => false);
  const queued = blocks.map(() => false);
  const budget = new AnalysisBudget(registers.length);
  for (let at = 0; at < open.length; at++) {
    const row = open[at] as number;
    queued[row] = false;
    const block = blocks[row] as Block;
    leaving.fill(row);
    leaving.meet(row, entering, row);
    for (const { dst, guard } of withEnd(block)) {
      if (guard === undefined) for (const id of dst) if (id >= 0) leaving.add(row, id);
    }
    for (const to of successors(block.end)) {
      budget.spend();
      const changed = entering.meet(to, leaving, row);
      if ((changed || !seen[to]) && !queued[to]) {
        open.push(to);
        queued[to] = true;
      }
      seen[to] = true;
    }
  }
  return blocks.flatMap((block, row) => (reached[row] ? unassignedIn(kernel, block, entering, row) : []));
}

function unassignedIn(kernel: Kernel, block: Block, entering: BitRows, row: number): readonly CodedError[] {
  const problems: CodedError[] = [];
  const check = (id: number, at: Instruction | undefined): void => {
    if (entering.has(row, id)) return;
    const message = `${kernel.registerNames[id]} may be read before it is written`;
    const code: PtxErrorCode = "PTX_UNASSIGNED";
    problems.push(ptxError(code, message, at ?? { line: 0, column: 0 }));
    entering.add(row, id);
  };
  const instructions = withEnd(block);
  for (const instruction of instructions) {
    for (const id of readsOf(instruction)) check(id, instruction);
    if (instruction.guard !== undefined) continue;
    for (const id of instruction.dst) if (id >= 0) entering.add(row, id);
  }
  const decides = decidingRegister(block.end);
  if (decides !== undefined) check(decides, instructions.at(-1));
  return problems;
}
