/** A demand that nobody has answered: what it costs whom, and what becomes of the job. */
import { marketAbi } from "../../interfaces/abi/market.ts";
import type { ModuleCall } from "../module-call.ts";
import { bidsOf } from "./bids.ts";
import { changeJob } from "./change-job.ts";
import { type Demand, demandAt } from "./demand-record.ts";
import { endDemand, goOn } from "./demands.ts";
import { endJob } from "./end-job.ts";
import { payHeld } from "./escrow.ts";
import { isTask, jobWords, readState, readTerms, workerOf } from "./job-record.ts";
import { bidKey, releaseLock } from "./locks.ts";
import { ACTOR, DEMAND_KIND, DEMAND_STATUS, JOB_STATUS, REASON } from "./numbers.ts";
import { punishClient, punishWorker } from "./payments.ts";
import type { MarketPorts } from "./ports.ts";
import { releaseAll } from "./race.ts";
import { dismiss, releaseWorker } from "./segments.ts";
import { removeWaiting } from "./sources.ts";
import { presentRacer, refuse } from "./tasks.ts";

/** On the agenda, by the demand's number. */
export function onDemandTimer(call: ModuleCall, ports: MarketPorts, id: bigint): void {
  const demand = demandAt(call, id);
  if (demand.status !== DEMAND_STATUS.waits) return;
  const { job, accused, kind, item, chunk, demander, bond } = demand;
  endDemand(call, demand, DEMAND_STATUS.withheld);
  payHeld(call, demander, bond);
  call.emit(marketAbi, "Withheld", { job, accused, kind, item, chunk });
  if (kind === DEMAND_KIND.input) inputWithheld(call, demand);
  else workerWithheld(call, ports, demand);
  goOn(call, ports, job);
}

/** The client's fault, as long as nobody has delivered: whoever did had the input. */
function inputWithheld(call: ModuleCall, { job, demander }: Demand): void {
  const { status, attempt } = readState(call, job);
  const terms = readTerms(call, job);
  if (Number(status) === JOB_STATUS.assigned) {
    if (isTask(terms)) releaseAll(call, job, { isExcused: true });
    else releaseWorker(call, job);
  } else if (Number(status) === JOB_STATUS.open || Number(status) === JOB_STATUS.revealing) {
    if (isTask(terms)) removeWaiting(call, terms.source, job);
    else for (const { bidder } of bidsOf(call, job, attempt)) releaseLock(call, bidKey(bidder, job, attempt));
  } else return;
  punishClient(call, job, REASON.inputWithheld, demander);
  endJob(call, job, JOB_STATUS.rejected, REASON.inputWithheld);
}

/** The fault of the worker that was asked, if the job still rests on its result. */
function workerWithheld(call: ModuleCall, ports: MarketPorts, { job, accused, kind }: Demand): void {
  const status = Number(readState(call, job).status);
  if (workerOf(call, job)?.worker !== accused) return;
  const reason = kind === DEMAND_KIND.output ? REASON.outputWithheld : REASON.checkpointWithheld;
  if (status === JOB_STATUS.settled) takeBack(call, job);
  else if (status !== JOB_STATUS.accepted) return;
  else if (isTask(readTerms(call, job))) refuse(call, ports, job, presentRacer(call, job), reason);
  else dismiss(call, job, reason);
}

/** It was paid already: what is reserved of it makes up for that. */
function takeBack(call: ModuleCall, job: bigint): void {
  const worker = workerOf(call, job)?.worker;
  const fromCollateral = jobWords.get(call, "reserve", job);
  if (worker === undefined || fromCollateral === 0n) return;
  const reason = REASON.outputWithheld;
  jobWords.set(call, "reserve", 0n, job);
  const lock = bidKey(worker, job, readState(call, job).attempt);
  punishWorker(call, job, { worker, reason, lock, fromLock: 0n, fromCollateral, harmsClient: true });
  changeJob(call, job, { status: JOB_STATUS.settled, reason, actor: ACTOR.nobody, by: 0n });
}
