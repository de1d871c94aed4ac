/** Pool tasks: how they come, and what becomes of them when their round is decided. */
import type { Hex } from "../../../base/bytes.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord } from "../address-word.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import type { DecidedRound } from "../verification/round-types.ts";
import { type Callback, checkCallback, writeCallback } from "./callback.ts";
import { changeJob } from "./change-job.ts";
import { clearCommitment } from "./commitment.ts";
import { ensureDraw } from "./draw.ts";
import { beginLiability, endJob } from "./end-job.ts";
import { hold, returnExcess } from "./escrow.ts";
import { addToClientList } from "./job-lists.ts";
import {
  changeTimes,
  INPUTS,
  jobWords,
  nextJob,
  readState,
  readTerms,
  setWorker,
  workerOf,
  writeHashes,
  writeState,
  writeTerms,
} from "./job-record.ts";
import { clientKey, setAside } from "./locks.ts";
import { ACTOR, JOB_STATUS, REASON, type Reason } from "./numbers.ts";
import { payVerified, punishClient } from "./payments.ts";
import type { MarketPorts } from "./ports.ts";
import { advanceRace, failRacer, letGo, releaseAll, releaseRacer, tryAgain } from "./race.ts";
import { findRacer, type Racer } from "./racers.ts";
import { addWaiting, countTask, quoteTask, removeWaiting, requireOpenSource, requireProgram } from "./sources.ts";

export function submitTask(call: ModuleCall, sourceId: bigint, inputs: readonly Hex[], callback: Callback): bigint {
  const { caller: client, value } = call.message;
  const source = requireOpenSource(call, sourceId);
  checkInputs(inputs, requireProgram(call, source.program).inputs.length);
  checkCallback(callback);
  const { price, verification, lock } = quoteTask(call, source);
  if (source.maxPrice > 0n && price > source.maxPrice) {
    throw revertWith(marketAbi, "PriceAboveCap", [price, source.maxPrice]);
  }
  const cost = price + verification + callback.tip;
  if (value < cost) throw revertWith(marketAbi, "NotEnoughSent", [value, cost]);
  const job = nextJob(call);
  returnExcess(call, cost + setAside(call, clientKey(client, job), lock, value - cost));
  hold(call, cost);
  jobWords.set(call, "client", addressToWord(client), job);
  jobWords.set(call, "program", BigInt(source.program), job);
  jobWords.set(call, "budget", price, job);
  jobWords.set(call, "price", price, job);
  jobWords.set(call, "verification", verification, job);
  jobWords.set(call, "seatFee", call.parameters.market.seatFee, job);
  jobWords.set(call, "reserve", source.collateral > price ? source.collateral : price, job);
  writeHashes(call, inputs, INPUTS, job);
  writeCallback(call, job, callback);
  addToClientList(call, client, job);
  countTask(call, sourceId);
  const { waitSeconds, maxAttempts, revealSeconds } = call.parameters.market;
  const now = protocolTime(call);
  writeTerms(call, job, {
    source: sourceId,
    created: now,
    segments: 1n,
    seats: BigInt(source.seats),
    tier: BigInt(source.tier),
    assurance: BigInt(source.assurance),
    seconds: source.taskSeconds,
    bidSeconds: 0n,
    racers: BigInt(source.racers),
  });
  changeTimes(call, job, { deadline: now + waitSeconds + maxAttempts * (source.taskSeconds + revealSeconds) });
  call.emit(marketAbi, "TaskSubmitted", { job, source: sourceId, client, price, verification });
  changeJob(call, job, {
    status: JOB_STATUS.open,
    reason: REASON.posted,
    actor: ACTOR.protocol,
    by: now + waitSeconds,
  });
  addWaiting(call, sourceId, job);
  ensureDraw(call, sourceId);
  return job;
}

/** Reverts with WrongCount. */
export function checkInputs(inputs: readonly Hex[], expected: number): void {
  if (inputs.length !== expected) throw revertWith(marketAbi, "WrongCount", [BigInt(inputs.length), BigInt(expected)]);
}

/** Its time in the present state is over. */
export function onTaskTimer(call: ModuleCall, ports: MarketPorts, job: bigint): void {
  const status = Number(readState(call, job).status);
  if (status === JOB_STATUS.open) endWaiting(call, job, JOB_STATUS.expired, REASON.noRacers);
  else if (status === JOB_STATUS.assigned) advanceRace(call, ports, job, REASON.late);
}

/** A task that waits for racers ends: nobody has done anything for it. */
export function endWaiting(call: ModuleCall, job: bigint, status: 8 | 9, reason: Reason): void {
  removeWaiting(call, readTerms(call, job).source, job);
  endJob(call, job, status, reason);
}

/** Found true, though it may still be challenged: the others have lost the race, and the worker's device is free. */
export function onTaskAccepted(call: ModuleCall, job: bigint, { programTrapped }: DecidedRound): void {
  const winner = presentRacer(call, job);
  if (winner !== undefined) releaseRacer(call, job, winner, { keepsReserve: true });
  releaseAll(call, job);
  changeJob(
    call,
    job,
    { status: JOB_STATUS.accepted, reason: REASON.verified, actor: ACTOR.verifiers, by: 0n },
    { traps: programTrapped ? 1n : 0n },
  );
}

/** Nothing can change it any more. While an output is demanded, the payment waits. */
export function onTaskFinal(call: ModuleCall, ports: MarketPorts, job: bigint): void {
  const state = readState(call, job);
  if (state.demands > 0n) writeState(call, job, { ...state, final: 1n });
  else settleTask(call, ports, job, JOB_STATUS.settled, state.traps > 0n ? REASON.programTraps : REASON.paid);
}

/** Pays the worker. A program that traps has cost the client its lock, whatever the worker committed. */
function settleTask(call: ModuleCall, ports: MarketPorts, job: bigint, status: 6 | 7, reason: Reason): void {
  const winner = presentRacer(call, job);
  const worker = workerOf(call, job)?.worker;
  if (worker !== undefined) {
    const busy = winner === undefined ? 0n : winner.sealTime - winner.drawn;
    payVerified(call, ports, job, worker, jobWords.get(call, "price", job), busy);
    if (reason === REASON.programTraps) punishClient(call, job, reason, worker);
    beginLiability(call, job);
  }
  endJob(call, job, status, reason);
}

/** Found false for good, or nothing found. The next racer takes the place, or racers are drawn anew. */
export function onTaskRejected(call: ModuleCall, ports: MarketPorts, job: bigint, decided: DecidedRound): void {
  const { guilty, catcher } = decided;
  const racer = presentRacer(call, job);
  if (guilty === "program") {
    if (racer !== undefined) releaseRacer(call, job, racer, { keepsReserve: true });
    releaseAll(call, job);
    settleTask(call, ports, job, JOB_STATUS.rejected, REASON.programTraps);
    return;
  }
  const reason = guilty === "worker" ? REASON.wrong : REASON.undecided;
  refuse(call, ports, job, racer, reason, catcher);
}

/** The present worker's result does not count: for `reason` it is punished, but for being undecided. */
export function refuse(
  call: ModuleCall,
  ports: MarketPorts,
  job: bigint,
  racer: Racer | undefined,
  reason: Reason,
  catcher?: Address,
): void {
  const wasAccepted = Number(readState(call, job).status) === JOB_STATUS.accepted;
  if (racer !== undefined && reason !== REASON.undecided) failRacer(call, job, racer, reason, catcher);
  else if (racer !== undefined) letGo(call, job, racer);
  setWorker(call, job, undefined);
  clearCommitment(call, job);
  if (wasAccepted) tryAgain(call, job, reason);
  else advanceRace(call, ports, job, reason);
}

/** Of the worker that is verified now. */
export function presentRacer(call: ModuleCall, job: bigint): Racer | undefined {
  const worker = workerOf(call, job);
  return worker === undefined ? undefined : findRacer(call, job, readState(call, job).attempt, worker.worker);
}
