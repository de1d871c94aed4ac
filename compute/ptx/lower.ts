/**
 * From parsed statements to the intermediate form: every instruction is recognised, typed and given its place in a
 * basic block, or refused with its line and the reason. All problems of a kernel are collected, because an author
 * wants the whole list.
 */
import type { CodedError } from "../../base/errors.ts";
import { isCoded } from "../../base/errors.ts";
import { fail, type Place, type PtxErrorCode, ptxError } from "./errors.ts";
import { inlineCalls } from "./inline-calls.ts";
import { type Block, type Instruction, type Kernel, readsOf, type Terminator } from "./ir.ts";
import {
  MAX_ANALYSIS,
  MAX_BLOCKS,
  MAX_LOCAL_BYTES,
  MAX_LOWERED_REGISTERS,
  MAX_SHARED_BYTES,
  MAX_TABLE_EDGES,
} from "./limits.ts";
import { CARRY_LOWERINGS } from "./lower-carry.ts";
import { FLOAT_LOWERINGS } from "./lower-float.ts";
import { INTEGER_LOWERINGS, type Lowering } from "./lower-integer.ts";
import { MEMORY_LOWERINGS } from "./lower-memory.ts";
import { SYNC_LOWERINGS } from "./lower-sync.ts";
import { type KernelScope, LoweringContext } from "./lowering-context.ts";
import { nameParameters } from "./named-parameters.ts";
import type { Guard, ParsedKernel, ParsedModule, Statement } from "./syntax.ts";

const LOWERINGS: ReadonlyMap<string, Lowering> = new Map(
  Object.entries({
    ...INTEGER_LOWERINGS,
    ...FLOAT_LOWERINGS,
    ...MEMORY_LOWERINGS,
    ...SYNC_LOWERINGS,
    ...CARRY_LOWERINGS,
    trap: (context: LoweringContext) => context.emit("trap", "b32", [], []),
  }),
);

const CARRIES: ReadonlyMap<string, Lowering> = new Map(Object.entries(CARRY_LOWERINGS));

/** Instructions whose answer is not the same on every machine. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ...["ex2", "lg2", "sin", "cos", "tanh", "rsqrt"].map((name) => [name, "is an approximation that differs"] as const),
  ...["tex", "tld4", "txq", "suld", "sust", "sured", "suq"].map(
    (name) => [name, "textures filter in hardware"] as const,
  ),
  ...["wmma", "mma", "wgmma", "tcgen05", "ldmatrix", "stmatrix"].map(
    (name) => [name, "tensor cores round in their own way"] as const,
  ),
  ["activemask", "which threads are together is not defined"],
  ["nanosleep", "time is not part of a result"],
]);

/** Instructions that never change a result. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(["membar", "fence", "prefetch", "prefetchu", "pmevent"]);

export interface Lowered {
  readonly kernel: Kernel;
  readonly problems: readonly CodedError[];
}

export function lowerKernel(parsed: ParsedKernel, module: ParsedModule): Lowered {
  const functions = new Map([...module.functions].map(([name, body]) => [name, nameParameters(body)]));
  const { kernel, problems } = inlineCalls(nameParameters(parsed), { ...module, functions });
  const lowered = new KernelLowering(kernel, module).run();
  return { ...lowered, problems: [...problems, ...lowered.problems] };
}

class KernelLowering {
  readonly #parsed: ParsedKernel;
  readonly #scope: KernelScope;
  readonly #problems: CodedError[] = [];
  readonly #builder = new BlockBuilder();
  /** Register that an atomic would write -> that statement. */
  readonly #atomicResults = new Map<number, Statement>();
  #tableEdges = 0;

  constructor(parsed: ParsedKernel, module: ParsedModule) {
    const variables = [...parsed.variables, ...module.variables];
    this.#parsed = parsed;
    this.#scope = {
      registers: [...parsed.registers],
      registerNames: [...parsed.registerNames],
      variables,
      variableIndex: new Map(variables.map(({ name }, index) => [name, index])),
      parameters: new Map(parsed.parameters.map((parameter) => [parameter.name, parameter])),
      labels: parsed.labels,
      carryFlag: undefined,
    };
  }

  run(): Lowered {
    const labelled = new Set(this.#parsed.labels.values());
    this.#parsed.statements.forEach((statement, index) => {
      if (labelled.has(index)) this.#builder.label(index);
      this.#attempt(() => this.#statement(statement));
    });
    if (labelled.has(this.#parsed.statements.length)) this.#builder.label(this.#parsed.statements.length);
    const blocks = this.#builder.finish();
    this.#attempt(() => this.#checkSizes(blocks.length));
    this.#attempt(() => this.#checkAtomics(blocks));
    const { name, parameters, requiredThreads } = this.#parsed;
    const { registers, registerNames, variables } = this.#scope;
    const kernel = { name, parameters, registers, registerNames, variables, blocks, requiredThreads };
    return { kernel, problems: this.#problems };
  }

  #attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      if (!isCoded(error)) throw error;
      this.#problems.push(error);
    }
  }

  #statement(statement: Statement): void {
    const { opcode, guard } = statement;
    if (opcode === "bra") {
      this.#branch(statement);
      return;
    }
    if (opcode === "brx") {
      this.#jumpByTable(statement);
      return;
    }
    if (opcode === "ret" || opcode === "exit") {
      this.#builder.exit(guard);
      return;
    }
    if (WITHOUT_EFFECT.has(opcode)) return;
    const reason = REFUSED.get(opcode);
    if (reason !== undefined) fail("PTX_REFUSED", `${opcode}: ${reason}`, statement);
    const context = new LoweringContext(statement, this.#scope);
    const carries = statement.modifiers.includes("cc") ? CARRIES.get(`${opcode}.cc`) : undefined;
    const lowering = carries ?? LOWERINGS.get(opcode);
    if (lowering === undefined) {
      fail("PTX_UNSUPPORTED", `${opcode} is not supported`, statement);
      return;
    }
    const declared = this.#scope.registers.length;
    lowering(context);
    this.#add(context.emitted, declared, guard);
    const target = statement.operands[0];
    if (opcode === "atom" && target?.kind === "register") this.#atomicResults.set(target.id, statement);
  }

  /**
   * Helpers go to fresh registers and run whatever the guard says, so that they count as assigned; what the author
   * wrote obeys a copy of the guard, which it may itself overwrite.
   */
  #add(emitted: readonly Instruction[], declared: number, guard: Guard | undefined): void {
    let kept = guard;
    if (guard !== undefined && emitted.length > 1) {
      const first = emitted[0] as Instruction;
      this.#scope.registerNames.push(`(line ${first.line})`);
      const copy = this.#scope.registers.push("pred") - 1;
      const src = [{ kind: "register", id: guard.register }] as const;
      const { line, column } = first;
      const move: Instruction = {
        ...{ op: "mov", type: "pred", from: "pred", mode: "", memory: undefined, guard: undefined },
        ...{ dst: [copy], src, line, column },
      };
      this.#builder.add(move);
      kept = { register: copy, negated: guard.negated };
    }
    for (const instruction of emitted) {
      // The carry flag is the author's, though its register is new.
      const own = (id: number): boolean => id < declared || id === this.#scope.carryFlag;
      const helper = instruction.dst.length > 0 && !instruction.dst.some(own);
      this.#builder.add({ ...instruction, guard: helper ? undefined : kept });
    }
  }

  #branch(statement: Statement): void {
    const target = statement.operands[0];
    const extra = statement.modifiers.find((modifier) => modifier !== "uni");
    if (target?.kind !== "symbol" || statement.operands.length !== 1 || extra !== undefined) {
      fail("PTX_SYNTAX", "bra takes one label", statement);
      return;
    }
    const index = this.#scope.labels.get(target.name);
    if (index === undefined) {
      fail("PTX_NAME", `label ${target.name} is not declared`, statement);
      return;
    }
    this.#builder.branch(index, statement.guard);
  }

  /** The index goes through an operation that only numbers have, so that nobody jumps by an address or an atomic. */
  #jumpByTable(statement: Statement): void {
    const context: LoweringContext = new LoweringContext(statement, this.#scope);
    if (!context.flag("idx")) context.fail("PTX_SYNTAX", "needs .idx");
    context.flag("uni");
    context.done(2);
    const name = context.operand(1);
    const table = name.kind === "symbol" ? this.#parsed.jumpTables.get(name.name) : undefined;
    if (table === undefined) context.fail("PTX_NAME", "its table of labels is not declared");
    this.#tableEdges += table.length;
    if (this.#tableEdges > MAX_TABLE_EDGES) {
      context.fail("PTX_LIMIT", `all jumps by tables have more than ${MAX_TABLE_EDGES} targets`);
    }
    const targets = table.map((label) => this.#scope.labels.get(label) ?? context.fail("PTX_NAME", `label ${label}`));
    const index = context.freshRegister("b32");
    context.emit("or", "b32", [index], [context.source(0, "b32"), { kind: "immediate", bits: 0n }]);
    for (const instruction of context.emitted) this.#builder.add({ ...instruction, guard: undefined });
    this.#builder.table(index, targets, statement.guard, context.place);
  }

  #checkSizes(blocks: number): void {
    const { variables, registers } = this.#scope;
    const tooMany = blocks > MAX_BLOCKS || registers.length > MAX_LOWERED_REGISTERS;
    if (tooMany || blocks * registers.length > MAX_ANALYSIS) {
      const message = `${blocks} basic blocks with ${registers.length} registers are too many`;
      fail("PTX_LIMIT", message, this.#parsed);
    }
    for (const [space, limit] of [["shared", MAX_SHARED_BYTES] as const, ["local", MAX_LOCAL_BYTES] as const]) {
      const bytes = variables.reduce((sum, v) => (v.space === space ? sum + v.size + v.alignment : sum), 0);
      if (bytes > limit) fail("PTX_LIMIT", `.${space} variables take ${bytes} bytes, more than ${limit}`, this.#parsed);
    }
  }

  /** An atomic's result is the order in which threads came, which nobody can check. */
  #checkAtomics(blocks: readonly Block[]): void {
    const check = (instruction: Instruction): void => {
      for (const id of readsOf(instruction)) {
        const atomic = this.#atomicResults.get(id);
        if (atomic === undefined) continue;
        const message = `the result of this atomic is used in line ${instruction.line}, but it depends on the order of threads`;
        this.#problems.push(ptxError("PTX_REFUSED" satisfies PtxErrorCode, message, atomic));
        this.#atomicResults.delete(id);
      }
    };
    for (const { instructions, end } of blocks) {
      instructions.forEach(check);
      if (end.kind === "sync") check(end.instruction);
    }
  }
}

interface OpenBlock {
  readonly instructions: Instruction[];
  end: Terminator | undefined;
}

const SYNC_OPS: ReadonlySet<string> = new Set(["barrier", "shfl", "vote", "match", "warpsync"]);

/** Puts instructions into basic blocks; targets are statement numbers until all labels have their block. */
class BlockBuilder {
  readonly #blocks: OpenBlock[] = [{ instructions: [], end: undefined }];
  readonly #blockOfLabel = new Map<number, number>();
  readonly #pending: { readonly block: number; readonly label: number; readonly guard: Guard | undefined }[] = [];
  readonly #tables: { readonly block: number; readonly end: Extract<Terminator, { kind: "table" }> }[] = [];

  get #last(): OpenBlock {
    return this.#blocks.at(-1) as OpenBlock;
  }

  /** The next block; the last one falls through to it if it is still open. */
  #open(): number {
    const next = this.#blocks.length;
    if (this.#last.end === undefined) this.#last.end = { kind: "jump", to: next };
    this.#blocks.push({ instructions: [], end: undefined });
    return next;
  }

  label(statement: number): void {
    const fresh = this.#last.instructions.length === 0 && this.#last.end === undefined;
    this.#blockOfLabel.set(statement, fresh ? this.#blocks.length - 1 : this.#open());
  }

  add(instruction: Instruction): void {
    if (!SYNC_OPS.has(instruction.op)) {
      this.#last.instructions.push(instruction);
      return;
    }
    // Predicated, it becomes a branch around the wait.
    const { guard } = instruction;
    if (guard !== undefined) {
      const next = this.#blocks.length;
      this.#last.end = { kind: "branch", guard, taken: next, next: next + 1 };
      this.#open();
    }
    const next = this.#blocks.length;
    this.#last.end = { kind: "sync", instruction: { ...instruction, guard: undefined }, next };
    this.#open();
  }

  exit(guard: Guard | undefined): void {
    if (guard !== undefined) {
      const next = this.#blocks.length;
      this.#last.end = { kind: "branch", guard, taken: next, next: next + 1 };
      this.#open();
    }
    this.#last.end = { kind: "exit" };
    this.#open();
  }

  branch(label: number, guard: Guard | undefined): void {
    this.#pending.push({ block: this.#blocks.length - 1, label, guard });
    this.#last.end = { kind: "exit" };
    this.#open();
  }

  table(index: number, labels: readonly number[], guard: Guard | undefined, { line, column }: Place): void {
    if (guard !== undefined) {
      const next = this.#blocks.length;
      this.#last.end = { kind: "branch", guard, taken: next, next: next + 1 };
      this.#open();
    }
    const block = this.#blocks.length - 1;
    this.#tables.push({ block, end: { kind: "table", index, targets: labels, line, column } });
    this.#last.end = { kind: "exit" };
    this.#open();
  }

  finish(): readonly Block[] {
    this.#last.end ??= { kind: "exit" };
    for (const { block, end } of this.#tables) {
      const targets = end.targets.map((label) => this.#blockOfLabel.get(label) as number);
      (this.#blocks[block] as OpenBlock).end = { ...end, targets };
    }
    for (const { block, label, guard } of this.#pending) {
      const to = this.#blockOfLabel.get(label) as number;
      const end: Terminator =
        guard === undefined ? { kind: "jump", to } : { kind: "branch", guard, taken: to, next: block + 1 };
      (this.#blocks[block] as OpenBlock).end = end;
    }
    return this.#blocks.map(({ instructions, end }) => ({ instructions, end: end ?? { kind: "exit" } }));
  }
}
