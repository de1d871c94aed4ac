/**
 * Proposals that are open, and when each moves on: at the end of its voting or of its time lock. There are at most
 * `maxOpenProposals`.
 */

import { GOVERNANCE_ADDRESS } from "../addresses.ts";
import { cancel, schedule as scheduleWork } from "../agenda/schedule.ts";
import type { ModuleCall } from "../module-call.ts";
import { listSpace } from "../storage.ts";

/** The kind of work on the agenda; the number is the proposal's. */
export const MOVE_ON = 1;

const open = listSpace("open");

export function openCount(call: ModuleCall): number {
  return open.length(call);
}

export function openAt(call: ModuleCall, index: number): bigint {
  return open.at(call, index);
}

export function schedule(call: ModuleCall, id: bigint, due: bigint): void {
  open.add(call, id);
  scheduleWork(call, { time: due }, { module: GOVERNANCE_ADDRESS, kind: MOVE_ON, id });
}

/** The proposal is settled. */
export function unschedule(call: ModuleCall, id: bigint): void {
  open.remove(call, id);
  cancel(call, { module: GOVERNANCE_ADDRESS, kind: MOVE_ON, id });
}
