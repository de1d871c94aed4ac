/** Every step of a job goes through here: its status, whose turn it is and until when, the lists, the agenda, the log. */
import { marketAbi } from "../../interfaces/abi/market.ts";
import { MARKET_ADDRESS } from "../addresses.ts";
import { cancel, schedule } from "../agenda/schedule.ts";
import { protocolTime } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { type ListSpace, listSpace } from "../storage.ts";
import { changeTimes, type JobState, readState, writeState } from "./job-record.ts";
import { type Actor, AGENDA_KIND, isLive, type JobStatus, type Reason } from "./numbers.ts";

/** Jobs that are not over, by status. */
export const jobsByStatus: ListSpace = listSpace("jobs by status");

export interface JobStep {
  readonly status: JobStatus;
  readonly reason: Reason;
  readonly actor: Actor;
  /** Protocol time at which the state ends by itself; 0 when a round decides. */
  readonly by: bigint;
}

/** `rest` are other parts of its state that change with it. */
export function changeJob(call: ModuleCall, job: bigint, step: JobStep, rest: Partial<JobState> = {}): void {
  const before = readState(call, job);
  const [status, reason, actor] = [BigInt(step.status), BigInt(step.reason), BigInt(step.actor)];
  writeState(call, job, { ...before, ...rest, status, reason, actor, by: step.by });
  if (status !== before.status) {
    if (isLive(Number(before.status))) jobsByStatus.remove(call, job, before.status);
    if (isLive(step.status)) jobsByStatus.add(call, job, status);
    else changeTimes(call, job, { ended: protocolTime(call) });
  }
  wakeAt(call, job, isLive(step.status) ? step.by : 0n);
  call.emit(marketAbi, "JobChanged", { job, ...step });
}

/** The same status for longer, or for less. */
export function changeEnd(call: ModuleCall, job: bigint, by: bigint): void {
  writeState(call, job, { ...readState(call, job), by });
  wakeAt(call, job, by);
}

function wakeAt(call: ModuleCall, job: bigint, by: bigint): void {
  const entry = { module: MARKET_ADDRESS, kind: AGENDA_KIND.job, id: job };
  if (by > 0n) schedule(call, { time: by }, entry);
  else cancel(call, entry);
}
