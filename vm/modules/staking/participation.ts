/**
 * Who takes part: each block counts whose votes for its parent it carries, and credits its proposer with their weight.
 * Kept as what was missed, because in a healthy epoch that is little: such a block writes two words, whatever the size
 * of the set. Positions that the set does not have are nobody's and count nothing.
 */
import type { Hex } from "../../../base/bytes.ts";
import { type EmissionSchedule, emissionOfBlock } from "../../../genesis/emission.ts";
import { STAKING_ADDRESS } from "../addresses.ts";
import type { ModuleCall } from "../module-call.ts";
import { fieldSlot, recordSpace, slotOf } from "../storage.ts";
import { activeCount, activeTotalWeight, activeWeight } from "./active-set.ts";
import { packedWord } from "./packed-word.ts";

/** Of the running epoch: blocks whose signers are known, and what those blocks emit. */
const TALLY_SLOT: Hex = slotOf("epoch tally");
const tallyWord = packedWord({ counted: 32, emission: 128 });

/** Eight counters of 32 bits in a word; an epoch has at most 10,000,000 blocks. */
const MISSED_SLOT: Hex = slotOf("missed blocks");
const COUNTERS_PER_WORD = 8;
const COUNTER_BITS = 32;

/** By position: the weight of all votes that the validator has put into blocks. */
const credits = recordSpace("proposer credit", ["weight"]);

export interface Tally {
  readonly counted: bigint;
  readonly emission: bigint;
}

export function epochTally(call: ModuleCall): Tally {
  return tallyWord.unpack(call.in(STAKING_ADDRESS).read(TALLY_SLOT));
}

/** Blocks of the running epoch whose signers are known. */
export function countedBlocks(call: ModuleCall): bigint {
  return epochTally(call).counted;
}

/** How many of them the validator at that position has signed. */
export function signedBlocks(call: ModuleCall, index: number): bigint {
  const word = call.in(STAKING_ADDRESS).read(missedSlot(index));
  return countedBlocks(call) - BigInt.asUintN(COUNTER_BITS, word >> counterShift(index));
}

export function proposerCredit(call: ModuleCall, index: number): bigint {
  return credits.get(call.in(STAKING_ADDRESS), "weight", index);
}

/** The hook of every block. */
export function countSigners(call: ModuleCall, emission: EmissionSchedule): void {
  const { consensus, number } = call.environment;
  if (consensus?.parentSigners === undefined) return;
  const count = activeCount(call);
  const signers = new Set(consensus.parentSigners);
  const absent = Array.from({ length: count }, (_, index) => index).filter((index) => !signers.has(index));
  countMissed(call, absent);
  const tally = epochTally(call);
  const counted = tally.counted + 1n;
  call.write(TALLY_SLOT, tallyWord.pack({ counted, emission: tally.emission + emissionOfBlock(emission, number) }));
  if (consensus.proposer >= count) return;
  const weight = absent.reduce((sum, index) => sum - activeWeight(call, index), activeTotalWeight(call));
  credits.add(call, "weight", weight, consensus.proposer);
}

function countMissed(call: ModuleCall, absent: readonly number[]): void {
  const words = new Map<Hex, bigint>();
  for (const index of absent) {
    const slot = missedSlot(index);
    words.set(slot, (words.get(slot) ?? call.read(slot)) + (1n << counterShift(index)));
  }
  for (const [slot, word] of words) call.write(slot, word);
}

/** For the next epoch, whose set has other positions. */
export function resetParticipation(call: ModuleCall): void {
  const count = activeCount(call);
  for (let index = 0; index < count; index++) {
    if (proposerCredit(call, index) > 0n) credits.set(call, "weight", 0n, index);
    const slot = missedSlot(index);
    if (index % COUNTERS_PER_WORD === 0 && call.read(slot) > 0n) call.write(slot, 0n);
  }
  call.write(TALLY_SLOT, 0n);
}

function missedSlot(index: number): Hex {
  return fieldSlot(MISSED_SLOT, Math.floor(index / COUNTERS_PER_WORD));
}

function counterShift(index: number): bigint {
  return BigInt((index % COUNTERS_PER_WORD) * COUNTER_BITS);
}
