/** Begins the round of verification that judges what a job's worker has committed. */
import { marketAbi } from "../../interfaces/abi/market.ts";
import type { ModuleCall } from "../module-call.ts";
import { changeJob } from "./change-job.ts";
import { readCommitment } from "./commitment.ts";
import { addToPot, spend } from "./escrow.ts";
import {
  clientOf,
  INPUTS,
  isTask,
  jobWords,
  programOf,
  readHashes,
  readState,
  readTerms,
  wordToHash,
  workerOf,
} from "./job-record.ts";
import { ACTOR, JOB_STATUS, REASON } from "./numbers.ts";
import type { MarketPorts } from "./ports.ts";
import { racersOf } from "./racers.ts";

/** What the seats of one round cost. */
export function roundCost(call: ModuleCall, job: bigint): bigint {
  return readTerms(call, job).seats * jobWords.get(call, "seatFee", job);
}

/** The job has a worker and its commitment. False, and nothing done, if nothing is left to pay verifiers with. */
export function beginRound(call: ModuleCall, { verification }: MarketPorts, job: bigint): boolean {
  const worker = workerOf(call, job)?.worker;
  const cost = roundCost(call, job);
  if (worker === undefined || jobWords.get(call, "verification", job) < cost) return false;
  const terms = readTerms(call, job);
  const state = readState(call, job);
  const checkpoint = jobWords.get(call, "checkpoint", job);
  addToPot(call, job, "verification", -cost);
  spend(call, cost);
  jobWords.add(call, "verified", cost, job);
  const racers = isTask(terms) ? racersOf(call, job, state).map((racer) => racer.worker) : [];
  const round = verification.beginRound(call, {
    job,
    client: clientOf(call, job),
    worker,
    excluded: racers.filter((racer) => racer !== worker),
    program: programOf(call, job),
    inputs: readHashes(call, INPUTS, job),
    segment: Number(state.segment),
    segments: Number(terms.segments),
    commitment: readCommitment(call, job),
    ...(checkpoint > 0n && { startCheckpoint: wordToHash(checkpoint) }),
    seats: Number(terms.seats),
    tier: terms.assurance === 0n ? 0 : 1,
    seatFee: jobWords.get(call, "seatFee", job),
  });
  call.emit(marketAbi, "RoundBegun", { job, round, worker, segment: Number(state.segment) });
  changeJob(
    call,
    job,
    { status: JOB_STATUS.committed, reason: REASON.committed, actor: ACTOR.verifiers, by: 0n },
    { round, attested: 0n, final: 0n },
  );
  return true;
}
