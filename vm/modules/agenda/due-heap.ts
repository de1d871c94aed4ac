/**
 * Words in slots, the smallest first: a binary heap. Adding and taking touches as many slots as the heap has levels; what is
 * due later than everything else, as most deadlines are, touches none but its own. Beside each word is where it is, so
 * that it can be removed.
 */
import type { Hex } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import type { ModuleCall } from "../module-call.ts";
import { fieldSlot, slotOf } from "../storage.ts";

export class DueHeap {
  readonly #base: Hex;
  readonly #moved: (call: ModuleCall, word: bigint, position: number | undefined) => void;

  /** `moved` keeps where a word is, and is told `undefined` when it is gone. */
  constructor(space: string, moved: (call: ModuleCall, word: bigint, position: number | undefined) => void) {
    this.#base = slotOf(space);
    this.#moved = moved;
  }

  size(call: ModuleCall): number {
    return Number(call.read(this.#base));
  }

  at(call: ModuleCall, position: number): bigint {
    return call.read(fieldSlot(this.#base, position + 1));
  }

  /** The smallest; 0 when there is none. */
  first(call: ModuleCall): bigint {
    return this.at(call, 0);
  }

  add(call: ModuleCall, word: bigint): void {
    const size = this.size(call);
    call.write(this.#base, BigInt(size + 1));
    this.#rise(call, size, word);
  }

  remove(call: ModuleCall, position: number): void {
    const last = this.size(call) - 1;
    assert(position >= 0 && position <= last, "what is removed is there");
    const removed = this.at(call, position);
    const filler = this.at(call, last);
    call.write(fieldSlot(this.#base, last + 1), 0n);
    call.write(this.#base, BigInt(last));
    this.#moved(call, removed, undefined);
    if (position === last) return;
    if (filler < removed) this.#rise(call, position, filler);
    else this.#sink(call, position, filler, last);
  }

  #rise(call: ModuleCall, from: number, word: bigint): void {
    let position = from;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      const above = this.at(call, parent);
      if (above <= word) break;
      this.#put(call, position, above);
      position = parent;
    }
    this.#put(call, position, word);
  }

  #sink(call: ModuleCall, from: number, word: bigint, size: number): void {
    let position = from;
    for (;;) {
      const left = 2 * position + 1;
      if (left >= size) break;
      const right = left + 1;
      const isRight = right < size && this.at(call, right) < this.at(call, left);
      const child = isRight ? right : left;
      const below = this.at(call, child);
      if (below >= word) break;
      this.#put(call, position, below);
      position = child;
    }
    this.#put(call, position, word);
  }

  #put(call: ModuleCall, position: number, word: bigint): void {
    call.write(fieldSlot(this.#base, position + 1), word);
    this.#moved(call, word, position);
  }
}
