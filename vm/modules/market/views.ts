/** What people and programs see of the market. Lists come in pages. */
import { marketAbi } from "../../interfaces/abi/market.ts";
import type { Address } from "../../state/account.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { MAX_PAGE, positionsFrom } from "../page.ts";
import { programSummary } from "../programs/program-store.ts";
import { commitmentLeft } from "../trust-lock/commitments.ts";
import { type Bid, regionText } from "./bids.ts";
import { readCallback } from "./callback.ts";
import { jobsByStatus } from "./change-job.ts";
import type { Demand } from "./demand-record.ts";
import { jobListAt, jobListLength } from "./job-lists.ts";
import {
  clientOf,
  INPUTS,
  jobCount,
  jobWords,
  OUTPUTS,
  programOf,
  readHashes,
  readState,
  readTerms,
  readTimes,
  wordToHash,
  workerOf,
} from "./job-record.ts";
import { bidKey, clientKey, memberKey } from "./locks.ts";
import { idleOf, jobOfDevice, memberAt, missesOf, ofProvider, ofSource } from "./members.ts";
import { JOB_STATUS } from "./numbers.ts";
import { racersOf } from "./racers.ts";
import {
  findSource,
  openSources,
  quoteTask,
  type Source,
  sourceCount,
  taskCount,
  waitingCount,
  workerLock,
} from "./sources.ts";

const NOBODY: Address = "0x0000000000000000000000000000000000000000";
const NOTHING = wordToHash(0n);

type View = Record<string, unknown>;

export function positions(start: bigint, limit: bigint, count: number): readonly number[] {
  if (limit > MAX_PAGE) throw revertWith(marketAbi, "TooMany", [MAX_PAGE]);
  return positionsFrom(start, limit, count);
}

const NO_SOURCE: Source = {
  id: 0n,
  owner: NOBODY,
  program: NOTHING,
  tier: 0,
  open: false,
  racers: 0,
  seats: 0,
  assurance: 0,
  collateral: 0n,
  maxPrice: 0n,
  taskSeconds: 0n,
};

export function sourceView(call: ModuleCall, id: bigint): View {
  const source = findSource(call, id);
  const empty = {
    workerLock: 0n,
    computeUnits: 0n,
    price: 0n,
    total: 0n,
    members: 0n,
    idle: 0n,
    waiting: 0n,
    tasks: 0n,
  };
  if (source === undefined) return { ...NO_SOURCE, ...empty };
  const { price, verification } = quoteTask(call, source);
  return {
    ...source,
    workerLock: workerLock(call, source),
    computeUnits: programSummary(call, source.program)?.fuel ?? 0n,
    price,
    total: price + verification,
    members: BigInt(ofSource.length(call, id)),
    idle: BigInt(idleOf.length(call, id)),
    waiting: waitingCount(call, id),
    tasks: taskCount(call, id),
  };
}

/** Newest first. */
export function sourcePage(call: ModuleCall, start: bigint, limit: bigint): readonly View[] {
  const count = Number(sourceCount(call));
  return positions(start, limit, count).map((position) => sourceView(call, BigInt(count - position)));
}

/** The list loses its order when a source closes; the last to come is first all the same. */
export function openSourcePage(call: ModuleCall, start: bigint, limit: bigint): readonly View[] {
  const count = openSources.length(call);
  return positions(start, limit, count).map((position) => sourceView(call, openSources.at(call, count - 1 - position)));
}

function memberView(call: ModuleCall, id: bigint): View {
  const { source, provider, device } = memberAt(call, id);
  return {
    source,
    provider,
    device,
    job: jobOfDevice(call, provider, device),
    misses: missesOf(call, id),
    locked: commitmentLeft(call, memberKey(provider, id)),
  };
}

export function memberPage(call: ModuleCall, source: bigint, start: bigint, limit: bigint): readonly View[] {
  return positions(start, limit, ofSource.length(call, source)).map((position) =>
    memberView(call, ofSource.at(call, position, source)),
  );
}

export function membershipPage(call: ModuleCall, provider: Address, start: bigint, limit: bigint): readonly View[] {
  return positions(start, limit, ofProvider.length(call, provider)).map((position) =>
    memberView(call, ofProvider.at(call, position, provider)),
  );
}

export function jobView(call: ModuleCall, id: bigint): View {
  const state = readState(call, id);
  const terms = readTerms(call, id);
  const program = programOf(call, id);
  const client = clientOf(call, id);
  const get = (field: Parameters<typeof jobWords.get>[1]): bigint => jobWords.get(call, field, id);
  return {
    id: state.status === 0n ? 0n : id,
    status: Number(state.status),
    reason: Number(state.reason),
    actor: Number(state.actor),
    by: state.by,
    deadline: readTimes(call, id).deadline,
    source: terms.source,
    client,
    program,
    inputs: readHashes(call, INPUTS, id),
    segments: Number(terms.segments),
    segment: Number(state.segment),
    checkpoint: wordToHash(get("checkpoint")),
    worker: workerOf(call, id)?.worker ?? NOBODY,
    racers: racerViews(call, id),
    round: state.round,
    budget: get("budget"),
    price: get("price"),
    paid: get("paid"),
    tier: Number(terms.tier),
    seats: Number(terms.seats),
    assurance: Number(terms.assurance),
    outputs: readHashes(call, OUTPUTS, id),
    traps: state.traps > 0n,
    computeUnits: programSummary(call, program)?.fuel ?? 0n,
    attempt: state.attempt,
    created: terms.created,
    locked: commitmentLeft(call, clientKey(client, id)),
    region: regionText(get("region")),
    cancelling: state.cancelling > 0n,
    callback: readCallback(call, id),
    delivered: state.delivered > 0n,
    reserved: get("reserve"),
  };
}

function racerViews(call: ModuleCall, job: bigint): readonly View[] {
  return racersOf(call, job, readState(call, job)).map(({ worker, device, sealBlock, revealed, failed }) => ({
    worker,
    device,
    sealedAt: sealBlock,
    revealed: revealed > 0n,
    failed: failed > 0n,
  }));
}

/** Newest first. */
export function jobPage(call: ModuleCall, start: bigint, limit: bigint): readonly bigint[] {
  const count = Number(jobCount(call));
  return positions(start, limit, count).map((position) => BigInt(count - position));
}

export function statusPage(call: ModuleCall, status: number, start: bigint, limit: bigint): readonly bigint[] {
  checkStatus(status);
  return positions(start, limit, jobsByStatus.length(call, status)).map((position) =>
    jobsByStatus.at(call, position, status),
  );
}

export function countByStatus(call: ModuleCall, status: number): bigint {
  checkStatus(status);
  return BigInt(jobsByStatus.length(call, status));
}

function checkStatus(status: number): void {
  const { open, accepted } = JOB_STATUS;
  if (status >= open && status <= accepted) return;
  throw revertWith(marketAbi, "OutOfRange", ["status", BigInt(status), BigInt(open), BigInt(accepted)]);
}

export function accountPage(
  call: ModuleCall,
  list: "jobs of client" | "jobs of worker",
  account: Address,
  start: bigint,
  limit: bigint,
): readonly bigint[] {
  return positions(start, limit, jobListLength(call, list, account)).map((position) =>
    jobListAt(call, list, account, position),
  );
}

export function bidView(call: ModuleCall, job: bigint, attempt: bigint, bid: Bid): View {
  return {
    bidder: bid.bidder,
    seal: wordToHash(bid.seal),
    lock: commitmentLeft(call, bidKey(bid.bidder, job, attempt)),
    revealed: bid.isRevealed,
    price: bid.price,
    secondsTaken: bid.secondsTaken,
    region: regionText(bid.region),
    score: bid.score,
  };
}

export function demandView({ id: _id, ...demand }: Demand): View {
  return demand;
}

export const NO_DEMAND: View = {
  job: 0n,
  kind: 0,
  item: 0,
  chunk: 0n,
  demander: NOBODY,
  accused: NOBODY,
  bond: 0n,
  by: 0n,
  status: 0,
};
