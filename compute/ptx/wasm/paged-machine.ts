/**
 * A memory that holds only the chunks of buffers that a block touches, brought in when they are. So the referee needs
 * some MiB for a tile of a program with gigabytes of buffers, and learns exactly which chunks the tile depends on.
 */
import { assert } from "../../../base/errors.ts";
import type { CompiledKernel } from "./compile.ts";
import * as at from "./layout.ts";
import { ByteBudgetError, type KernelMemory, LoadedKernel, type Placed } from "./machine.ts";
import { WASM_PAGE, type WasmMemory, wasmApi } from "./wasm-api.ts";

const CHUNK: number = 1 << at.CHUNK_SHIFT;

export interface PagedBuffers {
  /** Bytes of each buffer. */
  readonly lengths: readonly number[];
  /** Bytes of a chunk before the launch, shorter at the end of the buffer. May throw, which ends the block. */
  chunk(buffer: number, chunk: number): Uint8Array;
  /** Chunks that blocks may touch. */
  readonly budget: number;
  /** Chunks that `read` may bring in beyond those. */
  readonly reserve: number;
}

/** A table has one word for each chunk of its buffer: where the chunk lies, or 0. */
interface Table extends Placed {
  readonly buffer: number;
}

export class PagedMachine implements KernelMemory {
  readonly memory: WasmMemory;
  readonly #tables: readonly Table[];
  readonly #buffers: PagedBuffers;
  readonly #scratch: number;
  readonly #slots: number;
  #used = 0;

  constructor(scratch: number, buffers: PagedBuffers) {
    let offset = Math.ceil(scratch / CHUNK) * CHUNK;
    this.#tables = buffers.lengths.map((length, buffer) => {
      const base = offset;
      offset += 4 * Math.ceil(length / CHUNK);
      return { base, length, buffer };
    });
    this.#slots = Math.ceil(offset / CHUNK) * CHUNK;
    this.#buffers = buffers;
    this.#scratch = scratch;
    const pages = Math.ceil((this.#slots + (buffers.budget + buffers.reserve) * CHUNK) / WASM_PAGE);
    this.memory = new wasmApi.Memory({ initial: pages, maximum: pages });
  }

  placed(buffer: number): Placed {
    const found = this.#tables[buffer];
    assert(found !== undefined, "a launch names buffers of its machine");
    return found;
  }

  load(compiled: CompiledKernel, checked?: number): LoadedKernel {
    assert(compiled.paged, "the kernel was compiled for tables of chunks");
    return new LoadedKernel(this, compiled, this.#scratch, { map: 0, list: 0 }, checked);
  }

  page(table: number, chunk: number): number {
    if (this.#used >= this.#buffers.budget) throw new ByteBudgetError("BYTES");
    const found = this.#tables.find(({ base }) => base === table);
    assert(found !== undefined, "kernels know tables of their machine only");
    return this.#bring(found, chunk);
  }

  #bring({ base, buffer }: Table, chunk: number): number {
    const bytes = this.#buffers.chunk(buffer, chunk);
    assert(bytes.length <= CHUNK, "a chunk is not longer than chunks are");
    const slot = this.#slots + this.#used++ * CHUNK;
    new Uint8Array(this.memory.buffer).set(bytes, slot);
    new DataView(this.memory.buffer).setUint32(base + 4 * chunk, slot, true);
    return slot;
  }

  /** Copies bytes of a buffer as they are now. What no block has touched is brought in, from the reserve. */
  read(buffer: number, start: number, target: Uint8Array): void {
    const table = this.#tables[buffer];
    assert(table !== undefined, "a launch names buffers of its machine");
    const view = new DataView(this.memory.buffer);
    for (let done = 0; done < target.length; ) {
      const chunk = Math.floor((start + done) / CHUNK);
      const inside = (start + done) % CHUNK;
      const slot = view.getUint32(table.base + 4 * chunk, true) || this.#bring(table, chunk);
      const bytes = Math.min(CHUNK - inside, target.length - done);
      target.set(new Uint8Array(this.memory.buffer, slot + inside, bytes), done);
      done += bytes;
    }
  }
}
