/** A short list of rows of words, read and written as a whole. How long it may get is the caller's business. */
import type { Hex } from "../../../base/bytes.ts";
import type { ModuleCall } from "../module-call.ts";
import { fieldSlot, type StorageKey, slotOf } from "../storage.ts";

export type Row = readonly bigint[];

export interface RowSpace {
  read(call: ModuleCall, ...keys: readonly StorageKey[]): Row[];
  /** `before` is what `read` gave: only what differs is written. */
  replace(call: ModuleCall, before: readonly Row[], after: readonly Row[], ...keys: readonly StorageKey[]): void;
}

export function rowSpace(space: string, width: number): RowSpace {
  const slot = (base: Hex, row: number, column: number): Hex => fieldSlot(base, 1 + row * width + column);
  const columns = Array.from({ length: width }, (_, column) => column);
  return {
    read: (call, ...keys) => {
      const base = slotOf(space, ...keys);
      const length = Number(call.read(base));
      return Array.from({ length }, (_, row) => columns.map((column) => call.read(slot(base, row, column))));
    },
    replace: (call, before, after, ...keys) => {
      const base = slotOf(space, ...keys);
      for (let row = 0; row < Math.max(before.length, after.length); row++) {
        for (const column of columns) {
          const value = after[row]?.[column] ?? 0n;
          if (value !== (before[row]?.[column] ?? 0n)) call.write(slot(base, row, column), value);
        }
      }
      if (before.length !== after.length) call.write(base, BigInt(after.length));
    },
  };
}
