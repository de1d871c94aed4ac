/** What of a round is on the agenda: the block of its next draw, and the time at which its phase ends. */
import { VERIFICATION_ADDRESS } from "../addresses.ts";
import { type AgendaEntry, cancel, schedule } from "../agenda/schedule.ts";
import type { ModuleCall } from "../module-call.ts";

/** Kinds of work of this module. The referee's own begin at 16. */
export const WORK = { draw: 1, deadline: 2, canary: 3 } as const;

function entry(kind: number, id: bigint): AgendaEntry {
  return { module: VERIFICATION_ADDRESS, kind, id };
}

export function drawAtBlock(own: ModuleCall, round: bigint, block: bigint): void {
  schedule(own, { block }, entry(WORK.draw, round));
}

export function endPhaseAt(own: ModuleCall, round: bigint, time: bigint): void {
  schedule(own, { time }, entry(WORK.deadline, round));
}

export function forgetDeadline(own: ModuleCall, round: bigint): void {
  cancel(own, entry(WORK.deadline, round));
}
