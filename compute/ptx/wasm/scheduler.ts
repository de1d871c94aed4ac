/**
 * Runs the threads of one block to their end: everybody to the next wait, then those whose wait is over, and so on.
 * Nearly always all threads wait at the same place, which takes one call; the general way is by warps.
 */
import type { CompiledKernel } from "./compile.ts";
import * as at from "./layout.ts";
import type { Shadow } from "./shadow.ts";
import { readsOnlyMembers, runWarpOperation, type WarpFrames } from "./warp.ts";

export type Region = (first: number, end: number) => number;

/** How a block can fail other than inside of its code. */
export type WaitFault = "BARRIER_DIVERGED" | "WARP_DIVERGED" | "SHUFFLE_UNDEFINED";

/** Thrown within the engine only. */
export class WaitError extends Error {
  readonly fault: WaitFault;
  readonly line: number;

  constructor(fault: WaitFault, line: number) {
    super(fault);
    this.fault = fault;
    this.line = line;
  }
}

const LANES = 32;
/**
 * In units of the shadow: what it costs to find which of a warp's threads go on when they wait in different places, and for
 * each of the places. A warp in 32 places takes 13 us for each operation of one lane, which costs 64 of fuel (measured).
 */
const DIVERGED_COST = 256;
const DIVERGED_PLACE_COST = 64;

export class Scheduler {
  readonly #compiled: CompiledKernel;
  readonly #regions: readonly Region[];
  readonly #words: Int32Array;
  readonly #threads: number;
  readonly #stride: number;
  readonly #shadow: Shadow | undefined;

  constructor(
    compiled: CompiledKernel,
    regions: readonly Region[],
    words: Int32Array,
    threads: number,
    shadow: Shadow | undefined,
  ) {
    this.#shadow = shadow;
    this.#compiled = compiled;
    this.#regions = regions;
    this.#words = words;
    this.#threads = threads;
    this.#stride = compiled.layout.frameBytes;
  }

  run(): void {
    let state = this.#resume(0, 0, this.#threads);
    while (state !== at.EXITED) {
      if (state === at.MIXED) state = this.#settle();
      else if (this.#waitOf(state).op === "barrier") {
        this.#shadow?.barrier();
        state = this.#resume(state, 0, this.#threads);
      } else state = this.#uniformWarps(state);
    }
  }

  #waitOf(state: number): NonNullable<CompiledKernel["states"][number]["wait"]> {
    const wait = this.#compiled.states[state]?.wait;
    if (wait === undefined) throw new Error("invariant violated: a thread waits at the start");
    return wait;
  }

  #resume(state: number, first: number, end: number): number {
    const { layout, states, checked } = this.#compiled;
    const { frames } = layout;
    this.#shadow?.resume(checked.kernel.registers.length, (end - first) * (states[state]?.live ?? 0));
    const region = this.#regions[state] as Region;
    return region(frames + first * this.#stride, frames + end * this.#stride);
  }

  #word(thread: number, place: number): number {
    return (this.#compiled.layout.frames + thread * this.#stride + place) >> 2;
  }

  #stateOf(thread: number): number {
    return this.#words[this.#word(thread, at.FRAME_STATE)] as number;
  }

  #uniformWarps(state: number): number {
    for (let first = 0; first < this.#threads; first += LANES) {
      const end = Math.min(first + LANES, this.#threads);
      if (!this.#exchange(first, end, state)) throw new WaitError("WARP_DIVERGED", this.#waitOf(state).line);
    }
    return this.#resume(state, 0, this.#threads);
  }

  /** Carries out the warp operation of the lanes that wait at `state`, if everybody in their masks is there. */
  #exchange(first: number, end: number, state: number): boolean {
    const wait = this.#waitOf(state);
    const present = this.#lanesAt(first, end, state);
    const existing = end - first === LANES ? -1 : (1 << (end - first)) - 1;
    let rest = present;
    while (rest !== 0) {
      const lane = 31 - Math.clz32(rest & -rest);
      const mask = this.#words[this.#word(first + lane, at.FRAME_MASK)] as number;
      const members = mask & existing;
      // Every lane in the mask is here, has the same mask, and the lane itself is in it.
      if ((members & present) !== members || ((members >>> lane) & 1) === 0) return false;
      if (!this.#sameMask(first, members, mask)) return false;
      const frames: WarpFrames = { words: this.#words, wordOf: (at) => this.#word(first + at, 0) };
      if (wait.op === "shfl" && !readsOnlyMembers(frames, wait.mode, members)) {
        throw new WaitError("SHUFFLE_UNDEFINED", wait.line);
      }
      runWarpOperation(frames, wait, members);
      if (wait.op === "warpsync" && members === existing) this.#shadow?.warpBarrier(first / LANES);
      rest &= ~members;
    }
    return true;
  }

  #sameMask(first: number, members: number, mask: number): boolean {
    for (let lane = 0; lane < LANES; lane++) {
      if (((members >>> lane) & 1) === 0) continue;
      if (this.#words[this.#word(first + lane, at.FRAME_MASK)] !== mask) return false;
    }
    return true;
  }

  #lanesAt(first: number, end: number, state: number): number {
    let lanes = 0;
    for (let thread = first; thread < end; thread++)
      if (this.#stateOf(thread) === state) lanes |= 1 << (thread - first);
    return lanes;
  }

  /** Threads are in different places: bring each warp to barriers or its end, then let the barrier open. */
  #settle(): number {
    for (let first = 0; first < this.#threads; first += LANES) {
      this.#settleWarp(first, Math.min(first + LANES, this.#threads));
    }
    return this.#openBarrier();
  }

  #settleWarp(first: number, end: number): void {
    for (;;) {
      const waiting = new Set<number>();
      for (let thread = first; thread < end; thread++) {
        const state = this.#stateOf(thread);
        if (state !== at.EXITED && this.#waitOf(state).op !== "barrier") waiting.add(state);
      }
      if (waiting.size === 0) return;
      this.#shadow?.spend(DIVERGED_COST + DIVERGED_PLACE_COST * waiting.size);
      const ready = [...waiting].find((state) => this.#exchange(first, end, state));
      if (ready === undefined) throw new WaitError("WARP_DIVERGED", this.#waitOf([...waiting][0] as number).line);
      this.#resumeRuns(ready, this.#threadsAt(first, end, ready));
    }
  }

  #threadsAt(first: number, end: number, state: number): readonly number[] {
    const threads: number[] = [];
    for (let thread = first; thread < end; thread++) if (this.#stateOf(thread) === state) threads.push(thread);
    return threads;
  }

  /** Threads in ascending order go on, neighbours together. */
  #resumeRuns(state: number, threads: readonly number[]): void {
    for (let i = 0; i < threads.length; ) {
      const start = threads[i] as number;
      let next = start + 1;
      for (i++; threads[i] === next; i++) next++;
      this.#resume(state, start, next);
    }
  }

  /**
   * Everybody must be at a barrier of one number, and each warp at one instruction; a thread that has ended while
   * others wait is undefined use.
   */
  #openBarrier(): number {
    const states = new Set<number>();
    for (let thread = 0; thread < this.#threads; thread++) states.add(this.#stateOf(thread));
    if (states.size === 1 && states.has(at.EXITED)) return at.EXITED;
    this.#shadow?.spend(this.#threads * states.size);
    const waits = [...states].filter((state) => state !== at.EXITED).map((state) => this.#waitOf(state));
    const [one] = waits;
    const line = one?.line ?? 0;
    if (states.has(at.EXITED) || waits.some(({ mode }) => mode !== one?.mode)) {
      throw new WaitError("BARRIER_DIVERGED", line);
    }
    for (let first = 0; first < this.#threads; first += LANES) {
      for (let thread = first; thread < Math.min(first + LANES, this.#threads); thread++) {
        if (this.#stateOf(thread) !== this.#stateOf(first)) throw new WaitError("BARRIER_DIVERGED", line);
      }
    }
    this.#shadow?.barrier();
    // Who goes on is noted before anybody does: a thread may come to the same barrier again.
    const released = [...states].map((state) => ({ state, threads: this.#threadsAt(0, this.#threads, state) }));
    for (const { state, threads } of released) this.#resumeRuns(state, threads);
    return this.#summary();
  }

  #summary(): number {
    const first = this.#stateOf(0);
    for (let thread = 1; thread < this.#threads; thread++) if (this.#stateOf(thread) !== first) return at.MIXED;
    return first;
  }
}
