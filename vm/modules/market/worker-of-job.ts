/** Whose word counts about how far a job is. */
import type { Address } from "../../state/account.ts";
import type { StateReader } from "../../state/reader.ts";
import { MARKET_ADDRESS } from "../addresses.ts";
import { readOnlyCall } from "../read-only-call.ts";
import { readState, workerOf } from "./job-record.ts";
import { JOB_STATUS } from "./numbers.ts";
import { findRacer } from "./racers.ts";

/**
 * `working`: the account computes that segment now. `other`: others do. `idle`: nobody does, as far as this state knows;
 * a state that is older or newer may know more.
 */
export type WorkingOn = "working" | "other" | "idle";

export function workingOn(state: StateReader, job: bigint, segment: number, account: Address): WorkingOn {
  const call = readOnlyCall(MARKET_ADDRESS, state);
  const { status, segment: current, attempt, racers } = readState(call, job);
  if (Number(status) !== JOB_STATUS.assigned || Number(current) !== segment) return "idle";
  const isWorker =
    racers > 0n ? findRacer(call, job, attempt, account) !== undefined : workerOf(call, job)?.worker === account;
  return isWorker ? "working" : "other";
}
