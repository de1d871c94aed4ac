/**
 * Runs kernels: one linear memory with the buffers of a job, and instances of compiled kernels that work in it. A block
 * either finishes or traps; nothing that a kernel does reaches beyond the memory given to it.
 */
import { assert } from "../../../base/errors.ts";
import { exactFma64 } from "../exact-fma.ts";
import { MAX_SHARED_BYTES, MAX_THREADS } from "../limits.ts";
import type { CompiledKernel } from "./compile.ts";
import * as at from "./layout.ts";
import { type Region, Scheduler, WaitError, type WaitFault } from "./scheduler.ts";
import { RaceError, Shadow } from "./shadow.ts";
import { WASM_PAGE, type WasmFunction, type WasmMemory, wasmApi } from "./wasm-api.ts";

export type Triple = readonly [number, number, number];

/** The part of a buffer that a block owns. */
export type TileWindow =
  | { readonly kind: "whole" }
  | { readonly kind: "run"; readonly start: number; readonly bytes: number }
  | {
      readonly kind: "rows";
      readonly pitch: number;
      readonly row: number;
      readonly rows: number;
      readonly column: number;
      readonly width: number;
    };

/** `RACE` is found in checking mode only. */
export type TrapReason = "OUT_OF_BOUNDS" | "OUT_OF_TILE" | "FUEL" | "BYTES" | "TRAP" | "RACE" | WaitFault;

export type BlockOutcome =
  | { readonly kind: "done"; readonly fuel: number }
  | { readonly kind: "trap"; readonly reason: TrapReason; readonly line: number };

/** An argument of a launch: bytes of a scalar, or the number of a buffer of the machine. */
export type Argument =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "buffer"; readonly buffer: number };

export interface LaunchShape {
  readonly grid: Triple;
  readonly block: Triple;
  readonly dynamicShared: number;
  readonly arguments: readonly Argument[];
}

/** Where touched chunks are noted. */
interface ChunkPlaces {
  readonly map: number;
  readonly list: number;
}

/** Where a buffer lies, or its table of chunks where buffers are paged, and how many bytes it has. */
export interface Placed {
  readonly base: number;
  readonly length: number;
}

/** The linear memory that a loaded kernel works in. */
export interface KernelMemory {
  readonly memory: WasmMemory;
  placed(buffer: number): Placed;
  /** The address of a chunk that is touched for the first time; only kernels that are compiled as paged ask. */
  page(table: number, chunk: number): number;
}

/** Thrown by a memory that has brought in as many chunks as it may. */
export class ByteBudgetError extends Error {}

/** One chunk, so that no chunk holds parts of two buffers. */
const BUFFER_ALIGNMENT: number = 1 << at.CHUNK_SHIFT;

/** Bytes that a kernel needs before the buffers. */
export function scratchBytes(compiled: CompiledKernel, threads: number): number {
  return compiled.layout.frames + compiled.layout.frameBytes * threads;
}

export class Machine implements KernelMemory {
  readonly memory: WasmMemory;
  readonly #buffers: readonly Placed[];
  readonly #scratch: number;
  readonly #chunks: ChunkPlaces;

  /** `scratch` is the most that any launch needs. */
  constructor(scratch: number, lengths: readonly number[]) {
    let offset = Math.ceil(scratch / BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT;
    this.#buffers = lengths.map((length) => {
      const base = offset;
      offset = Math.ceil((offset + length) / BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT;
      return { base, length };
    });
    const chunks = offset / BUFFER_ALIGNMENT;
    const list = Math.ceil((offset + chunks) / 8) * 8;
    this.#chunks = { map: offset, list };
    const pages = Math.ceil((list + 4 * chunks) / WASM_PAGE);
    this.memory = new wasmApi.Memory({ initial: pages, maximum: pages });
    this.#scratch = scratch;
  }

  placed(buffer: number): Placed {
    const found = this.#buffers[buffer];
    assert(found !== undefined, "a launch names buffers of its machine");
    return found;
  }

  /** The contents of a buffer, to read and to write. */
  buffer(index: number): Uint8Array {
    const { base, length } = this.placed(index);
    return new Uint8Array(this.memory.buffer, base, length);
  }

  page(): never {
    throw new Error("invariant violated: buffers of this machine are not paged");
  }

  load(compiled: CompiledKernel): LoadedKernel {
    return new LoadedKernel(this, compiled, this.#scratch, this.#chunks);
  }
}

function fma64(...bits: readonly (number | bigint)[]): bigint {
  const [a, b, c] = bits.map((value) => BigInt.asUintN(64, BigInt(value))) as [bigint, bigint, bigint];
  return BigInt.asIntN(64, exactFma64(a, b, c));
}

/** The engine's own compilation is the larger part of loading a kernel. */
const modules = new WeakMap<CompiledKernel, object>();

/** A kernel in the memory of a machine. Launches on one machine come one after the other. */
export class LoadedKernel {
  readonly #machine: KernelMemory;
  readonly #compiled: CompiledKernel;
  readonly #regions: readonly Region[];
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  readonly #scratch: number;
  readonly #chunks: ChunkPlaces;
  readonly #shadow: Shadow | undefined;
  #scheduler: Scheduler | undefined;
  #shape: LaunchShape | undefined;

  /** `checked`: what checking mode may look at, in units of the shadow; then it throws CheckBudgetError. */
  constructor(
    machine: KernelMemory,
    compiled: CompiledKernel,
    scratch: number,
    chunks: ChunkPlaces,
    checked: number = Number.POSITIVE_INFINITY,
  ) {
    this.#machine = machine;
    this.#compiled = compiled;
    this.#scratch = scratch;
    this.#chunks = chunks;
    const module = modules.get(compiled) ?? new wasmApi.Module(compiled.wasm);
    modules.set(compiled, module);
    this.#shadow = compiled.findRaces ? new Shadow(machine.memory.buffer.byteLength, checked) : undefined;
    // With parameters by name: gathering them in an array takes as long as all the rest of a trace (measured).
    const trace = (address: number, bytes: number, frame: number, kind: number): undefined =>
      this.#trace(address, bytes, frame, kind);
    const page = (table: number, chunk: number): number => machine.page(table >>> 0, chunk >>> 0);
    const host = { memory: machine.memory, fma64, trace: trace as WasmFunction, page: page as WasmFunction };
    const { exports } = new wasmApi.Instance(module, { host });
    this.#regions = compiled.states.map((_, state) => exports[`region${state}`] as Region);
    this.#view = new DataView(machine.memory.buffer);
    this.#bytes = new Uint8Array(machine.memory.buffer);
  }

  /** Prepares a launch: parameters, constants, thread numbers. The caller has validated the shape. */
  begin(shape: LaunchShape): void {
    const { layout } = this.#compiled;
    const [x, y, z] = shape.block;
    const threads = x * y * z;
    assert(threads >= 1 && threads <= MAX_THREADS, "a block has 1 to 1024 threads");
    assert(scratchBytes(this.#compiled, threads) <= this.#scratch, "the machine has room for the frames");
    assert(layout.sharedBytes + shape.dynamicShared <= MAX_SHARED_BYTES, "shared memory was checked before");
    this.#triple(at.NTID, shape.block);
    this.#triple(at.NCTAID, shape.grid);
    this.#view.setInt32(at.DYNAMIC_SHARED_BYTES, shape.dynamicShared, true);
    this.#view.setUint32(at.CHUNK_MAP, this.#chunks.map, true);
    this.#view.setUint32(at.CHUNK_LIST, this.#chunks.list, true);
    this.#bytes.fill(0, at.PARAMETERS, layout.shared);
    this.#compiled.checked.kernel.variables.forEach(({ initial }, index) => {
      if (initial !== undefined) this.#bytes.set(initial, layout.variables[index] as number);
    });
    shape.arguments.forEach((argument, index) => {
      this.#argument(argument, index);
    });
    for (let thread = 0; thread < threads; thread++) {
      const frame = layout.frames + thread * layout.frameBytes;
      this.#triple(frame, [thread % x, Math.floor(thread / x) % y, Math.floor(thread / (x * y))]);
      this.#view.setInt32(frame + at.FRAME_THREAD, thread, true);
    }
    this.#shape = shape;
    const words = new Int32Array(this.#machine.memory.buffer);
    this.#scheduler = new Scheduler(this.#compiled, this.#regions, words, threads, this.#shadow);
  }

  #trace(address: number, bytes: number, frame: number, kind: number): undefined {
    const thread = this.#view.getInt32(frame + at.FRAME_THREAD, true);
    this.#shadow?.access(kind & 15, address >>> 0, bytes, thread, kind >>> 4);
  }

  #triple(offset: number, values: Triple): void {
    values.forEach((value, i) => {
      this.#view.setInt32(offset + 4 * i, value, true);
    });
  }

  /** An address is the offset 0 of its buffer, so that it shows nothing of this memory. */
  #argument(argument: Argument, index: number): void {
    const parameter = this.#compiled.checked.kernel.parameters[index];
    assert(parameter !== undefined, "the arguments were checked against the parameters");
    if (argument.kind === "bytes") {
      assert(argument.bytes.length === parameter.size, "the arguments were checked against the parameters");
      this.#bytes.set(argument.bytes, at.PARAMETERS + parameter.offset);
      return;
    }
    const { base, length } = this.#machine.placed(argument.buffer);
    const entry = at.BUFFERS + index * at.BUFFER_ENTRY;
    this.#view.setUint32(entry + at.ENTRY_BASE, base, true);
    this.#view.setBigUint64(entry + at.ENTRY_LENGTH, BigInt(length), true);
  }

  /** The part of the buffer behind a parameter that the next block may touch. */
  setTile(parameter: number, window: TileWindow): void {
    const entry = at.BUFFERS + parameter * at.BUFFER_ENTRY;
    const set = (place: number, value: number): void => this.#view.setUint32(entry + place, value, true);
    set(at.ENTRY_TILE_KIND, window.kind === "whole" ? 0 : window.kind === "run" ? 1 : 2);
    if (window.kind === "run") {
      set(at.ENTRY_COLUMN, window.start);
      set(at.ENTRY_WIDTH, window.bytes);
    } else if (window.kind === "rows") {
      set(at.ENTRY_PITCH, window.pitch);
      set(at.ENTRY_ROW, window.row);
      set(at.ENTRY_ROWS, window.rows);
      set(at.ENTRY_COLUMN, window.column);
      set(at.ENTRY_WIDTH, window.width);
    }
  }

  /** Chunks of buffers that were touched since the last call, when the kernel notes them. */
  takeTouchedChunks(): number {
    const { map, list } = this.#chunks;
    const count = this.#view.getInt32(at.CHUNK_COUNT, true);
    for (let i = 0; i < count; i++) this.#bytes[map + this.#view.getInt32(list + 4 * i, true)] = 0;
    this.#view.setInt32(at.CHUNK_COUNT, 0, true);
    return count;
  }

  /** Runs one block with at most `fuel`, from shared and local memory full of zeros. */
  runBlock(block: Triple, fuel: number): BlockOutcome {
    const shape = this.#shape;
    assert(shape !== undefined && this.#scheduler !== undefined, "a launch has begun");
    const { layout } = this.#compiled;
    this.#triple(at.CTAID, block);
    this.#view.setBigInt64(at.FUEL, BigInt(fuel), true);
    this.#view.setInt32(at.TRAP_CODE, 0, true);
    this.#bytes.fill(0, layout.shared, layout.dynamicShared + shape.dynamicShared);
    if (layout.local < layout.frameBytes) this.#clearLocals(shape.block[0] * shape.block[1] * shape.block[2]);
    this.#shadow?.beginBlock();
    try {
      this.#scheduler.run();
    } catch (error) {
      return this.#trapped(error);
    }
    return { kind: "done", fuel: fuel - Number(this.#view.getBigInt64(at.FUEL, true)) };
  }

  #clearLocals(threads: number): void {
    const { frames, frameBytes, local } = this.#compiled.layout;
    for (let thread = 0; thread < threads; thread++) {
      this.#bytes.fill(0, frames + thread * frameBytes + local, frames + (thread + 1) * frameBytes);
    }
  }

  #trapped(error: unknown): BlockOutcome {
    if (error instanceof WaitError) return { kind: "trap", reason: error.fault, line: error.line };
    if (error instanceof ByteBudgetError) return { kind: "trap", reason: "BYTES", line: 0 };
    if (error instanceof RaceError) return { kind: "trap", reason: "RACE", line: error.line };
    const code = this.#view.getInt32(at.TRAP_CODE, true);
    if (!(error instanceof wasmApi.RuntimeError) || code === 0) throw error;
    const reason = at.TRAP_CODES[code] as TrapReason;
    return { kind: "trap", reason, line: this.#view.getInt32(at.TRAP_LINE, true) };
  }
}
