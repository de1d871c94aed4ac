/**
 * A race for a task. Racers seal what they commit to, bound to themselves, and reveal it in a later block; the first seal
 * that is revealed in time is verified first, ties in one block go by the drawn order of places. Whoever holds the race
 * up pays: for a seal that is not revealed, and for a race in which nobody sealed.
 */
import type { Hex } from "../../../base/bytes.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import type { Address } from "../../state/account.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { noteUse } from "../pricing/base-price.ts";
import { releaseCollateral } from "../providers/collateral.ts";
import { recordSettlement } from "../providers/reputation.ts";
import { commitmentLeft } from "../trust-lock/commitments.ts";
import { changeEnd, changeJob } from "./change-job.ts";
import {
  type Commitment,
  checkCommitment,
  clearCommitment,
  sealOf,
  storedForm,
  writeCommitment,
} from "./commitment.ts";
import { ensureDraw } from "./draw.ts";
import { endJob } from "./end-job.ts";
import {
  isTask,
  type JobState,
  jobWords,
  readState,
  readTerms,
  readTimes,
  requireAttempt,
  requireJob,
  setWorker,
  wrongStatus,
} from "./job-record.ts";
import { lockPart, memberKey } from "./locks.ts";
import { endMembership, memberAt, missesOf, setMisses, vacate } from "./members.ts";
import { ACTOR, JOB_STATUS, MEMBER_LEFT, REASON, type Reason } from "./numbers.ts";
import { punishWorker } from "./payments.ts";
import type { MarketPorts } from "./ports.ts";
import {
  changeProgress,
  findRacer,
  type Racer,
  racersOf,
  readRevealed,
  sealOfRacer,
  setSeal,
  writeRevealed,
} from "./racers.ts";
import { beginRound } from "./rounds.ts";
import { addWaiting, findSource, workerLock } from "./sources.ts";

/** Until when racers may seal. */
export function sealBy(call: ModuleCall, job: bigint): bigint {
  const { started, extended } = readTimes(call, job);
  return started + readTerms(call, job).seconds + extended;
}

/** Whether the caller may seal now, in that attempt. */
export function requireSealTurn(
  call: ModuleCall,
  job: bigint,
  attempt: bigint,
): { state: JobState; racer: Racer; now: bigint } {
  const state = requireRace(call, job);
  requireAttempt(job, state, attempt);
  const racer = requireRacer(call, job, state);
  if (sealOfRacer(call, racer) !== 0n) throw revertWith(marketAbi, "AlreadyDone", []);
  const [now, end] = [protocolTime(call), sealBy(call, job)];
  if (now >= end) throw revertWith(marketAbi, "TooLate", [end]);
  return { state, racer, now };
}

export function commitSealed(call: ModuleCall, job: bigint, attempt: bigint, seal: Hex): void {
  const { state, racer, now } = requireSealTurn(call, job, attempt);
  if (BigInt(seal) === 0n) throw revertWith(marketAbi, "BadCommitment", []);
  setSeal(call, racer, seal);
  changeProgress(call, racer, { sealBlock: call.environment.number, sealTime: now });
  setMisses(call, racer.member, 0n);
  call.emit(marketAbi, "Sealed", { job, worker: racer.worker, seal });
  if (state.status === BigInt(JOB_STATUS.assigned))
    changeEnd(call, job, raceEnd(call, job, racersOf(call, job, state)));
}

/** Whether the caller may reveal now. */
export function requireRevealTurn(call: ModuleCall, job: bigint): { state: JobState; racer: Racer } {
  const state = requireRace(call, job);
  const racer = requireRacer(call, job, state);
  if (racer.sealBlock === 0n) throw revertWith(marketAbi, "NoSeal", [job, racer.worker]);
  if (racer.revealed > 0n) throw revertWith(marketAbi, "AlreadyDone", []);
  if (call.environment.number <= racer.sealBlock) throw revertWith(marketAbi, "TooEarly", [racer.sealBlock + 1n]);
  const end = revealBy(call, racer);
  if (protocolTime(call) >= end) throw revertWith(marketAbi, "TooLate", [end]);
  return { state, racer };
}

export function reveal(call: ModuleCall, ports: MarketPorts, job: bigint, commitment: Commitment, nonce: Hex): void {
  const { state, racer } = requireRevealTurn(call, job);
  const seal = sealOf(job, racer.worker, commitment, nonce);
  if (BigInt(seal) !== sealOfRacer(call, racer)) throw revertWith(marketAbi, "SealMismatch", [seal]);
  checkCommitment(call, job, commitment);
  writeRevealed(call, racer, storedForm(commitment));
  changeProgress(call, racer, { revealed: 1n });
  call.emit(marketAbi, "Committed", { job, worker: racer.worker, segment: 0, ...commitment });
  if (state.status === BigInt(JOB_STATUS.assigned)) advanceRace(call, ports, job, REASON.committed);
}

function requireRace(call: ModuleCall, job: bigint): JobState {
  const state = requireJob(call, job);
  if (!isTask(readTerms(call, job))) throw revertWith(marketAbi, "NotATask", [job]);
  const status = Number(state.status);
  if (status !== JOB_STATUS.assigned && status !== JOB_STATUS.committed) throw wrongStatus(job, state);
  return state;
}

function requireRacer(call: ModuleCall, job: bigint, { attempt }: JobState): Racer {
  const { caller } = call.message;
  const racer = findRacer(call, job, attempt, caller);
  if (racer === undefined || racer.released > 0n) throw revertWith(marketAbi, "NotRacer", [job, caller]);
  return racer;
}

function revealBy(call: ModuleCall, { sealTime }: Racer): bigint {
  return sealTime + call.parameters.market.revealSeconds;
}

/** Those that sealed and are still in the race, first seal first; places are in the order that the beacon drew. */
function inOrder(racers: readonly Racer[]): readonly Racer[] {
  return racers
    .filter(({ released, sealBlock }) => released === 0n && sealBlock > 0n)
    .sort((a, b) => (a.sealBlock === b.sealBlock ? Number(a.place - b.place) : a.sealBlock < b.sealBlock ? -1 : 1));
}

/** When the race has to go on by itself: the first of those that sealed must reveal, or somebody must seal. */
export function raceEnd(call: ModuleCall, job: bigint, racers: readonly Racer[]): bigint {
  const head = inOrder(racers)[0];
  return head === undefined ? sealBy(call, job) : revealBy(call, head);
}

/** Goes on with the first that can be verified; or waits; or ends the attempt. `reason` is why something changed. */
export function advanceRace(call: ModuleCall, ports: MarketPorts, job: bigint, reason: Reason): void {
  const now = protocolTime(call);
  const state = readState(call, job);
  for (const racer of racersOf(call, job, state)) {
    const isOverdue = racer.sealBlock > 0n && racer.revealed === 0n && racer.released === 0n;
    if (isOverdue && now >= revealBy(call, racer)) failRacer(call, job, racer, REASON.unrevealed);
  }
  const racers = racersOf(call, job, state);
  const head = inOrder(racers)[0];
  if (head !== undefined && head.revealed > 0n) {
    startRound(call, ports, job, head);
    return;
  }
  const isOver = head === undefined && (now >= sealBy(call, job) || racers.every(({ released }) => released > 0n));
  if (isOver) {
    endAttempt(call, job, racers, reason);
    return;
  }
  const by = raceEnd(call, job, racers);
  if (state.status === BigInt(JOB_STATUS.assigned)) changeEnd(call, job, by);
  else changeJob(call, job, { status: JOB_STATUS.assigned, reason, actor: ACTOR.worker, by }, { round: 0n });
}

function startRound(call: ModuleCall, ports: MarketPorts, job: bigint, head: Racer): void {
  setWorker(call, job, { worker: head.worker, device: head.device });
  writeCommitment(call, job, readRevealed(call, head));
  if (beginRound(call, ports, job)) return;
  releaseAll(call, job);
  setWorker(call, job, undefined);
  endJob(call, job, JOB_STATUS.expired, REASON.verificationSpent);
}

/** Nobody is left who could deliver. Those who never sealed held everybody up. */
function endAttempt(call: ModuleCall, job: bigint, racers: readonly Racer[], reason: Reason): void {
  const isLate = protocolTime(call) >= sealBy(call, job);
  for (const racer of racers) {
    if (racer.released > 0n) continue;
    if (isLate && racer.sealBlock === 0n) failRacer(call, job, racer, REASON.late);
    else releaseRacer(call, job, racer);
  }
  tryAgain(call, job, reason === REASON.committed ? REASON.late : reason);
}

/** Racers are drawn anew, unless the job has had its chances. */
export function tryAgain(call: ModuleCall, job: bigint, reason: Reason): void {
  const { attempt } = readState(call, job);
  const { deadline } = readTimes(call, job);
  const { source } = readTerms(call, job);
  const { maxAttempts, waitSeconds } = call.parameters.market;
  const now = protocolTime(call);
  setWorker(call, job, undefined);
  clearCommitment(call, job);
  if (attempt >= maxAttempts || now >= deadline) {
    endJob(call, job, JOB_STATUS.expired, attempt >= maxAttempts ? REASON.attempts : REASON.deadline);
    return;
  }
  const by = now + waitSeconds < deadline ? now + waitSeconds : deadline;
  changeJob(
    call,
    job,
    { status: JOB_STATUS.open, reason, actor: ACTOR.protocol, by },
    { round: 0n, racers: 0n, final: 0n, traps: 0n },
  );
  addWaiting(call, source, job);
  ensureDraw(call, source);
}

export interface Release {
  /** Its result was accepted: it still answers for it. */
  readonly keepsReserve?: boolean;
  /** It could not have sealed: that is no miss. */
  readonly isExcused?: boolean;
}

/** A racer that did nothing wrong, or lost the race. Without a seal it has missed one more. */
export function releaseRacer(call: ModuleCall, job: bigint, racer: Racer, how: Release = {}): void {
  if (racer.released > 0n) return;
  changeProgress(call, racer, { released: 1n });
  if (how.keepsReserve !== true) releaseCollateral(call, racer.worker, jobWords.get(call, "reserve", job));
  if (racer.sealBlock === 0n && how.isExcused !== true) countMiss(call, racer);
  leaveRace(call, job, racer);
}

/** All that are still in the race. */
export function releaseAll(call: ModuleCall, job: bigint, how: Release = {}): void {
  for (const racer of racersOf(call, job, readState(call, job))) releaseRacer(call, job, racer, how);
}

/** A false result takes lock and collateral; being late or silent a part of the lock. */
export function failRacer(call: ModuleCall, job: bigint, racer: Racer, reason: Reason, catcher?: Address): void {
  changeProgress(call, racer, { failed: 1n, released: 1n });
  const reserve = jobWords.get(call, "reserve", job);
  const { worker, member } = racer;
  const lock = memberKey(worker, member);
  const isWrong = reason !== REASON.late && reason !== REASON.unrevealed;
  const fromLock = isWrong ? commitmentLeft(call, lock) : latePart(call, job);
  if (!isWrong) releaseCollateral(call, worker, reserve);
  const fromCollateral = isWrong ? reserve : 0n;
  // What a client gains when nobody delivers, a client that hides its inputs would like: being late harms nobody.
  punishWorker(call, job, { worker, reason, lock, fromLock, fromCollateral, harmsClient: isWrong, catcher });
  const outcome = isWrong ? "rejected" : "late";
  recordSettlement(call, worker, { outcome, computeUnits: 0n, busySeconds: 0n, earned: 0n });
  // Whoever was accepted before races for something else by now.
  if (racer.released === 0n) leaveRace(call, job, racer);
}

/** A worker whose result nobody could judge: it keeps all that it has. */
export function letGo(call: ModuleCall, job: bigint, racer: Racer): void {
  if (racer.released === 0n) releaseRacer(call, job, racer);
  else releaseCollateral(call, racer.worker, jobWords.get(call, "reserve", job));
}

/** What being late costs a member of the job's source. */
export function latePart(call: ModuleCall, job: bigint): bigint {
  const source = findSource(call, readTerms(call, job).source);
  return source === undefined ? 0n : lockPart(workerLock(call, source), call.parameters.market.lateShare);
}

function countMiss(call: ModuleCall, { member }: Racer): void {
  setMisses(call, member, missesOf(call, member) + 1n);
}

/** The device is idle again, and the price hears for how long it was not. */
function leaveRace(call: ModuleCall, job: bigint, racer: Racer): void {
  const { worker, device, member, drawn, sealTime } = racer;
  const end = sealTime > 0n ? sealTime : protocolTime(call);
  noteUse(call, Number(readTerms(call, job).tier), end > drawn ? end - drawn : 1n);
  const sources = vacate(call, worker, device);
  if (missesOf(call, member) >= call.parameters.market.maxMisses) {
    endMembership(call, memberAt(call, member), MEMBER_LEFT.misses);
  }
  for (const source of sources) ensureDraw(call, source);
}
