/**
 * Which object each address points into. An address is a position in one buffer or variable; where objects lie in a
 * machine's memory must not show in any result, so an address can be moved, compared with an address of the same
 * object and used to reach memory, and nothing else.
 */
import { type CodedError, isCoded } from "../../base/errors.ts";
import { withEnd } from "./data-flow.ts";
import { fail, ptxError } from "./errors.ts";
import type { Instruction, Kernel, Source } from "./ir.ts";
import { bitsOf, sizeOf } from "./scalar-types.ts";
import type { Space, Variable } from "./syntax.ts";

export type PointerObject =
  | { readonly kind: "parameter"; readonly index: number }
  | { readonly kind: "variable"; readonly index: number };

/** What is done to the buffer behind a parameter. */
export interface BufferUse {
  readonly loads: boolean;
  readonly stores: boolean;
  /** The reductions that are applied to it. */
  readonly reductions: readonly string[];
}

export interface Pointers {
  /** The object that an access reaches. */
  objectOf(instruction: Instruction): PointerObject | undefined;
  isAddress(source: Source): boolean;
  /** Parameter index -> use, for parameters that are addresses. */
  readonly buffers: ReadonlyMap<number, BufferUse>;
  readonly problems: readonly CodedError[];
}

/** Not known yet; below NUMBER, so that the smaller of two wins until both are known. */
const UNKNOWN = 0;
const NUMBER = 1;
const FIRST_OBJECT = 2;

export function tracePointers(kernel: Kernel): Pointers {
  return new PointerTrace(kernel).run();
}

class PointerTrace {
  readonly #kernel: Kernel;
  readonly #instructions: readonly Instruction[];
  /** Register -> UNKNOWN, NUMBER or an object. */
  readonly #kinds: Int32Array;
  readonly #addresses: ReadonlySet<number>;
  readonly #problems: CodedError[] = [];

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#instructions = kernel.blocks.flatMap(withEnd);
    this.#kinds = new Int32Array(kernel.registers.length);
    this.#addresses = addressParameters(kernel, this.#instructions);
  }

  run(): Pointers {
    this.#fixpoint();
    if (this.#problems.length === 0) for (const instruction of this.#instructions) this.#check(instruction);
    return {
      objectOf: (instruction) => this.#objectOf(instruction),
      isAddress: (source) => this.#kind(source) >= FIRST_OBJECT,
      buffers: this.#bufferUses(),
      problems: this.#problems,
    };
  }

  /** Each register changes at most twice, so this ends after few rounds; rounds are bounded for hostile orders. */
  #fixpoint(): void {
    const open: Instruction[] = [...this.#instructions];
    const readers = readersOf(this.#instructions);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const instruction = at;
      for (const id of instruction.dst) {
        if (id < 0) continue;
        const kind = this.#attempt(() => this.#result(instruction)) ?? NUMBER;
        if (kind === UNKNOWN || kind === this.#kinds[id]) continue;
        if (this.#kinds[id] !== UNKNOWN) this.#conflict(instruction, id);
        else {
          this.#kinds[id] = kind;
          open.push(...(readers.get(id) ?? []));
        }
      }
    }
  }

  #conflict(instruction: Instruction, id: number): void {
    const name = this.#kernel.registerNames[id];
    const message = `${name} is an address of one object here and something else elsewhere`;
    this.#problems.push(ptxError("PTX_POINTER", message, instruction));
    this.#kinds[id] = NUMBER;
  }

  #attempt<T>(action: () => T): T | undefined {
    try {
      return action();
    } catch (error) {
      if (!isCoded(error)) throw error;
      if (!this.#problems.some(({ message }) => message === error.message)) this.#problems.push(error);
      return undefined;
    }
  }

  #kind(source: Source | undefined): number {
    if (source?.kind === "register") return this.#kinds[source.id] as number;
    if (source?.kind === "variable") return FIRST_OBJECT + this.#kernel.parameters.length + source.index;
    return NUMBER;
  }

  /** What an instruction gives, from what is known of its sources. */
  #result(instruction: Instruction): number {
    const kinds = instruction.src.map((source) => this.#kind(source));
    const [a = NUMBER, b = NUMBER, c = NUMBER] = kinds;
    switch (instruction.op) {
      case "ld":
        return this.#loaded(instruction);
      case "mov":
      case "cvta":
        return a;
      case "add":
        if (a >= FIRST_OBJECT || b >= FIRST_OBJECT) return Math.max(a, b);
        return Math.min(a, b);
      case "sub":
        if (a === UNKNOWN || b === UNKNOWN) return UNKNOWN;
        return a >= FIRST_OBJECT && b >= FIRST_OBJECT ? NUMBER : a;
      case "mad":
        return c;
      case "selp":
        return a === UNKNOWN ? b : a;
      case "cvt":
        return this.#converted(instruction, a);
      default:
        return NUMBER;
    }
  }

  #loaded(instruction: Instruction): number {
    const { memory } = instruction;
    if (memory?.space !== "param" || bitsOf(instruction.type) !== 64) return NUMBER;
    const index = parameterAt(this.#kernel, memory.offset);
    return this.#addresses.has(index) ? FIRST_OBJECT + index : NUMBER;
  }

  /** Shared and local addresses may change between 32 and 64 bits. */
  #converted({ type, from }: Instruction, kind: number): number {
    const variable = kind - FIRST_OBJECT - this.#kernel.parameters.length;
    const small = variable >= 0 && ["shared", "local"].includes(this.#kernel.variables[variable]?.space ?? "");
    const integers = /^[ub](?:32|64)$/.test(type) && /^[ub](?:32|64)$/.test(from);
    return kind >= FIRST_OBJECT && small && integers ? kind : NUMBER;
  }

  #object(kind: number): PointerObject | undefined {
    if (kind < FIRST_OBJECT) return undefined;
    const index = kind - FIRST_OBJECT;
    const parameters = this.#kernel.parameters.length;
    return index < parameters ? { kind: "parameter", index } : { kind: "variable", index: index - parameters };
  }

  #objectOf(instruction: Instruction): PointerObject | undefined {
    return this.#object(this.#kind(instruction.memory?.base));
  }

  #check(instruction: Instruction): void {
    this.#attempt(() => {
      this.#checkParameter(instruction);
      this.#checkValues(instruction);
      this.#checkAccess(instruction);
    });
  }

  /** A parameter that is an address is read as one, or parts of it would be numbers. */
  #checkParameter(instruction: Instruction): void {
    const { op, memory, dst, type } = instruction;
    if (op !== "ld" || memory?.space !== "param") return;
    const [start, end] = [memory.offset, memory.offset + BigInt(memory.bytes)];
    this.#kernel.parameters.forEach(({ name, offset, size }, index) => {
      if (!this.#addresses.has(index) || end <= BigInt(offset) || start >= BigInt(offset + size)) return;
      if (size !== 8) {
        fail("PTX_UNSUPPORTED", `${name}: an address inside of a structure is not supported`, instruction);
      }
      if (dst.length !== 1 || bitsOf(type) !== 64) {
        fail("PTX_POINTER", `${name} is an address, of which only a part is read`, instruction);
      }
    });
  }

  #checkValues(instruction: Instruction): void {
    const { op, src } = instruction;
    const kinds = src.map((source) => this.#kind(source));
    const objects = kinds.filter((kind) => kind >= FIRST_OBJECT);
    if (objects.length === 0) return;
    const [a = NUMBER, b = NUMBER] = kinds;
    const same = a === b;
    if (op === "mov" || op === "cvta") return;
    if (op === "cvt" && this.#converted(instruction, a) === a) return;
    if (op === "add" && objects.length === 1) return;
    if (op === "sub" && (same || b < FIRST_OBJECT)) return;
    if (op === "mad" && instruction.mode !== "hi" && a < FIRST_OBJECT && b < FIRST_OBJECT) return;
    if ((op === "selp" || op === "setp") && same) return;
    fail("PTX_POINTER", `${op}: an address is used as a number, which would show where memory lies`, instruction);
  }

  #checkAccess(instruction: Instruction): void {
    const { memory, op } = instruction;
    if (memory === undefined || memory.space === "param") return;
    const object = this.#objectOf(instruction);
    if (object === undefined) {
      fail("PTX_POINTER", `${op}: cannot tell which object it reaches`, instruction);
      return;
    }
    const variable = object.kind === "variable" ? this.#kernel.variables[object.index] : undefined;
    const space: Space = variable?.space ?? "global";
    if (memory.space !== "generic" && memory.space !== space) {
      fail("PTX_TYPE", `${op}: the address points into .${space}, not .${memory.space}`, instruction);
    }
    if (op !== "ld" && variable !== undefined) this.#checkWrite(instruction, variable);
    const base = memory.base.kind === "register" ? this.#kernel.registers[memory.base.id] : undefined;
    if (base !== undefined && sizeOf(base) === 4 && space === "global") {
      fail("PTX_TYPE", `${op}: a global address has 64 bits`, instruction);
    }
  }

  #checkWrite(instruction: Instruction, variable: Variable): void {
    if (variable.space === "const" || variable.space === "global") {
      fail("PTX_REFUSED", `${variable.name} would outlive the launch: write to a buffer instead`, instruction);
    }
    if (instruction.op === "red" && variable.space === "local") {
      fail("PTX_TYPE", "atomics do not work on local memory", instruction);
    }
  }

  #bufferUses(): ReadonlyMap<number, BufferUse> {
    const uses = new Map<number, { loads: boolean; stores: boolean; reductions: string[] }>();
    for (const index of this.#addresses) uses.set(index, { loads: false, stores: false, reductions: [] });
    for (const instruction of this.#instructions) {
      const object = this.#objectOf(instruction);
      const use = object?.kind === "parameter" ? uses.get(object.index) : undefined;
      if (use === undefined) continue;
      if (instruction.op === "ld") use.loads = true;
      if (instruction.op === "st") use.stores = true;
      const { mode } = instruction;
      if (instruction.op === "red" && !use.reductions.includes(mode)) use.reductions.push(mode);
    }
    this.#checkReductions(uses);
    return uses;
  }

  /** Reductions of one kind commute with each other, and with nothing else. */
  #checkReductions(uses: ReadonlyMap<number, BufferUse>): void {
    for (const [index, { loads, stores, reductions }] of uses) {
      if (reductions.length === 0 || (!loads && !stores && reductions.length === 1)) continue;
      const name = this.#kernel.parameters[index]?.name;
      const reason = `the buffer behind ${name} is reached by atomics and otherwise, or by atomics of several kinds`;
      const place = this.#instructions.find(
        (at) => at.op === "red" && this.#objectOf(at)?.index === index && this.#objectOf(at)?.kind === "parameter",
      );
      this.#problems.push(ptxError("PTX_REFUSED", `${reason}: their order is not defined`, place ?? this.#place()));
    }
  }

  #place(): { readonly line: number; readonly column: number } {
    return this.#instructions[0] ?? { line: 1, column: 1 };
  }
}

function readersOf(instructions: readonly Instruction[]): ReadonlyMap<number, readonly Instruction[]> {
  const readers = new Map<number, Instruction[]>();
  for (const instruction of instructions) {
    for (const source of instruction.src) {
      if (source.kind !== "register") continue;
      const list = readers.get(source.id);
      if (list === undefined) readers.set(source.id, [instruction]);
      else list.push(instruction);
    }
  }
  return readers;
}

function parameterAt(kernel: Kernel, offset: bigint): number {
  return kernel.parameters.findIndex((p) => offset >= BigInt(p.offset) && offset < BigInt(p.offset + p.size));
}

/**
 * The 64-bit parameters that are addresses: those whose value is turned into an address or reaches memory without being
 * mixed with another parameter. A kernel may also take 64-bit numbers.
 */
function addressParameters(kernel: Kernel, instructions: readonly Instruction[]): ReadonlySet<number> {
  const NONE = -1;
  const MANY = -2;
  const origin = new Int32Array(kernel.registers.length).fill(NONE);
  const readers = readersOf(instructions);
  const originOf = (source: Source | undefined): number =>
    source?.kind === "register" ? (origin[source.id] as number) : NONE;
  const open: Instruction[] = [...instructions];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const found = resultOf(at);
    const id = at.dst[0] ?? NONE;
    if (found === NONE || id < 0) continue;
    const next = merge(origin[id] as number, found);
    if (next === origin[id]) continue;
    origin[id] = next;
    open.push(...(readers.get(id) ?? []));
  }
  function resultOf({ op, memory, src, type }: Instruction): number {
    if (op === "ld" && memory?.space === "param" && bitsOf(type) === 64) return parameterAt(kernel, memory.offset);
    if (op === "mov" || op === "cvta" || op === "sub") return originOf(src[0]);
    if (op === "add" || op === "selp") return merge(originOf(src[0]), originOf(src[1]));
    return op === "mad" ? originOf(src[2]) : NONE;
  }
  function merge(a: number, b: number): number {
    if (a === NONE || a === b) return b;
    return b === NONE ? a : MANY;
  }
  const addresses = new Set<number>();
  for (const { op, memory, src } of instructions) {
    const used = op === "cvta" ? originOf(src[0]) : originOf(memory?.base);
    if (used >= 0) addresses.add(used);
  }
  return addresses;
}
