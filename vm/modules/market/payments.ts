/** What workers earn and lose: payments out of a job's budget, and penalties out of locks and collateral. */
import { WHOLE } from "../../../genesis/economy.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import type { Address } from "../../state/account.ts";
import { MARKET_ADDRESS } from "../addresses.ts";
import type { ModuleCall } from "../module-call.ts";
import { programSummary } from "../programs/program-store.ts";
import { takeReserved } from "../providers/collateral.ts";
import { recordSettlement } from "../providers/reputation.ts";
import type { CommitmentKey } from "../trust-lock/commitments.ts";
import { addToPot, burnHeld, fundTreasuryFromHeld, hold, payHeld, refund } from "./escrow.ts";
import { clientOf, jobWords, programOf, readState, readTerms } from "./job-record.ts";
import { breachLock, clientKey, shareOut } from "./locks.ts";
import { isLive, type Reason } from "./numbers.ts";
import type { MarketPorts } from "./ports.ts";
import { mintForWork } from "./work-emission.ts";

/** Pays `price` out of the budget: fee and burned part off it, and for verified work as much minted as was burned. */
function pay(call: ModuleCall, job: bigint, worker: Address, price: bigint, mintable: MarketPorts | undefined): bigint {
  const { feeShare, burnShare } = call.parameters.market;
  const treasury = (price * feeShare) / WHOLE;
  const burned = (price * burnShare) / WHOLE;
  const earned = price - treasury - burned;
  addToPot(call, job, "budget", -price);
  payHeld(call, worker, earned);
  burnHeld(call, burned);
  fundTreasuryFromHeld(call, treasury, "market fee");
  const minted = mintable === undefined ? 0n : mintForWork(call, mintable.token, burned);
  if (minted > 0n) call.pay(worker, minted);
  const changes = { paid: price, burned, treasury, minted };
  for (const field of ["paid", "burned", "treasury", "minted"] as const) {
    if (changes[field] > 0n) jobWords.add(call, field, changes[field], job);
  }
  const segment = Number(readState(call, job).segment);
  call.emit(marketAbi, "SegmentPaid", { job, worker, segment, price, earned, burned, treasury, minted });
  return earned + minted;
}

/** For a verified segment, which also counts for the worker's reputation. */
export function payVerified(
  call: ModuleCall,
  ports: MarketPorts,
  job: bigint,
  worker: Address,
  price: bigint,
  busySeconds: bigint,
): void {
  const earned = pay(call, job, worker, price, ports);
  const computeUnits = unitsOfSegment(call, job);
  const seconds = busySeconds > 0n ? busySeconds : 1n;
  recordSettlement(call, worker, { outcome: "accepted", computeUnits, busySeconds: seconds, earned });
}

/** For time spent on what the client did not want to the end: nothing was verified, so nothing is minted. */
export function payUnverified(call: ModuleCall, job: bigint, worker: Address, price: bigint): void {
  if (price > 0n) pay(call, job, worker, price, undefined);
}

/** Of the present segment: the program's fuel in equal parts. */
function unitsOfSegment(call: ModuleCall, job: bigint): bigint {
  const fuel = programSummary(call, programOf(call, job))?.fuel ?? 0n;
  const { segments } = readTerms(call, job);
  const { segment } = readState(call, job);
  return (fuel * (segment + 1n)) / segments - (fuel * segment) / segments;
}

export interface WorkerPenalty {
  readonly worker: Address;
  readonly reason: Reason;
  /** The trust lock, and how much of it at most. */
  readonly lock: CommitmentKey;
  readonly fromLock: bigint;
  /** Of the reserved collateral. */
  readonly fromCollateral: bigint;
  /** Whether the client gets the victim's part; otherwise that is burned. */
  readonly harmsClient: boolean;
  /** Who proved it; if nobody did, that part is burned. */
  readonly catcher?: Address | undefined;
}

/** Takes it and shares it out. The client's part of collateral pays the next round first, if the job goes on. */
export function punishWorker(call: ModuleCall, job: bigint, penalty: WorkerPenalty): void {
  const { worker, reason, lock, fromLock, fromCollateral, harmsClient, catcher } = penalty;
  const to = { victim: harmsClient ? clientOf(call, job) : undefined, catcher };
  const ofLock = breachLock(call, lock, fromLock, reason, to);
  const ofCollateral = shareOut(call, fromCollateral, to);
  if (fromCollateral > 0n) {
    takeReserved(call, worker, fromCollateral, reason, MARKET_ADDRESS);
    hold(call, fromCollateral);
    fundTreasuryFromHeld(call, ofCollateral.toTreasury, "market penalty");
    burnHeld(call, ofCollateral.burned);
    if (harmsClient) compensate(call, job, ofCollateral.toVictim);
    if (catcher !== undefined) payHeld(call, catcher, ofCollateral.toCatcher);
  }
  if (ofLock.taken + fromCollateral === 0n) return;
  const toVictim = ofLock.toVictim + ofCollateral.toVictim;
  call.emit(marketAbi, "Punished", { job, account: worker, reason, fromLock: ofLock.taken, fromCollateral, toVictim });
  const amount = ofLock.toCatcher + ofCollateral.toCatcher;
  if (catcher !== undefined) call.emit(marketAbi, "CatcherPaid", { job, catcher, worker, amount });
}

/** The money is held. A job that goes on needs another round: that is what the client lost first. */
function compensate(call: ModuleCall, job: bigint, amount: bigint): void {
  const { seats } = readTerms(call, job);
  const cost = seats * jobWords.get(call, "seatFee", job);
  const forRound = isLive(Number(readState(call, job).status)) ? (amount < cost ? amount : cost) : 0n;
  addToPot(call, job, "verification", forRound);
  refund(call, job, amount - forRound);
}

/** All of the client's lock behind the job, with the victim's part for whom it harmed. */
export function punishClient(call: ModuleCall, job: bigint, reason: Reason, victim: Address | undefined): void {
  const client = clientOf(call, job);
  const key = clientKey(client, job);
  const { taken, toVictim } = breachLock(call, key, 1n << 128n, reason, { victim });
  if (taken === 0n) return;
  call.emit(marketAbi, "Punished", { job, account: client, reason, fromLock: taken, fromCollateral: 0n, toVictim });
}
