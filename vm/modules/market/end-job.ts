/** How jobs end: what is left goes back to the client, its lock is free again, nobody's turn comes any more. */
import { MARKET_ADDRESS } from "../addresses.ts";
import { schedule } from "../agenda/schedule.ts";
import { protocolTime } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { releaseCollateral } from "../providers/collateral.ts";
import { changeJob } from "./change-job.ts";
import { refundRest } from "./escrow.ts";
import { clientOf, jobWords, readState, workerOf } from "./job-record.ts";
import { clientKey, releaseLock } from "./locks.ts";
import { ACTOR, AGENDA_KIND, type JobStatus, type Reason } from "./numbers.ts";

/** Workers and racers have been dealt with. A tip stays for whoever delivers. */
export function endJob(call: ModuleCall, job: bigint, status: JobStatus, reason: Reason): void {
  refundRest(call, job);
  releaseLock(call, clientKey(clientOf(call, job), job));
  changeJob(call, job, { status, reason, actor: ACTOR.nobody, by: 0n }, { round: 0n, racers: 0n, final: 0n });
}

/** A worker that was paid answers for its outputs for a while longer. */
export function beginLiability(call: ModuleCall, job: bigint): void {
  const due = protocolTime(call) + call.parameters.market.liableSeconds;
  schedule(call, { time: due }, { module: MARKET_ADDRESS, kind: AGENDA_KIND.liability, id: job });
}

/** On the agenda: that time is over. While somebody demands an output, it is not. */
export function endLiability(call: ModuleCall, job: bigint): void {
  if (readState(call, job).demands > 0n) {
    const due = protocolTime(call) + call.parameters.market.answerSeconds;
    schedule(call, { time: due }, { module: MARKET_ADDRESS, kind: AGENDA_KIND.liability, id: job });
    return;
  }
  const worker = workerOf(call, job);
  const reserve = jobWords.get(call, "reserve", job);
  if (worker === undefined || reserve === 0n) return;
  jobWords.set(call, "reserve", 0n, job);
  releaseCollateral(call, worker.worker, reserve);
}
