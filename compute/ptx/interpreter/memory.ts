/** The memory of a block under interpretation: every access is checked for bounds, tile and races. */
import type { CheckedKernel } from "../check.ts";
import type { Instruction } from "../ir.ts";
import type { TileWindow } from "../wasm/machine.ts";

export type Fault = "OUT_OF_BOUNDS" | "OUT_OF_TILE" | "RACE";

export class MemoryFault extends Error {
  readonly reason: Fault;

  constructor(reason: Fault) {
    super(reason);
    this.reason = reason;
  }
}

/** Who touches memory, and when: what lies between two barriers is not ordered, except within a warp by its own. */
export interface Actor {
  readonly thread: number;
  readonly warp: number;
  readonly barriers: number;
  readonly warpBarriers: number;
}

export type AccessKind = "read" | "write" | `reduce ${string}`;

interface Trace extends Actor {
  readonly kind: AccessKind;
}

/** What happened to one byte since the last barrier. */
interface PlaceRecord {
  readonly barriers: number;
  readonly writes: Trace[];
  readonly reads: Map<string, Trace>;
}

export interface BufferView {
  readonly bytes: Uint8Array;
  readonly window: TileWindow;
  /** Stores reach it in this launch, so that loads must stay in the tile as well. */
  readonly written: boolean;
}

/** One object: a buffer, or a variable. */
export class CheckedObject {
  readonly #view: BufferView;
  readonly #traced: boolean;
  readonly #records = new Map<number, PlaceRecord>();
  /** Chunks of 1 KiB that were reached. */
  readonly chunks: Set<number> = new Set();

  constructor(view: BufferView, traced: boolean) {
    this.#view = view;
    this.#traced = traced;
  }

  /** The place of an access, after all checks. */
  locate(offset: bigint, bytes: number, kind: AccessKind, actor: Actor): number {
    const at = this.#inBounds(offset, bytes);
    if (this.#view.written && !this.#inTile(at, bytes)) throw new MemoryFault("OUT_OF_TILE");
    this.chunks.add(Math.floor(at / 1024));
    if (this.#traced) for (let i = at; i < at + bytes; i++) this.#trace(i, { ...actor, kind });
    return at;
  }

  #inBounds(offset: bigint, bytes: number): number {
    if (offset < 0n || offset + BigInt(bytes) > BigInt(this.#view.bytes.length) || offset % BigInt(bytes) !== 0n) {
      throw new MemoryFault("OUT_OF_BOUNDS");
    }
    return Number(offset);
  }

  #inTile(at: number, bytes: number): boolean {
    const { window } = this.#view;
    if (window.kind === "whole") return true;
    if (window.kind === "run") return at >= window.start && at + bytes <= window.start + window.bytes;
    const row = Math.floor(at / window.pitch);
    const column = at % window.pitch;
    return (
      row >= window.row &&
      row < window.row + window.rows &&
      column >= window.column &&
      column + bytes <= window.column + window.width
    );
  }

  #trace(place: number, access: Trace): void {
    let record = this.#records.get(place);
    // Older epochs are ordered before this one by the barrier.
    if (record === undefined || record.barriers !== access.barriers) {
      record = { barriers: access.barriers, writes: [], reads: new Map() };
      this.#records.set(place, record);
    }
    const others = access.kind === "read" ? record.writes : [...record.writes, ...record.reads.values()];
    if (others.some((other) => conflict(other, access))) throw new MemoryFault("RACE");
    if (access.kind === "read") record.reads.set(`${access.thread} ${access.warpBarriers}`, access);
    else record.writes.push(access);
  }

  get bytes(): Uint8Array {
    return this.#view.bytes;
  }
}

function conflict(a: Trace, b: Trace): boolean {
  if (a.thread === b.thread) return false;
  if (a.kind === "read" && b.kind === "read") return false;
  if (a.kind !== "write" && a.kind === b.kind) return false;
  return a.warp !== b.warp || a.warpBarriers === b.warpBarriers;
}

/** The bytes of an integer in memory order. */
export function readBits(bytes: Uint8Array, at: number, size: number): bigint {
  let bits = 0n;
  for (let i = size - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(bytes[at + i] as number);
  return bits;
}

export function writeBits(bytes: Uint8Array, at: number, size: number, bits: bigint): void {
  for (let i = 0; i < size; i++) bytes[at + i] = Number((bits >> BigInt(8 * i)) & 0xffn);
}

/** A key for the object that an access reaches. */
export function objectKey(checked: CheckedKernel, instruction: Instruction): string {
  const object = checked.pointers.objectOf(instruction);
  return object === undefined ? "param" : `${object.kind} ${object.index}`;
}
