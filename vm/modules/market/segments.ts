/**
 * Segments of an auction job: each is committed, verified, and paid when it is final and the client holds the state after
 * it, or had the time to ask for it. A worker that is silent or wrong loses the job, which goes on from the last segment
 * that was paid.
 */

import { marketAbi } from "../../interfaces/abi/market.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { MARKET_ADDRESS } from "../addresses.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { releaseCollateral, takeReserved } from "../providers/collateral.ts";
import { recordSettlement } from "../providers/reputation.ts";
import { commitmentLeft } from "../trust-lock/commitments.ts";
import type { DecidedRound } from "../verification/round-types.ts";
import { auctionAgain, award, closeBidding, promisedForSegment, segmentWindow } from "./auction.ts";
import { changeEnd, changeJob } from "./change-job.ts";
import { type Commitment, checkCommitment, clearCommitment, storedForm, writeCommitment } from "./commitment.ts";
import { beginLiability, endJob } from "./end-job.ts";
import { addToPot, hold } from "./escrow.ts";
import {
  changeTimes,
  clientOf,
  isTask,
  type JobState,
  jobWords,
  readState,
  readTerms,
  readTimes,
  requireClient,
  requireJob,
  setWorker,
  workerOf,
  writeState,
  wrongStatus,
} from "./job-record.ts";
import { bidKey, releaseLock } from "./locks.ts";
import { ACTOR, JOB_STATUS, REASON, type Reason } from "./numbers.ts";
import { payUnverified, payVerified, punishClient, punishWorker } from "./payments.ts";
import type { MarketPorts } from "./ports.ts";
import { beginRound } from "./rounds.ts";

export function requireAuctionJob(call: ModuleCall, job: bigint): JobState {
  const state = requireJob(call, job);
  if (isTask(readTerms(call, job))) throw revertWith(marketAbi, "NotAnAuction", [job]);
  return state;
}

/** Of the price, in equal parts of what the worker took on, rounded so that they sum to it. */
export function segmentPrice(call: ModuleCall, job: bigint): bigint {
  const price = jobWords.get(call, "price", job);
  const { first } = readTimes(call, job);
  const count = readTerms(call, job).segments - first;
  const index = readState(call, job).segment - first;
  return (price * (index + 1n)) / count - (price * index) / count;
}

/** What is promised to the worker for the segments that are not paid. */
export function promisedPrice(call: ModuleCall, job: bigint): bigint {
  if (workerOf(call, job) === undefined) return 0n;
  const price = jobWords.get(call, "price", job);
  const { first } = readTimes(call, job);
  const count = readTerms(call, job).segments - first;
  return price - (price * (readState(call, job).segment - first)) / count;
}

/** Whether the caller may commit that segment now; gives the time. */
export function requireSegmentTurn(call: ModuleCall, job: bigint, segment: number): bigint {
  const state = requireAuctionJob(call, job);
  if (Number(state.status) !== JOB_STATUS.assigned) throw wrongStatus(job, state);
  const worker = presentWorker(call, job);
  if (call.message.caller !== worker) throw revertWith(marketAbi, "NotWorker", [worker]);
  if (BigInt(segment) !== state.segment) {
    throw revertWith(marketAbi, "WrongSegment", [segment, Number(state.segment)]);
  }
  const now = protocolTime(call);
  if (now >= state.by) throw revertWith(marketAbi, "TooLate", [state.by]);
  return now;
}

export function commitSegment(
  call: ModuleCall,
  ports: MarketPorts,
  job: bigint,
  segment: number,
  commitment: Commitment,
): void {
  const now = requireSegmentTurn(call, job, segment);
  const worker = call.message.caller;
  checkCommitment(call, job, commitment);
  writeCommitment(call, job, storedForm(commitment));
  changeTimes(call, job, { worked: now - readTimes(call, job).started });
  call.emit(marketAbi, "Committed", { job, worker, segment, ...commitment });
  if (beginRound(call, ports, job)) return;
  releaseWorker(call, job);
  endJob(call, job, JOB_STATUS.expired, REASON.verificationSpent);
}

function presentWorker(call: ModuleCall, job: bigint): Address {
  return workerOf(call, job)?.worker ?? wordToAddress(0n);
}

/** The present state has lasted as long as it may. */
export function onAuctionTimer(call: ModuleCall, ports: MarketPorts, job: bigint): void {
  const { status, demands } = readState(call, job);
  if (Number(status) === JOB_STATUS.open) closeBidding(call, job);
  else if (Number(status) === JOB_STATUS.revealing) award(call, job);
  else if (Number(status) === JOB_STATUS.assigned) dismiss(call, job, REASON.late);
  else if (Number(status) !== JOB_STATUS.accepted) return;
  else if (demands > 0n) changeEnd(call, job, protocolTime(call) + call.parameters.market.answerSeconds);
  else payAndGoOn(call, ports, job);
}

function isLast(call: ModuleCall, job: bigint): boolean {
  return readState(call, job).segment + 1n === readTerms(call, job).segments;
}

export function onSegmentAccepted(call: ModuleCall, job: bigint, { programTrapped }: DecidedRound): void {
  const actor = isLast(call, job) || programTrapped ? ACTOR.verifiers : ACTOR.client;
  changeJob(
    call,
    job,
    { status: JOB_STATUS.accepted, reason: REASON.verified, actor, by: 0n },
    { traps: programTrapped ? 1n : 0n },
  );
}

/** Nothing can change it any more. */
export function onSegmentFinal(call: ModuleCall, ports: MarketPorts, job: bigint): void {
  const state = readState(call, job);
  const isEnd = state.traps > 0n || isLast(call, job);
  if (state.demands === 0n && (isEnd || state.attested > 0n)) {
    payAndGoOn(call, ports, job);
    return;
  }
  if (isEnd) {
    writeState(call, job, { ...state, final: 1n });
    return;
  }
  const by = protocolTime(call) + call.parameters.market.attestSeconds;
  const step = { status: JOB_STATUS.accepted, reason: REASON.unattested, actor: ACTOR.client, by };
  changeJob(call, job, step, { final: 1n });
}

/** By the client or whom it named. */
export function attestCheckpoint(call: ModuleCall, ports: MarketPorts, job: bigint, segment: number): void {
  const { caller } = call.message;
  const state = requireAuctionJob(call, job);
  const client = clientOf(call, job);
  if (caller !== client && addressToWord(caller) !== jobWords.get(call, "holder", job)) {
    throw revertWith(marketAbi, "NotClient", [client]);
  }
  if (Number(state.status) !== JOB_STATUS.accepted) throw wrongStatus(job, state);
  if (BigInt(segment) !== state.segment) throw revertWith(marketAbi, "WrongSegment", [segment, Number(state.segment)]);
  if (state.attested > 0n) throw revertWith(marketAbi, "AlreadyDone", []);
  writeState(call, job, { ...state, attested: 1n });
  call.emit(marketAbi, "CheckpointAttested", { job, segment, by: caller });
  if (state.final > 0n && state.demands === 0n) payAndGoOn(call, ports, job);
}

export function setHolder(call: ModuleCall, job: bigint, holder: Address): void {
  requireAuctionJob(call, job);
  requireClient(call, job);
  jobWords.set(call, "holder", addressToWord(holder), job);
}

/** Pays the segment that is final; then the next one begins, or the job is over. */
export function payAndGoOn(call: ModuleCall, ports: MarketPorts, job: bigint): void {
  const worker = presentWorker(call, job);
  const { traps, cancelling, segment } = readState(call, job);
  payVerified(call, ports, job, worker, segmentPrice(call, job), readTimes(call, job).worked);
  if (traps > 0n || isLast(call, job)) {
    if (traps > 0n) punishClient(call, job, REASON.programTraps, worker);
    releaseLock(call, bidKey(worker, job, readState(call, job).attempt));
    beginLiability(call, job);
    endJob(call, job, JOB_STATUS.settled, traps > 0n ? REASON.programTraps : REASON.paid);
    return;
  }
  jobWords.set(call, "checkpoint", jobWords.get(call, "checkpointRoot", job), job);
  clearCommitment(call, job);
  const now = protocolTime(call);
  if (cancelling > 0n || now >= readTimes(call, job).deadline) {
    releaseWorker(call, job);
    if (cancelling > 0n) endJob(call, job, JOB_STATUS.cancelled, REASON.cancelled);
    else endJob(call, job, JOB_STATUS.expired, REASON.deadline);
    return;
  }
  changeTimes(call, job, { started: now });
  const step = { status: JOB_STATUS.assigned, reason: REASON.segmentPaid, actor: ACTOR.worker };
  const by = now + segmentWindow(call, job);
  changeJob(call, job, { ...step, by }, { segment: segment + 1n, round: 0n, attested: 0n, final: 0n });
}

/** Found false for good, or nothing found. */
export function onSegmentRejected(call: ModuleCall, ports: MarketPorts, job: bigint, decided: DecidedRound): void {
  const { guilty, catcher } = decided;
  if (guilty === "worker") {
    dismiss(call, job, REASON.wrong, catcher);
    return;
  }
  const worker = presentWorker(call, job);
  if (guilty === "program") {
    payVerified(call, ports, job, worker, segmentPrice(call, job), readTimes(call, job).worked);
    punishClient(call, job, REASON.programTraps, worker);
  }
  releaseWorker(call, job);
  clearCommitment(call, job);
  if (guilty === "program") endJob(call, job, JOB_STATUS.rejected, REASON.programTraps);
  else auctionAgain(call, job, REASON.undecided);
}

/** The worker has done nothing wrong: lock and collateral are its own again. It stays named if the job ends with it. */
export function releaseWorker(call: ModuleCall, job: bigint): void {
  const worker = presentWorker(call, job);
  releaseLock(call, bidKey(worker, job, readState(call, job).attempt));
  const reserve = jobWords.get(call, "reserve", job);
  jobWords.set(call, "reserve", 0n, job);
  releaseCollateral(call, worker, reserve);
}

/** The worker loses the job: its lock, the gap to the next bid, and if it was not just late all that is reserved. */
export function dismiss(call: ModuleCall, job: bigint, reason: Reason, catcher?: Address): void {
  const worker = presentWorker(call, job);
  const lock = bidKey(worker, job, readState(call, job).attempt);
  const reserve = jobWords.get(call, "reserve", job);
  const isLate = reason === REASON.late;
  const gap = isLate && isHeir(call, job) ? 0n : gapLeft(call, job, reserve);
  if (gap > 0n) {
    takeReserved(call, worker, gap, reason, MARKET_ADDRESS);
    hold(call, gap);
    addToPot(call, job, "budget", gap);
  }
  const fromCollateral = isLate ? 0n : reserve - gap;
  const fromLock = commitmentLeft(call, lock);
  punishWorker(call, job, { worker, reason, lock, fromLock, fromCollateral, harmsClient: !isLate, catcher });
  jobWords.set(call, "reserve", 0n, job);
  if (isLate) releaseCollateral(call, worker, reserve - gap);
  const outcome = isLate ? "late" : "rejected";
  recordSettlement(call, worker, { outcome, computeUnits: 0n, busySeconds: 0n, earned: 0n });
  setWorker(call, job, undefined);
  clearCommitment(call, job);
  auctionAgain(call, job, reason);
}

/**
 * It has begun from the state that another left, and delivered nothing yet. The client holds that state: would it gain by an
 * heir that is late, it could hide it.
 */
function isHeir(call: ModuleCall, job: bigint): boolean {
  const { segment } = readState(call, job);
  return segment > 0n && segment === readTimes(call, job).first;
}

/** Of the gap, in proportion to what is not done. */
function gapLeft(call: ModuleCall, job: bigint, reserve: bigint): bigint {
  const { first } = readTimes(call, job);
  const { segments } = readTerms(call, job);
  const left = segments - readState(call, job).segment;
  const gap = (jobWords.get(call, "gap", job) * left) / (segments - first);
  return gap < reserve ? gap : reserve;
}

/** The client ends the job while its worker computes: that time is paid, in proportion to what was promised. */
export function payElapsed(call: ModuleCall, job: bigint): void {
  const worker = presentWorker(call, job);
  const promised = promisedForSegment(call, job);
  const elapsed = protocolTime(call) - readTimes(call, job).started;
  const counted = elapsed < promised ? elapsed : promised;
  payUnverified(call, job, worker, (segmentPrice(call, job) * counted) / promised);
}
