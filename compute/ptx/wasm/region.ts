/**
 * One function for each place where threads start or go on after waiting: it runs threads one after the other from
 * there to their next wait or to their end. Registers are locals within it; those that live through a wait are kept in
 * the thread's frame.
 */
import type { BitRows } from "../bit-rows.ts";
import { fuelOf } from "../fuel.ts";
import type { Block, Instruction, Source } from "../ir.ts";
import { isFloat } from "../scalar-types.ts";
import type { Guard } from "../syntax.ts";
import { conversion, emitFixNan, FLOAT_EMITTERS, floatComparison } from "./emit-float.ts";
import { INTEGER_EMITTERS, integerComparison, resultType } from "./emit-integer.ts";
import { emitLoad, emitReduction, emitStore } from "./emit-memory.ts";
import type { Emitter } from "./emitter.ts";
import * as at from "./layout.ts";
import { type RegionGraph, regionSuccessors } from "./structure.ts";

export interface RegionTask {
  readonly graph: RegionGraph;
  readonly root: number;
  /** The wait that threads come from; `undefined` at the start. */
  readonly after: Instruction | undefined;
  /** Block that ends with a wait -> the state of threads that wait there. */
  readonly stateOf: ReadonlyMap<number, number>;
  readonly live: BitRows;
  /** Locals of the function. */
  readonly next: number;
  readonly fuel: number;
}

/** Emits what one thread does; the code falls out of it with `next` set. */
export class RegionWriter {
  readonly #e: Emitter;
  readonly #task: RegionTask;
  /** What encloses the current place, innermost last: a block's number to jump to it, or undefined. */
  readonly #labels: (number | undefined)[] = [];

  constructor(e: Emitter, task: RegionTask) {
    this.#e = e;
    this.#task = task;
  }

  write(): void {
    const { code } = this.#e;
    this.#restore();
    code.block();
    if (this.#task.graph.nestable) this.#tree(this.#task.root);
    else this.#dispatch();
    code.op("end");
  }

  /** Registers that lived through the wait, and what the wait gave. */
  #restore(): void {
    const { after, live, root } = this.#task;
    if (after === undefined) return;
    const { code, frame, layout } = this.#e;
    const given = new Set(after.dst);
    for (const id of live.columns(root)) {
      if (given.has(id)) continue;
      code.get(frame).memory(`${this.#e.home(id)}.load`, layout.saved.get(id) as number);
      code.set(this.#e.local(id));
    }
    const [value = -1, predicate = -1] = after.dst;
    const isPredicate = value >= 0 && this.#e.typeOf(value) === "pred";
    if (value >= 0) {
      code.get(frame).memory("i32.load", at.FRAME_OUT_VALUE);
      this.#e.store(value, isPredicate ? "pred" : "b32");
    }
    if (predicate >= 0) {
      code.get(frame).memory("i32.load", at.FRAME_OUT_PREDICATE);
      this.#e.store(predicate, "pred");
    }
  }

  /** A block and everything that it dominates. */
  #tree(block: number): void {
    const { merges, loops, children, rank } = this.#task.graph;
    const inside = (children.get(block) ?? []).filter((child) => merges.has(child));
    // The one that comes last in the order ends up outermost.
    inside.sort((a, b) => (rank.get(b) as number) - (rank.get(a) as number));
    if (!loops.has(block)) {
      this.#within(block, inside);
      return;
    }
    this.#e.code.loop();
    this.#labels.push(block);
    this.#checkFuel();
    this.#within(block, inside);
    this.#labels.pop();
    this.#e.code.op("end");
  }

  /** Opens a block for each place where paths meet again, all at once: a table may have a thousand of them. */
  #within(block: number, inside: readonly number[]): void {
    for (const merge of inside) {
      this.#e.code.block();
      this.#labels.push(merge);
    }
    this.#content(block);
    for (const merge of inside.toReversed()) {
      this.#labels.pop();
      this.#e.code.op("end");
      this.#tree(merge);
    }
  }

  #content(number: number): void {
    const block = this.#e.checked.kernel.blocks[number] as Block;
    this.#instructions(block);
    const { end } = block;
    if (end.kind === "exit" || end.kind === "sync") {
      this.#leave(number, block);
      return;
    }
    if (end.kind === "jump") {
      this.#jump(number, end.to);
      return;
    }
    if (end.kind === "table") {
      // A table may have a thousand targets, among as many labels: each is looked up, not searched for.
      const places = new Map(this.#labels.map((label, at) => [label, at]));
      this.#table(end, (target) => this.#labels.length - (places.get(target) ?? -1));
      return;
    }
    this.#condition(end.guard);
    this.#e.code.if();
    this.#labels.push(undefined);
    this.#jump(number, end.taken);
    this.#e.code.op("else");
    this.#jump(number, end.next);
    this.#labels.pop();
    this.#e.code.op("end");
  }

  /** `depthOf` counts from inside of one more block, which an index beyond the table leaves. */
  #table(
    { index, targets, line }: Extract<Block["end"], { kind: "table" }>,
    depthOf: (target: number) => number,
  ): void {
    const { code } = this.#e;
    code.block().get(this.#e.local(index)).brTable(targets.map(depthOf), 0).op("end");
    this.#e.trapAt(at.TRAP_OUT_OF_BOUNDS, line);
  }

  #jump(from: number, to: number): void {
    const { merges, rank } = this.#task.graph;
    const back = (rank.get(to) as number) <= (rank.get(from) as number);
    if (!back && !merges.has(to)) {
      this.#tree(to);
      return;
    }
    this.#e.code.br(this.#labels.length - 1 - this.#labels.lastIndexOf(to));
  }

  /** A loop around a table of jumps: right for every graph. */
  #dispatch(): void {
    const { code } = this.#e;
    const { order } = this.#task.graph;
    const target = this.#e.temporary("i32", "target");
    code.i32(0).set(target).loop();
    this.#checkFuel();
    for (let i = 0; i < order.length; i++) code.block();
    code.get(target).brTable(
      order.map((_, i) => i),
      order.length,
    );
    order.forEach((number, i) => {
      code.op("end");
      this.#dispatched(number, order.length - 1 - i, target);
    });
    code.op("end");
    this.#labels.length = 0;
  }

  /** One block of the table; `around` blocks and the loop enclose it. */
  #dispatched(number: number, around: number, target: number): void {
    const { code } = this.#e;
    const { rank } = this.#task.graph;
    const block = this.#e.checked.kernel.blocks[number] as Block;
    const { end } = block;
    this.#instructions(block);
    const [first, second] = regionSuccessors(block);
    this.#labels.length = around + 1;
    this.#labels.fill(undefined);
    if (first === undefined) {
      this.#leave(number, block);
      return;
    }
    if (end.kind === "table") {
      this.#dispatchTable(end, target);
      code.br(around);
      return;
    }
    code.i32(rank.get(first) as number);
    if (end.kind === "branch" && second !== undefined) {
      code.i32(rank.get(second) as number);
      this.#condition(end.guard);
      code.op("select");
    }
    code.set(target).br(around);
  }

  /** A table of its own finds the next block: comparing one target after the other would take more than the jump costs. */
  #dispatchTable({ index, targets, line }: Extract<Block["end"], { kind: "table" }>, target: number): void {
    const { code } = this.#e;
    const ranks = [...new Set(targets.map((to) => this.#task.graph.rank.get(to) as number))];
    const places = new Map(ranks.map((rank, place) => [rank, place]));
    const placeOf = (to: number): number => places.get(this.#task.graph.rank.get(to) as number) as number;
    // Around the places, the first of them innermost: one block that an index beyond the table leaves, and one for all others.
    for (let i = 0; i < ranks.length + 2; i++) code.block();
    code.get(this.#e.local(index)).brTable(targets.map(placeOf), ranks.length);
    ranks.forEach((rank, place) => {
      code
        .op("end")
        .i32(rank)
        .set(target)
        .br(ranks.length - place);
    });
    code.op("end");
    this.#e.trapAt(at.TRAP_OUT_OF_BOUNDS, line);
    code.op("end");
  }

  #checkFuel(): void {
    this.#e.code.get(this.#task.fuel).i64(0n).op("i64.lt_s");
    this.#e.trapIf(at.TRAP_FUEL, undefined);
  }

  #condition(guard: Guard): void {
    this.#e.code.get(this.#e.local(guard.register));
    if (guard.negated) this.#e.code.op("i32.eqz");
  }

  #instructions(block: Block): void {
    const cost = block.instructions.reduce((sum, instruction) => sum + fuelOf(instruction), 1);
    const last = block.end.kind === "sync" ? fuelOf(block.end.instruction) : 0;
    const { fuel } = this.#task;
    this.#e.code
      .get(fuel)
      .i64(BigInt(cost + last))
      .op("i64.sub")
      .set(fuel);
    for (const instruction of block.instructions) this.#guarded(instruction);
  }

  #guarded(instruction: Instruction): void {
    const { guard } = instruction;
    if (guard === undefined) {
      emitInstruction(this.#e, instruction);
      return;
    }
    this.#condition(guard);
    this.#e.code.if();
    emitInstruction(this.#e, instruction);
    this.#e.code.op("end");
  }

  /** The thread ends, or waits: what it brings and what it must not forget go to its frame. */
  #leave(number: number, block: Block): void {
    const { code, frame, layout } = this.#e;
    const { end } = block;
    if (end.kind === "sync") {
      this.#bring(end.instruction);
      const given = new Set(end.instruction.dst);
      for (const id of this.#task.live.columns(end.next)) {
        if (given.has(id)) continue;
        code.get(frame).get(this.#e.local(id));
        code.memory(`${this.#e.home(id)}.store`, layout.saved.get(id) as number);
      }
      code.i32(this.#task.stateOf.get(number) as number).set(this.#task.next);
    } else code.i32(at.EXITED).set(this.#task.next);
    code.br(this.#labels.length);
  }

  #bring(instruction: Instruction): void {
    const { code, frame } = this.#e;
    const { op, src, type } = instruction;
    if (op === "barrier") return;
    const put = (source: Source, place: number): void => {
      code.get(frame);
      this.#e.push(source, "b32");
      code.memory("i32.store", place);
    };
    if (op === "match" && type === "b64") {
      code.get(frame);
      this.#e.push(src[0] as Source, "b64");
      code.memory("i64.store", at.FRAME_IN_VALUE);
    } else if (op === "vote") {
      code.get(frame);
      this.#e.push(src[0] as Source, "pred");
      code.memory("i32.store", at.FRAME_IN_VALUE);
    } else if (op !== "warpsync") put(src[0] as Source, at.FRAME_IN_VALUE);
    if (op === "shfl") {
      put(src[1] as Source, at.FRAME_IN_LANE);
      put(src[2] as Source, at.FRAME_IN_CLAMP);
    }
    put(src.at(-1) as Source, at.FRAME_MASK);
  }
}

function emitInstruction(e: Emitter, instruction: Instruction): void {
  const { op, type, dst } = instruction;
  const target = dst[0] ?? -1;
  switch (op) {
    case "ld":
      emitLoad(e, instruction);
      return;
    case "st":
      emitStore(e, instruction);
      return;
    case "red":
      emitReduction(e, instruction);
      return;
    case "trap":
      e.trap(at.TRAP_EXPLICIT, instruction);
      return;
    case "fixnan":
      emitFixNan(e, instruction);
      return;
    case "setp":
      (isFloat(type) ? floatComparison : integerComparison)(e, instruction);
      e.store(target, "pred");
      return;
    case "cvt":
      conversion(e, instruction);
      if (type === "f32" || type === "f64") e.storeFloat(target, type);
      else e.store(target, type);
      return;
    default:
      emitValue(e, instruction, target);
  }
}

function emitValue(e: Emitter, instruction: Instruction, target: number): void {
  const { op, type, src } = instruction;
  if (op in FLOAT_EMITTERS) {
    FLOAT_EMITTERS[op as keyof typeof FLOAT_EMITTERS](e, instruction);
    e.storeFloat(target, type);
    return;
  }
  // Floats that are only moved stay floats; no bit of a NaN changes.
  if ((op === "mov" || op === "selp") && target >= 0 && e.home(target) === type) {
    for (const source of src.slice(0, op === "mov" ? 1 : 2)) e.pushFloat(source, type);
    if (op === "selp") {
      e.push(src[2] as Source, "pred");
      e.code.op("select");
    }
    e.storeFloat(target, type);
    return;
  }
  INTEGER_EMITTERS[op as keyof typeof INTEGER_EMITTERS](e, instruction);
  e.store(target, resultType(instruction));
}
