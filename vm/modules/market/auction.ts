/**
 * Auctions: a job is posted, sealed bids come, are revealed, and the best score wins. A job whose worker defaults is
 * auctioned again from its last checkpoint, as long as it has time and chances.
 */
import type { Hex } from "../../../base/bytes.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord } from "../address-word.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { quote } from "../pricing/base-price.ts";
import { type ProgramSummary, programSummary } from "../programs/program-store.ts";
import { collateralOf, isAvailable, reserveCollateral } from "../providers/collateral.ts";
import { deviceAt, deviceCount } from "../providers/devices.ts";
import { MAX_TIER } from "../providers/limits.ts";
import { reputationOf } from "../providers/reputation.ts";
import { addBid, type Bid, bidCount, bidsOf, findBid, revealedCount, revealOfBid } from "./bids.ts";
import { type Callback, checkCallback, writeCallback } from "./callback.ts";
import { changeJob } from "./change-job.ts";
import { bidSealOf, type RevealedBid } from "./commitment.ts";
import { endJob } from "./end-job.ts";
import { addToPot, hold, returnExcess } from "./escrow.ts";
import { addToClientList, addToWorkerList } from "./job-lists.ts";
import {
  changeTimes,
  INPUTS,
  isTask,
  type JobState,
  jobWords,
  nextJob,
  programOf,
  readState,
  readTerms,
  readTimes,
  requireAttempt,
  requireJob,
  setWorker,
  writeHashes,
  writeTerms,
  wrongStatus,
} from "./job-record.ts";
import { MAX_SECONDS, MAX_SEGMENTS, MOST_MONEY } from "./limits.ts";
import { bidKey, breachLock, clientKey, lockPart, releaseLock, setAside } from "./locks.ts";
import { ACTOR, JOB_STATUS, REASON, type Reason } from "./numbers.ts";
import { scoreBid, type Work } from "./score.ts";
import { checkRange, checkSeats, requireProgram } from "./sources.ts";
import { checkInputs } from "./tasks.ts";

/** As the ABI has them. */
export interface Terms {
  readonly program: Hex;
  readonly budget: bigint;
  readonly segments: number;
  readonly tier: number;
  readonly seats: number;
  readonly assurance: number;
  readonly bidSeconds: bigint;
  readonly jobSeconds: bigint;
  readonly region: Hex;
}

function checkTerms(call: ModuleCall, terms: Terms): ProgramSummary {
  const { budget, segments, tier, seats, assurance, bidSeconds, jobSeconds } = terms;
  const { minBidSeconds, maxJobSeconds, revealSeconds } = call.parameters.market;
  const summary = requireProgram(call, terms.program);
  const most = summary.launches < MAX_SEGMENTS ? summary.launches : MAX_SEGMENTS;
  checkRange("budget", budget, call.parameters.pricing.minCharge, MOST_MONEY);
  checkRange("segments", BigInt(segments), 1n, BigInt(most));
  checkRange("tier", BigInt(tier), 0n, BigInt(MAX_TIER));
  checkSeats(seats, assurance);
  checkRange("bidSeconds", bidSeconds, minBidSeconds, maxJobSeconds);
  checkRange("jobSeconds", jobSeconds, bidSeconds + revealSeconds + 1n, maxJobSeconds);
  return summary;
}

export interface JobQuote {
  readonly suggested: bigint;
  readonly verification: bigint;
  readonly lock: bigint;
  readonly bidLock: bigint;
}

export function quoteJob(call: ModuleCall, terms: Terms): JobQuote {
  const { fuel } = checkTerms(call, terms);
  const { clientLockShare, workerLockShare, seatFee } = call.parameters.market;
  return {
    suggested: quote(call, terms.tier, fuel),
    verification: BigInt(terms.segments) * BigInt(terms.seats) * seatFee,
    lock: lockPart(terms.budget, clientLockShare),
    bidLock: lockPart(terms.budget, workerLockShare),
  };
}

export function postJob(call: ModuleCall, terms: Terms, inputs: readonly Hex[], callback: Callback): bigint {
  const { caller: client, value } = call.message;
  const { verification, lock } = quoteJob(call, terms);
  checkInputs(inputs, requireProgram(call, terms.program).inputs.length);
  checkCallback(callback);
  const { budget, bidSeconds, jobSeconds, program, region } = terms;
  const cost = budget + verification + callback.tip;
  if (value < cost) throw revertWith(marketAbi, "NotEnoughSent", [value, cost]);
  const job = nextJob(call);
  returnExcess(call, cost + setAside(call, clientKey(client, job), lock, value - cost));
  hold(call, cost);
  jobWords.set(call, "client", addressToWord(client), job);
  jobWords.set(call, "program", BigInt(program), job);
  jobWords.set(call, "budget", budget, job);
  jobWords.set(call, "verification", verification, job);
  jobWords.set(call, "seatFee", call.parameters.market.seatFee, job);
  if (BigInt(region) > 0n) jobWords.set(call, "region", BigInt(region), job);
  writeHashes(call, inputs, INPUTS, job);
  writeCallback(call, job, callback);
  addToClientList(call, client, job);
  const now = protocolTime(call);
  writeTerms(call, job, {
    source: 0n,
    created: now,
    segments: BigInt(terms.segments),
    seats: BigInt(terms.seats),
    tier: BigInt(terms.tier),
    assurance: BigInt(terms.assurance),
    seconds: jobSeconds,
    bidSeconds,
    racers: 0n,
  });
  changeTimes(call, job, { deadline: now + jobSeconds });
  call.emit(marketAbi, "JobPosted", { job, client, program, budget, verification });
  openBidding(call, job, REASON.posted, 1n);
  return job;
}

function openBidding(call: ModuleCall, job: bigint, reason: Reason, attempt: bigint): void {
  const by = protocolTime(call) + readTerms(call, job).bidSeconds;
  changeJob(
    call,
    job,
    { status: JOB_STATUS.open, reason, actor: ACTOR.bidders, by },
    { attempt, round: 0n, attested: 0n, final: 0n, traps: 0n },
  );
}

/** From the last accepted checkpoint on, with what is left; or the job ends. */
export function auctionAgain(call: ModuleCall, job: bigint, reason: Reason): void {
  const { attempt, segment, cancelling } = readState(call, job);
  const { deadline } = readTimes(call, job);
  const { bidSeconds, segments, seats } = readTerms(call, job);
  setWorker(call, job, undefined);
  jobWords.set(call, "price", 0n, job);
  if (cancelling > 0n) {
    endJob(call, job, JOB_STATUS.cancelled, REASON.cancelled);
    return;
  }
  const { maxAttempts, revealSeconds } = call.parameters.market;
  if (attempt >= maxAttempts) {
    endJob(call, job, JOB_STATUS.expired, reason === REASON.noBids ? REASON.noBids : REASON.attempts);
    return;
  }
  if (protocolTime(call) + bidSeconds + revealSeconds >= deadline) {
    endJob(call, job, JOB_STATUS.expired, REASON.deadline);
    return;
  }
  const needed = (segments - segment) * seats * jobWords.get(call, "seatFee", job);
  if (!fillVerification(call, job, needed)) endJob(call, job, JOB_STATUS.expired, REASON.verificationSpent);
  else openBidding(call, job, reason, attempt + 1n);
}

/** Rounds that were lost cost what the budget has to make up for. False if nothing of it would be left. */
function fillVerification(call: ModuleCall, job: bigint, needed: bigint): boolean {
  const has = jobWords.get(call, "verification", job);
  if (has >= needed) return true;
  const missing = needed - has;
  if (jobWords.get(call, "budget", job) <= missing) return false;
  addToPot(call, job, "budget", -missing);
  addToPot(call, job, "verification", missing);
  return true;
}

function requireAuction(call: ModuleCall, job: bigint, status: number): JobState {
  const state = requireJob(call, job);
  if (isTask(readTerms(call, job))) throw revertWith(marketAbi, "NotAnAuction", [job]);
  if (Number(state.status) !== status) throw wrongStatus(job, state);
  return state;
}

/** What a bidder sets aside for the job as it is now. */
export function bidLock(call: ModuleCall, job: bigint): bigint {
  return lockPart(jobWords.get(call, "budget", job), call.parameters.market.workerLockShare);
}

export function placeBid(call: ModuleCall, job: bigint, attempt: bigint, seal: Hex): void {
  const { caller: bidder, value } = call.message;
  const state = requireAuction(call, job, JOB_STATUS.open);
  const { by } = state;
  requireAttempt(job, state, attempt);
  if (protocolTime(call) >= by) throw revertWith(marketAbi, "TooLate", [by]);
  if (!isAvailable(call, bidder)) throw revertWith(marketAbi, "NotAvailable", [bidder]);
  const tier = Number(readTerms(call, job).tier);
  if (!hasTier(call, bidder, tier)) throw revertWith(marketAbi, "NoDevice", [bidder, 0n]);
  if (findBid(call, job, attempt, bidder) !== undefined) throw revertWith(marketAbi, "AlreadyDone", []);
  const { maxBids } = call.parameters.market;
  if (bidCount(call, job, attempt) >= maxBids) throw revertWith(marketAbi, "Full", [maxBids]);
  if (BigInt(seal) === 0n) throw revertWith(marketAbi, "BadCommitment", []);
  const lock = bidLock(call, job);
  returnExcess(call, setAside(call, bidKey(bidder, job, attempt), lock, value));
  addBid(call, job, attempt, bidder, seal);
  call.emit(marketAbi, "BidPlaced", { job, bidder, seal, lock });
}

/** Devices of a bidder that are looked at for one of the tier. */
const DEVICES_LOOKED_AT = 64;

function hasTier(call: ModuleCall, provider: Address, tier: number): boolean {
  const count = Math.min(deviceCount(call, { provider }), DEVICES_LOOKED_AT);
  for (let index = 0; index < count; index++) {
    if (deviceAt(call, { provider }, index).tier === tier) return true;
  }
  return false;
}

/** Whether the caller may reveal its bid now. */
export function requireBidTurn(call: ModuleCall, job: bigint): { attempt: bigint; bid: Bid } {
  const { caller: bidder } = call.message;
  const { attempt, by } = requireAuction(call, job, JOB_STATUS.revealing);
  if (protocolTime(call) >= by) throw revertWith(marketAbi, "TooLate", [by]);
  const bid = findBid(call, job, attempt, bidder);
  if (bid === undefined) throw revertWith(marketAbi, "NoSeal", [job, bidder]);
  if (bid.isRevealed) throw revertWith(marketAbi, "AlreadyDone", []);
  return { attempt, bid };
}

export function revealBid(call: ModuleCall, job: bigint, revealed: RevealedBid, nonce: Hex): void {
  const { caller: bidder } = call.message;
  const { attempt, bid } = requireBidTurn(call, job);
  checkRange("price", revealed.price, 1n, MOST_MONEY);
  checkRange("secondsTaken", revealed.secondsTaken, 1n, MAX_SECONDS);
  const seal = bidSealOf(job, attempt, bidder, revealed, nonce);
  if (BigInt(seal) !== bid.seal) throw revertWith(marketAbi, "SealMismatch", [seal]);
  const score = scoreOf(call, job, bidder, revealed);
  revealOfBid(call, job, attempt, bid, { ...revealed, score });
  call.emit(marketAbi, "BidRevealed", { job, bidder, ...revealed, score });
  if (revealedCount(call, job, attempt) === bidCount(call, job, attempt)) award(call, job);
}

/** 0 for a bid that is above the budget, or too slow: it cannot win, and costs nothing. */
function scoreOf(call: ModuleCall, job: bigint, bidder: Address, bid: RevealedBid): bigint {
  const seconds = readTimes(call, job).deadline - protocolTime(call);
  if (bid.price > jobWords.get(call, "budget", job) || bid.secondsTaken > seconds) return 0n;
  const { segments } = readTerms(call, job);
  const { segment } = readState(call, job);
  const fuel = programSummary(call, programOf(call, job))?.fuel ?? 0n;
  const work: Work = { computeUnits: fuel - (fuel * segment) / segments, seconds };
  const region = jobWords.get(call, "region", job);
  const scored = {
    price: bid.price,
    seconds: bid.secondsTaken,
    isNear: region === 0n || region === BigInt(bid.region),
    reputation: reputationOf(call, bidder),
  };
  return scoreBid(scored, work, call.parameters.market);
}

/** Bidding is over. */
export function closeBidding(call: ModuleCall, job: bigint): void {
  const { attempt } = readState(call, job);
  if (bidCount(call, job, attempt) === 0n) {
    auctionAgain(call, job, REASON.noBids);
    return;
  }
  const by = protocolTime(call) + call.parameters.market.revealSeconds;
  changeJob(call, job, { status: JOB_STATUS.revealing, reason: REASON.biddingOver, actor: ACTOR.bidders, by });
}

/** Everybody has revealed, or had the time to. Who did not loses its lock; all but the winner get theirs back. */
export function award(call: ModuleCall, job: bigint): void {
  const { attempt } = readState(call, job);
  const bids = bidsOf(call, job, attempt);
  const ranked = bids
    .filter(({ score, price }) => score > 0n && price <= jobWords.get(call, "budget", job))
    .sort((a, b) => (a.score === b.score ? Number(a.index - b.index) : a.score < b.score ? -1 : 1));
  const place = ranked.findIndex((bid, index) => canTake(call, job, bid, gapOf(ranked, index)));
  const winner = ranked[place];
  for (const bid of bids) {
    if (!bid.isRevealed) punishBidder(call, job, attempt, bid);
    else if (bid !== winner) releaseLock(call, bidKey(bid.bidder, job, attempt));
  }
  if (winner === undefined) auctionAgain(call, job, REASON.noBids);
  else assign(call, job, winner, gapOf(ranked, place));
}

/** What the next bid costs more; never more than the winner's own price, so that it knows what it needs. */
function gapOf(ranked: readonly Bid[], index: number): bigint {
  const [bid, next] = [ranked[index], ranked[index + 1]];
  if (bid === undefined || next === undefined || next.price <= bid.price) return 0n;
  const gap = next.price - bid.price;
  return gap < bid.price ? gap : bid.price;
}

/** Reserved of the winner: the gap, and what a segment is paid. */
function reserveFor(call: ModuleCall, job: bigint, { price }: Bid, gap: bigint): bigint {
  const left = readTerms(call, job).segments - readState(call, job).segment;
  return gap + (price + left - 1n) / left;
}

function canTake(call: ModuleCall, job: bigint, bid: Bid, gap: bigint): boolean {
  if (!isAvailable(call, bid.bidder)) return false;
  return collateralOf(call, bid.bidder).free >= reserveFor(call, job, bid, gap);
}

function punishBidder(call: ModuleCall, job: bigint, attempt: bigint, { bidder }: Bid): void {
  const reason = REASON.unrevealed;
  const { taken } = breachLock(call, bidKey(bidder, job, attempt), 1n << 128n, reason, {});
  if (taken === 0n) return;
  call.emit(marketAbi, "Punished", { job, account: bidder, reason, fromLock: taken, fromCollateral: 0n, toVictim: 0n });
}

function assign(call: ModuleCall, job: bigint, bid: Bid, gap: bigint): void {
  const { bidder, price, secondsTaken } = bid;
  const reserve = reserveFor(call, job, bid, gap);
  const { segment } = readState(call, job);
  reserveCollateral(call, bidder, reserve);
  setWorker(call, job, { worker: bidder, device: 0n });
  addToWorkerList(call, bidder, job);
  jobWords.set(call, "price", price, job);
  jobWords.set(call, "gap", gap, job);
  jobWords.set(call, "reserve", reserve, job);
  const now = protocolTime(call);
  changeTimes(call, job, { started: now, promised: secondsTaken, first: segment, extended: 0n });
  call.emit(marketAbi, "Awarded", { job, worker: bidder, price, secondsTaken, gap });
  const by = now + segmentWindow(call, job);
  changeJob(call, job, { status: JOB_STATUS.assigned, reason: REASON.awarded, actor: ACTOR.worker, by });
}

/** What the worker promised for a segment, and what it may be late. */
export function segmentWindow(call: ModuleCall, job: bigint): bigint {
  return promisedForSegment(call, job) + call.parameters.market.segmentSeconds;
}

export function promisedForSegment(call: ModuleCall, job: bigint): bigint {
  const { promised, first } = readTimes(call, job);
  const count = readTerms(call, job).segments - first;
  return (promised + count - 1n) / count;
}
