/**
 * Executes one block of a kernel instruction by instruction, slowly and with every check: bounds, tiles, races, undefined
 * barriers and warp operations. It is the oracle of the compiler, and what tells an author that a kernel is wrong.
 */
import { assert } from "../../../base/errors.ts";
import type { CheckedKernel } from "../check.ts";
import { fuelOf } from "../fuel.ts";
import type { Block, Instruction, MemoryAccess, Source, SpecialRegister } from "../ir.ts";
import { bitsOf, isSigned, type ScalarType, sizeOf } from "../scalar-types.ts";
import type { Guard } from "../syntax.ts";
import type { BlockOutcome, LaunchShape, TileWindow, TrapReason, Triple } from "../wasm/machine.ts";
import { type AccessKind, CheckedObject, MemoryFault, objectKey, readBits, writeBits } from "./memory.ts";
import { integerOf, OPERATIONS, type Operation } from "./values.ts";
import { exchangeOf } from "./warp-exchange.ts";

export type InterpretedOutcome = BlockOutcome;

export interface InterpretedBlock {
  readonly checked: CheckedKernel;
  readonly shape: LaunchShape;
  readonly buffers: readonly Uint8Array[];
  /** Parameter -> what this block owns of its buffer. */
  readonly windows: ReadonlyMap<number, TileWindow>;
  readonly block: Triple;
  readonly fuel: number;
  /** Gets the chunks of buffers that the block touched, as `buffer chunk`. */
  readonly touched?: Set<string>;
  /** The order in which threads take their turns between waits; ascending when not given. No result depends on it. */
  readonly order?: readonly number[];
}

interface Thread {
  readonly index: number;
  readonly registers: bigint[];
  readonly locals: ReadonlyMap<string, CheckedObject>;
  at: number;
  /** The instruction that it waits at. */
  wait: Instruction | undefined;
  done: boolean;
  warpBarriers: number;
}

class Trap extends Error {
  readonly reason: TrapReason;
  readonly line: number;

  constructor(reason: TrapReason, line: number) {
    super(reason);
    this.reason = reason;
    this.line = line;
  }
}

export function interpretBlock(task: InterpretedBlock): InterpretedOutcome {
  const run = new BlockRun(task);
  try {
    const left = run.run();
    run.reportTouched();
    return { kind: "done", fuel: task.fuel - left };
  } catch (error) {
    if (!(error instanceof Trap)) throw error;
    return { kind: "trap", reason: error.reason, line: error.line };
  }
}

class BlockRun {
  readonly #task: InterpretedBlock;
  readonly #threads: readonly Thread[];
  readonly #turns: readonly Thread[];
  readonly #parameters: Uint8Array;
  readonly #objects = new Map<string, CheckedObject>();
  #fuel: number;
  #barriers = 0;

  constructor(task: InterpretedBlock) {
    this.#task = task;
    this.#fuel = task.fuel;
    this.#parameters = this.#makeParameters();
    this.#makeObjects();
    const [x, y, z] = task.shape.block;
    this.#threads = Array.from({ length: x * y * z }, (_, index) => this.#makeThread(index));
    this.#turns = task.order?.map((index) => this.#threads[index] as Thread) ?? this.#threads;
  }

  #makeParameters(): Uint8Array {
    const { parameters } = this.#task.checked.kernel;
    const bytes = new Uint8Array(4096);
    this.#task.shape.arguments.forEach((argument, index) => {
      if (argument.kind === "bytes") bytes.set(argument.bytes, parameters[index]?.offset ?? 0);
    });
    return bytes;
  }

  #makeObjects(): void {
    const { checked, shape, buffers, windows } = this.#task;
    shape.arguments.forEach((argument, index) => {
      if (argument.kind !== "buffer") return;
      const written = checked.pointers.buffers.get(index)?.stores === true;
      const view = {
        bytes: buffers[argument.buffer] as Uint8Array,
        window: windows.get(index) ?? ({ kind: "whole" } as const),
        written,
      };
      this.#objects.set(`parameter ${index}`, new CheckedObject(view, written));
    });
    const dynamic = new Uint8Array(shape.dynamicShared);
    checked.kernel.variables.forEach((variable, index) => {
      if (variable.space === "local") return;
      const bytes = variable.dynamic ? dynamic : (variable.initial?.slice() ?? new Uint8Array(variable.size));
      const view = { bytes, window: { kind: "whole" } as const, written: false };
      this.#objects.set(`variable ${index}`, new CheckedObject(view, variable.space === "shared"));
    });
  }

  reportTouched(): void {
    const { shape, touched } = this.#task;
    shape.arguments.forEach((argument, index) => {
      if (argument.kind !== "buffer") return;
      for (const chunk of this.#objects.get(`parameter ${index}`)?.chunks ?? []) {
        touched?.add(`${argument.buffer} ${chunk}`);
      }
    });
  }

  #makeThread(index: number): Thread {
    const { kernel } = this.#task.checked;
    const locals = new Map<string, CheckedObject>();
    kernel.variables.forEach((variable, at) => {
      if (variable.space !== "local") return;
      const view = { bytes: new Uint8Array(variable.size), window: { kind: "whole" } as const, written: false };
      locals.set(`variable ${at}`, new CheckedObject(view, false));
    });
    const registers = new Array<bigint>(kernel.registers.length).fill(0n);
    return { index, registers, locals, at: 0, wait: undefined, done: false, warpBarriers: 0 };
  }

  /** Fuel that is left. */
  run(): number {
    for (;;) {
      for (const thread of this.#turns) this.#advance(thread);
      if (this.#threads.every(({ done }) => done)) return this.#fuel;
      if (this.#exchangeWarps()) continue;
      this.#openBarrier();
    }
  }

  #advance(thread: Thread): void {
    while (!thread.done && thread.wait === undefined) {
      const block = this.#task.checked.kernel.blocks[thread.at] as Block;
      this.#pay(block);
      for (const instruction of block.instructions) {
        if (instruction.guard === undefined || this.#holds(thread, instruction.guard))
          this.#execute(thread, instruction);
      }
      const { end } = block;
      if (end.kind === "exit") thread.done = true;
      else if (end.kind === "jump") thread.at = end.to;
      else if (end.kind === "table") thread.at = this.#tableTarget(thread, end);
      else if (end.kind === "branch") thread.at = this.#holds(thread, end.guard) ? end.taken : end.next;
      else {
        thread.wait = end.instruction;
        thread.at = end.next;
      }
    }
  }

  #tableTarget(thread: Thread, { index, targets, line }: Extract<Block["end"], { kind: "table" }>): number {
    const target = targets[Number(thread.registers[index])];
    if (target === undefined) throw new Trap("OUT_OF_BOUNDS", line);
    return target;
  }

  #pay(block: Block): void {
    this.#fuel -= 1 + block.instructions.reduce((sum, instruction) => sum + fuelOf(instruction), 0);
    if (block.end.kind === "sync") this.#fuel -= fuelOf(block.end.instruction);
    if (this.#fuel < 0) throw new Trap("FUEL", 0);
  }

  #holds(thread: Thread, guard: Guard): boolean {
    return (thread.registers[guard.register] === 1n) !== guard.negated;
  }

  #execute(thread: Thread, instruction: Instruction): void {
    const { op, dst, src, from, type } = instruction;
    if (op === "trap") throw new Trap("TRAP", instruction.line);
    if (op === "ld" || op === "st" || op === "red") {
      this.#access(thread, instruction);
      return;
    }
    const operation = OPERATIONS[op];
    assert(operation !== undefined, `the interpreter knows ${op}`);
    const values = src.map((source, i) => this.#value(thread, source, sourceType(instruction, i, from)));
    this.#set(thread, dst[0] ?? -1, operation(values, instruction), signOf(instruction, type));
  }

  /** A result in a wider register is extended by the sign of its type. */
  #set(thread: Thread, register: number, bits: bigint, type: ScalarType): void {
    if (register < 0) return;
    const held = bitsOf(this.#task.checked.kernel.registers[register] as ScalarType);
    const extended = isSigned(type) && bitsOf(type) < held ? integerOf(bits, type) : bits;
    thread.registers[register] = BigInt.asUintN(held, extended);
  }

  #value(thread: Thread, source: Source, type: ScalarType): bigint {
    if (source.kind === "immediate") return BigInt.asUintN(bitsOf(type), source.bits);
    if (source.kind === "variable") return BigInt.asUintN(bitsOf(type), source.offset);
    if (source.kind === "special") return BigInt(this.#special(thread, source.name));
    return BigInt.asUintN(bitsOf(type), thread.registers[source.id] as bigint);
  }

  #special({ index }: Thread, name: SpecialRegister): number {
    const { shape, block } = this.#task;
    const [x, y] = shape.block;
    const triples: Readonly<Record<string, Triple>> = {
      tid: [index % x, Math.floor(index / x) % y, Math.floor(index / (x * y))],
      ntid: shape.block,
      ctaid: block,
      nctaid: shape.grid,
    };
    const [kind = "", axis] = name.split(".");
    const triple = triples[kind];
    if (triple !== undefined) return triple["xyz".indexOf(axis ?? "")] as number;
    if (name === "warpid") return Math.floor(index / 32);
    if (name === "laneid") return index % 32;
    const lanes = Array.from({ length: 32 }, (_, lane) => lane - (index % 32));
    const keep: Readonly<Record<string, (gap: number) => boolean>> = {
      lanemask_eq: (gap) => gap === 0,
      lanemask_lt: (gap) => gap < 0,
      lanemask_le: (gap) => gap <= 0,
      lanemask_gt: (gap) => gap > 0,
      lanemask_ge: (gap) => gap >= 0,
    };
    return lanes.reduce((mask, gap, lane) => mask + (keep[name]?.(gap) ? 2 ** lane : 0), 0);
  }

  #access(thread: Thread, instruction: Instruction): void {
    const { op, mode, type } = instruction;
    const memory = instruction.memory as MemoryAccess;
    if (memory.space === "param") {
      this.#loadLanes(thread, instruction, this.#parameters, Number(memory.offset));
      return;
    }
    const key = objectKey(this.#task.checked, instruction);
    const object = thread.locals.get(key) ?? this.#objects.get(key);
    assert(object !== undefined, "each access has an object");
    const kind: AccessKind = op === "ld" ? "read" : op === "st" ? "write" : `reduce ${mode}`;
    const at = this.#locate(thread, instruction, object, kind);
    if (op === "ld") this.#loadLanes(thread, instruction, object.bytes, at);
    else if (op === "st") this.#storeLanes(thread, instruction, object.bytes, at);
    else {
      const size = sizeOf(type);
      const old = readBits(object.bytes, at, size);
      const value = this.#value(thread, instruction.src[0] as Source, type);
      const combine = OPERATIONS[mode as "add"] as Operation;
      writeBits(object.bytes, at, size, combine([old, value], instruction));
    }
  }

  #locate(thread: Thread, instruction: Instruction, object: CheckedObject, kind: AccessKind): number {
    const { base, offset, bytes } = instruction.memory as MemoryAccess;
    const width: ScalarType =
      base.kind === "register" && bitsOf(this.#task.checked.kernel.registers[base.id] as ScalarType) === 64
        ? "b64"
        : "b32";
    const place = BigInt.asUintN(bitsOf(width), this.#value(thread, base, width) + offset);
    const { index, warpBarriers } = thread;
    const actor = { thread: index, warp: Math.floor(index / 32), barriers: this.#barriers, warpBarriers };
    try {
      return object.locate(place, bytes, kind, actor);
    } catch (error) {
      if (error instanceof MemoryFault) throw new Trap(error.reason, instruction.line);
      throw error;
    }
  }

  #loadLanes(thread: Thread, { dst, type }: Instruction, bytes: Uint8Array, at: number): void {
    dst.forEach((register, lane) => {
      this.#set(thread, register, readBits(bytes, at + lane * sizeOf(type), sizeOf(type)), type);
    });
  }

  #storeLanes(thread: Thread, { src, type }: Instruction, bytes: Uint8Array, at: number): void {
    src.forEach((source, lane) => {
      writeBits(bytes, at + lane * sizeOf(type), sizeOf(type), this.#value(thread, source, type));
    });
  }

  /** Carries out every warp operation whose members are all there. Whether there was one. */
  #exchangeWarps(): boolean {
    let any = false;
    for (let first = 0; first < this.#threads.length; first += 32) {
      const warp = this.#threads.slice(first, first + 32);
      const waiting = warp.filter(({ wait }) => wait !== undefined && wait.op !== "barrier");
      for (const thread of waiting) any = this.#exchange(warp, thread) || any;
    }
    return any;
  }

  #maskOf(thread: Thread): number {
    const mask = thread.wait?.src.at(-1);
    return mask === undefined ? 0 : Number(this.#value(thread, mask, "b32"));
  }

  #exchange(warp: readonly Thread[], thread: Thread): boolean {
    const { wait } = thread;
    if (wait === undefined) return false;
    const mask = this.#maskOf(thread);
    const members = warp.filter((_, lane) => (mask >>> lane) & 1);
    if (!members.includes(thread)) throw new Trap("WARP_DIVERGED", wait.line);
    if (!members.every((member) => member.wait === wait && this.#maskOf(member) === mask)) return false;
    const brought = members.map((member) => ({
      lane: member.index % 32,
      values: wait.src.map((source, i) => this.#value(member, source, warpSourceType(wait, i))),
    }));
    const given = exchangeOf(wait, brought);
    if (given === undefined) throw new Trap("SHUFFLE_UNDEFINED", wait.line);
    members.forEach((member, i) => {
      const [value = 0n, predicate = 0n] = given[i] ?? [];
      this.#set(member, wait.dst[0] ?? -1, value, "b32");
      this.#set(member, wait.dst[1] ?? -1, predicate, "pred");
      if (members.length === warp.length && wait.op === "warpsync") member.warpBarriers++;
      member.wait = undefined;
    });
    return true;
  }

  #openBarrier(): void {
    const waits = this.#threads.map(({ wait }) => wait);
    const stuck = waits.find((wait) => wait !== undefined && wait.op !== "barrier");
    if (stuck !== undefined) throw new Trap("WARP_DIVERGED", stuck.line);
    const [one] = waits.filter((wait) => wait !== undefined);
    const same = this.#threads.every(
      ({ wait }, index) => wait?.mode === one?.mode && wait === waits[index - (index % 32)],
    );
    if (!same) throw new Trap("BARRIER_DIVERGED", one?.line ?? 0);
    this.#barriers++;
    for (const thread of this.#threads) thread.wait = undefined;
  }
}

/** Shift amounts, positions and the like have 32 bits; predicates have one. */
function sourceType({ op, type, mode }: Instruction, index: number, from: ScalarType): ScalarType {
  if ((op === "shl" || op === "shr" || op === "bfe") && index > 0) return "b32";
  if (op === "bfi" && index > 1) return "b32";
  if (op === "selp" && index === 2) return "pred";
  if (op === "mad" && index === 2 && mode === "wide") return bitsOf(type) === 32 ? "b64" : "b32";
  return from;
}

function warpSourceType({ op, type }: Instruction, index: number): ScalarType {
  if (index > 0) return "b32";
  return op === "vote" ? "pred" : type;
}

function signOf({ op, mode }: Instruction, type: ScalarType): ScalarType {
  if (op === "setp") return "pred";
  const plain = op === "popc" || op === "clz" || op === "bfind";
  if (plain) return "b32";
  return (op === "mul" || op === "mad") && mode === "wide" ? "b64" : type;
}
