/**
 * What happened to each byte of shared memory and of a block's tiles since the last barrier: enough to tell, at the next
 * access, whether two threads touch it unordered and one of them writes. Beside every byte lie the last writes and
 * the last reads; a summary of each is exact, because whatever the summary leaves out was ordered by a barrier of the
 * warp, or is found again by the accesses that it keeps (the rules are those of interpreter/memory.ts, which keeps all).
 */
import { CodedError } from "../../../base/errors.ts";
import type { PtxErrorCode } from "../errors.ts";
import * as at from "./layout.ts";

/** Kinds of access: 0 reads, 1 writes, from 2 on the reductions. */
const READ = 0;
const WRITE = 1;
const REDUCTIONS: readonly string[] = ["add", "and", "or", "xor", "min", "max"];
/** Accesses of several kinds. */
const MIXED = 8;

export function accessNumber(op: "ld" | "st" | "red", mode: string): number {
  if (op === "ld") return READ;
  return op === "st" ? WRITE : 2 + REDUCTIONS.indexOf(mode);
}

/** Thrown within the engine only. */
export class RaceError extends Error {
  readonly line: number;

  constructor(line: number) {
    super("RACE");
    this.line = line;
  }
}

/** Thrown when more was to be checked than the caller allows: no result of the kernel, but no fault of it either. */
export class CheckBudgetError extends Error {}

/** Of each byte, for writes and for reads: the barrier count, the warp's own count, and who. */
const FIELDS = 6;
const READS = 3;
/** Who: a thread, whether there are others, the kind since the warp's last barrier, and since the block's. */
const THREAD = 0x3ff;
const MANY_THREADS = 0x400;
const MANY_WARPS = 0x800;
const LATEST_SHIFT = 12;
const ALL_SHIFT = 16;
const KIND = 15;
/** What an access costs besides its bytes: about as much as four of them (measured). */
const ACCESS_COST = 4;
/**
 * What it costs that threads go on after a wait, besides the registers that each has kept: the call, and for each of the kernel's
 * registers that its function starts with an eighth. Fuel knows nothing of it, and a thousand registers kept through a loop
 * of barriers take 400 times what its fuel stands for (measured).
 */
const RESUME_COST = 16;
const REGISTER_SHIFT = 3;
/** Who, and whether there were others. */
const WHO: number = THREAD | MANY_THREADS | MANY_WARPS;

const CHUNK: number = 1 << at.CHUNK_SHIFT;
const CHUNK_FIELDS: number = CHUNK * FIELDS;
/** 32 MiB of memory under watch, far more than a block that the referee takes may touch. */
const MAX_CHUNKS: number = 1 << 15;

function isOtherWarp(who: number, warp: number): boolean {
  return (who & MANY_WARPS) !== 0 || (who & THREAD) >> 5 !== warp;
}

function isOtherThread(who: number, thread: number): boolean {
  return (who & MANY_THREADS) !== 0 || (who & THREAD) !== thread;
}

export class Shadow {
  /** Chunk of memory -> 1 + place of its cells; 0 for none. */
  readonly #places: Int32Array;
  readonly #used: number[] = [];
  #cells: Int32Array = new Int32Array(16 * CHUNK_FIELDS);
  /** Grows with every barrier and every block, so that nothing needs to be cleared. */
  #epoch = 0;
  readonly #warpBarriers = new Int32Array(32);

  /** What may still be checked: bytes, and ACCESS_COST for each access; and what waits cost. */
  #budget: number;

  constructor(memoryBytes: number, budget: number = Number.POSITIVE_INFINITY) {
    this.#budget = budget;
    this.#places = new Int32Array(Math.ceil(memoryBytes / CHUNK));
  }

  beginBlock(): void {
    for (const chunk of this.#used) this.#places[chunk] = 0;
    this.#used.length = 0;
    this.#warpBarriers.fill(0);
    this.barrier();
  }

  barrier(): void {
    if (this.#epoch === 0x7fffffff) {
      this.#cells.fill(0);
      this.#epoch = 0;
    }
    this.#epoch++;
  }

  /** A barrier of a whole warp orders what its threads do. */
  warpBarrier(warp: number): void {
    this.#warpBarriers[warp] = (this.#warpBarriers[warp] as number) + 1;
  }

  /** Threads go on, with so many registers that they have kept in all. Throws CheckBudgetError. */
  resume(registers: number, kept: number): void {
    this.spend(RESUME_COST + (registers >> REGISTER_SHIFT) + kept);
  }

  /** Throws CheckBudgetError. */
  spend(units: number): void {
    this.#budget -= units;
    if (this.#budget < 0) throw new CheckBudgetError("more to check than is allowed");
  }

  /** Throws RaceError or CheckBudgetError. An aligned access never crosses chunks. */
  access(kind: number, address: number, bytes: number, thread: number, line: number): void {
    this.spend(ACCESS_COST + bytes);
    const start = this.#cellOf(address);
    for (let i = 0; i < bytes; i++) {
      if (this.#repeats(start + i * FIELDS, kind, thread)) continue;
      if (this.#races(start + i * FIELDS, kind, thread)) throw new RaceError(line);
      this.#note(start + i * FIELDS, kind, thread);
    }
  }

  /** Most accesses repeat what the same thread did last: nothing is new then, and nothing can race. */
  #repeats(cell: number, kind: number, thread: number): boolean {
    const cells = this.#cells;
    const own = kind === READ ? cell + READS : cell;
    const other = kind === READ ? cell : cell + READS;
    if (cells[own] !== this.#epoch || cells[own + 1] !== this.#warpBarriers[thread >> 5]) return false;
    if (cells[own + 2] !== (thread | (kind << LATEST_SHIFT) | (kind << ALL_SHIFT))) return false;
    return cells[other] !== this.#epoch || ((cells[other + 2] as number) & WHO) === thread;
  }

  #cellOf(address: number): number {
    const chunk = address >>> at.CHUNK_SHIFT;
    let place = this.#places[chunk] as number;
    if (place === 0) {
      place = this.#used.push(chunk);
      if (place > MAX_CHUNKS) {
        const message = `a block in checking mode may touch ${MAX_CHUNKS} chunks of what it writes`;
        throw new CodedError<PtxErrorCode>("PTX_LIMIT", message, { chunks: MAX_CHUNKS });
      }
      this.#places[chunk] = place;
      if (place * CHUNK_FIELDS > this.#cells.length) this.#grow();
    }
    return (place - 1) * CHUNK_FIELDS + (address & (CHUNK - 1)) * FIELDS;
  }

  #grow(): void {
    const larger = new Int32Array(2 * this.#cells.length);
    larger.set(this.#cells);
    this.#cells = larger;
  }

  #races(cell: number, kind: number, thread: number): boolean {
    const cells = this.#cells;
    const warp = thread >> 5;
    const now = this.#warpBarriers[warp] as number;
    if (cells[cell] === this.#epoch) {
      const who = cells[cell + 2] as number;
      const reduces = kind > WRITE;
      if (isOtherWarp(who, warp)) {
        if (!reduces || ((who >> ALL_SHIFT) & KIND) !== kind) return true;
      } else if (cells[cell + 1] === now && isOtherThread(who, thread)) {
        if (!reduces || ((who >> LATEST_SHIFT) & KIND) !== kind) return true;
      }
    }
    if (kind === READ || cells[cell + READS] !== this.#epoch) return false;
    const who = cells[cell + READS + 2] as number;
    return isOtherWarp(who, warp) || (cells[cell + READS + 1] === now && isOtherThread(who, thread));
  }

  #note(cell: number, kind: number, thread: number): void {
    const cells = this.#cells;
    const at = kind === READ ? cell + READS : cell;
    const now = this.#warpBarriers[thread >> 5] as number;
    const fresh = thread | (kind << LATEST_SHIFT) | (kind << ALL_SHIFT);
    if (cells[at] !== this.#epoch) {
      cells[at] = this.#epoch;
      cells[at + 1] = now;
      cells[at + 2] = fresh;
      return;
    }
    const who = cells[at + 2] as number;
    if ((who & MANY_WARPS) !== 0) return;
    const all = ((who >> ALL_SHIFT) & KIND) === kind ? kind : MIXED;
    if (isOtherWarp(who, thread >> 5)) cells[at + 2] = who | MANY_WARPS;
    else if (cells[at + 1] !== now) {
      cells[at + 1] = now;
      cells[at + 2] = thread | (kind << LATEST_SHIFT) | (all << ALL_SHIFT);
    } else {
      const latest = ((who >> LATEST_SHIFT) & KIND) === kind ? kind : MIXED;
      const many = isOtherThread(who, thread) ? MANY_THREADS : 0;
      cells[at + 2] = (who & (THREAD | MANY_THREADS)) | many | (latest << LATEST_SHIFT) | (all << ALL_SHIFT);
    }
  }
}
