/**
 * Where things lie in the linear memory that a kernel runs in. The launch writes the first part, then come constants,
 * shared memory and one frame for each thread of a block; buffers lie behind.
 */
import { assert } from "../../../base/errors.ts";
import type { BitRows } from "../bit-rows.ts";
import type { Kernel } from "../ir.ts";
import { MAX_PARAMETER_BYTES, MAX_PARAMETERS, MAX_SHARED_BYTES } from "../limits.ts";

export const FUEL = 0;
export const TRAP_CODE = 8;
export const TRAP_LINE = 12;
export const CTAID = 16;
export const NCTAID = 28;
export const NTID = 40;
export const DYNAMIC_SHARED_BYTES = 52;
/** Where the map of touched chunks lies: one byte for each KiB of memory. */
export const CHUNK_MAP = 56;
export const CHUNK_SHIFT = 10;
/** How many chunks are marked; their numbers lie one after the other at CHUNK_LIST. */
export const CHUNK_COUNT = 60;
export const CHUNK_LIST = 64;
export const PARAMETERS = 128;
export const BUFFERS: number = PARAMETERS + MAX_PARAMETER_BYTES;

/** One entry for each parameter; used by those that are buffers. */
export const BUFFER_ENTRY = 64;
export const ENTRY_BASE = 0;
export const ENTRY_LENGTH = 8;
/** 0: the whole buffer, 1: one run of bytes, 2: rows of a matrix. */
export const ENTRY_TILE_KIND = 16;
export const ENTRY_PITCH = 20;
export const ENTRY_ROW = 24;
export const ENTRY_ROWS = 28;
export const ENTRY_COLUMN = 32;
export const ENTRY_WIDTH = 36;

const VARIABLES = BUFFERS + MAX_PARAMETERS * BUFFER_ENTRY;

export const FRAME_TID_X = 0;
export const FRAME_TID_Y = 4;
export const FRAME_TID_Z = 8;
export const FRAME_THREAD = 12;
export const FRAME_STATE = 16;
/** What a thread brings to a warp operation, and what it gets. */
export const FRAME_MASK = 20;
export const FRAME_IN_VALUE = 24;
export const FRAME_IN_LANE = 32;
export const FRAME_IN_CLAMP = 36;
export const FRAME_OUT_VALUE = 40;
export const FRAME_OUT_PREDICATE = 48;
const FRAME_SAVED = 56;

/** Traps that a kernel can cause; the number is what the code writes. */
export const TRAP_CODES = ["", "OUT_OF_BOUNDS", "OUT_OF_TILE", "FUEL", "TRAP"] as const;
export type TrapNumber = 1 | 2 | 3 | 4;
export const TRAP_OUT_OF_BOUNDS: TrapNumber = 1;
export const TRAP_OUT_OF_TILE: TrapNumber = 2;
export const TRAP_FUEL: TrapNumber = 3;
export const TRAP_EXPLICIT: TrapNumber = 4;

export const EXITED = -1;
/** What a region answers when its threads ended in different places. */
export const MIXED = -2;

export interface KernelLayout {
  /** Of const, global and shared variables in memory, of local ones in the frame. */
  readonly variables: readonly number[];
  readonly shared: number;
  readonly sharedBytes: number;
  /** Where `.extern .shared` arrays start; they reach to the end of shared memory. */
  readonly dynamicShared: number;
  readonly frames: number;
  readonly frameBytes: number;
  /** Register -> place in the frame, for registers that live through a wait. */
  readonly saved: ReadonlyMap<number, number>;
  /** Bytes that a thread's local variables start at in its frame. */
  readonly local: number;
}

function align(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}

export function layOut(kernel: Kernel, live: BitRows): KernelLayout {
  const variables = kernel.variables.map(() => 0);
  const place = (spaces: readonly string[], start: number): number => {
    let offset = start;
    kernel.variables.forEach((variable, index) => {
      if (!spaces.includes(variable.space) || variable.dynamic) return;
      offset = align(offset, Math.max(variable.alignment, 16));
      variables[index] = offset;
      offset += variable.size;
    });
    return offset;
  };
  const shared = align(place(["const", "global"], VARIABLES), 256);
  const dynamicShared = align(place(["shared"], shared), 16);
  kernel.variables.forEach((variable, index) => {
    if (variable.dynamic) variables[index] = dynamicShared;
  });
  const frames = align(shared + 2 * MAX_SHARED_BYTES, 256);
  const saved = new Map<number, number>();
  for (const { end } of kernel.blocks) {
    if (end.kind !== "sync") continue;
    for (const id of live.columns(end.next)) if (!saved.has(id)) saved.set(id, FRAME_SAVED + 8 * saved.size);
  }
  const local = align(FRAME_SAVED + 8 * saved.size, 16);
  const frameBytes = align(place(["local"], local), 64);
  assert(dynamicShared - shared <= MAX_SHARED_BYTES, "static shared memory was checked before");
  const sharedBytes = dynamicShared - shared;
  return { variables, shared, sharedBytes, dynamicShared, frames, frameBytes, saved, local };
}
