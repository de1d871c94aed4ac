/** What a client decides about its running job: more money, less, or an end. */
import { marketAbi } from "../../interfaces/abi/market.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { bidsOf } from "./bids.ts";
import { endJob } from "./end-job.ts";
import { addToPot, hold, refund } from "./escrow.ts";
import {
  isTask,
  type JobState,
  jobWords,
  readTerms,
  requireClient,
  requireJob,
  writeState,
  wrongStatus,
} from "./job-record.ts";
import { bidKey, releaseLock } from "./locks.ts";
import { isLive, JOB_STATUS, REASON } from "./numbers.ts";
import { payElapsed, promisedPrice, releaseWorker, requireAuctionJob } from "./segments.ts";
import { endWaiting } from "./tasks.ts";

function requireOwnLiveJob(call: ModuleCall, job: bigint): JobState {
  const state = requireAuctionJob(call, job);
  requireClient(call, job);
  if (!isLive(Number(state.status))) throw wrongStatus(job, state);
  return state;
}

export function raiseBudget(call: ModuleCall, job: bigint): void {
  const { value } = call.message;
  requireOwnLiveJob(call, job);
  if (value === 0n) throw revertWith(marketAbi, "NotEnoughSent", [0n, 1n]);
  hold(call, value);
  addToPot(call, job, "budget", value);
  call.emit(marketAbi, "BudgetChanged", { job, budget: jobWords.get(call, "budget", job) });
}

export function capBudget(call: ModuleCall, job: bigint, budget: bigint): void {
  requireOwnLiveJob(call, job);
  const [now, least] = [jobWords.get(call, "budget", job), promisedPrice(call, job)];
  if (budget < least) throw revertWith(marketAbi, "BudgetTooLow", [budget, least]);
  if (budget > now) throw revertWith(marketAbi, "OutOfRange", ["budget", budget, least, now]);
  addToPot(call, job, "budget", budget - now);
  refund(call, job, now - budget);
  call.emit(marketAbi, "BudgetChanged", { job, budget });
}

export function cancelJob(call: ModuleCall, job: bigint): void {
  const state = requireJob(call, job);
  requireClient(call, job);
  const status = Number(state.status);
  if (isTask(readTerms(call, job))) {
    if (status !== JOB_STATUS.open) throw wrongStatus(job, state);
    endWaiting(call, job, JOB_STATUS.cancelled, REASON.cancelled);
    return;
  }
  if (!isLive(status)) throw wrongStatus(job, state);
  if (status === JOB_STATUS.committed || status === JOB_STATUS.accepted) {
    if (state.cancelling > 0n) throw revertWith(marketAbi, "CancelPending", [job]);
    writeState(call, job, { ...state, cancelling: 1n });
    call.emit(marketAbi, "CancelRequested", { job });
    return;
  }
  if (status === JOB_STATUS.assigned) {
    payElapsed(call, job);
    releaseWorker(call, job);
  } else {
    for (const { bidder } of bidsOf(call, job, state.attempt)) releaseLock(call, bidKey(bidder, job, state.attempt));
  }
  endJob(call, job, JOB_STATUS.cancelled, REASON.cancelled);
}
