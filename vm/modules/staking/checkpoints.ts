/**
 * What a number was at the beginning of each epoch, written only when it changes: a change counts from the next epoch
 * on. Looking one up is a binary search, so that votes cost the same however many there are who never vote.
 */
import type { Hex } from "../../../base/bytes.ts";
import { currentEpoch } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { fieldSlot, type StorageKey, slotOf } from "../storage.ts";
import { packedWord } from "./packed-word.ts";

/** 2^40 epochs of a second are 35,000 years. */
const entryWord = packedWord({ value: 216, epoch: 40 });

/**
 * What setting costs, always: two reads and two fresh words. Only the first change in an epoch needs them all, but what a
 * wallet estimates in one epoch has to be enough in the next.
 */
const SET_GAS = 48_400n;

export interface CheckpointSpace {
  set(call: ModuleCall, value: bigint, ...keys: readonly StorageKey[]): void;
  /** At the beginning of the epoch; what it is now if the epoch is still to come. */
  at(call: ModuleCall, epoch: bigint, ...keys: readonly StorageKey[]): bigint;
}

export function checkpointSpace(space: string): CheckpointSpace {
  const entry = (call: ModuleCall, base: Hex, position: number) =>
    entryWord.unpack(call.read(fieldSlot(base, position)));
  return {
    set: (call, value, ...keys) => {
      const before = call.gasUsed;
      const base = slotOf(space, ...keys);
      const count = Number(call.read(base));
      const epoch = firstEpochOf(call);
      const isOver = count === 0 || entry(call, base, count).epoch < epoch;
      const position = isOver ? count + 1 : count;
      call.write(fieldSlot(base, position), entryWord.pack({ value, epoch }));
      if (isOver) call.write(base, BigInt(position));
      call.charge(SET_GAS - (call.gasUsed - before));
    },
    at: (call, epoch, ...keys) => {
      const base = slotOf(space, ...keys);
      // Entries 1 to `low` are of that epoch or before, those above `high` are of later ones.
      let low = 0;
      let high = Number(call.read(base));
      // Nearly always the last one is asked for.
      if (high > 0 && entry(call, base, high).epoch <= epoch) low = high;
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (entry(call, base, middle).epoch <= epoch) low = middle;
        else high = middle - 1;
      }
      return low === 0 ? 0n : entry(call, base, low).value;
    },
  };
}

/** The first epoch that begins with what is written now. Genesis is before all of them. */
function firstEpochOf(call: ModuleCall): bigint {
  return call.environment.number === 0n ? 0n : currentEpoch(call) + 1n;
}
