/**
 * What a provider has to do for a job, from what the chain shows and what it remembers. Pure: the same view and memory
 * give the same intents, and an intent that was carried out is gone from the next view. So a lost notice, a restart or
 * a transaction that nobody knows the end of does no harm: look again, decide again.
 */
import type { Hex } from "../../../base/bytes.ts";
import { segmentRange } from "../../program/segments.ts";
import { type ChainAction, type DemandView, JOB_STATUS, type JobView, type RoundView } from "../ports.ts";
import type { Bid } from "./policy.ts";
import type { ProviderMemory, SegmentRecord } from "./provider-memory.ts";

export interface SeatPlace {
  readonly seat: number;
  readonly launch: number;
  readonly tile: number;
}

export type Intent =
  /** Compute a segment; what came of it is journalled before anything else happens. */
  | {
      readonly kind: "run";
      readonly segment: number;
      readonly attempt: bigint;
      readonly first: number;
      readonly end: number;
      readonly seed: Hex;
    }
  | { readonly kind: "send"; readonly action: ChainAction }
  /** Journal the bid, then send it. */
  | { readonly kind: "bid"; readonly attempt: bigint; readonly bid: Bid; readonly nonce: Hex }
  /** Journal in which round a segment is verified. */
  | { readonly kind: "note"; readonly round: bigint; readonly record: SegmentRecord }
  | {
      readonly kind: "open";
      readonly round: bigint;
      readonly record: SegmentRecord;
      readonly seats: readonly SeatPlace[];
    }
  /** A vote, or the lack of one, went against it: look whether that is wrong. */
  | { readonly kind: "defend"; readonly round: RoundView; readonly record: SegmentRecord }
  | { readonly kind: "answer"; readonly demand: DemandView }
  /** Somebody else has it now, or it is over: what runs for it stops. */
  | { readonly kind: "stop" }
  /** Nothing of it will be asked for any more. */
  | { readonly kind: "forget" };

export interface JobSituation {
  /** In lower case, as all addresses here. */
  readonly account: Hex;
  readonly job: JobView;
  /** The one that runs, and earlier ones that are not final. */
  readonly rounds: readonly RoundView[];
  readonly memory: ProviderMemory;
  /** Launches of the program. */
  readonly launches: number;
  /** What the policy would bid; undefined if nothing. */
  readonly bid: Bid | undefined;
}

const OVER: ReadonlySet<number> = new Set([
  JOB_STATUS.settled,
  JOB_STATUS.rejected,
  JOB_STATUS.cancelled,
  JOB_STATUS.expired,
]);

/** As verification numbers its reasons: voted false, voted unavailable. */
const LOST_BY_VOTE: ReadonlySet<number> = new Set([3, 4]);

export function isOver({ status }: JobView): boolean {
  return OVER.has(status);
}

/** The worker of a job that is paid answers for its outputs for a while. */
function isLiable({ status, worker, reserved }: JobView, account: Hex): boolean {
  return status === JOB_STATUS.settled && worker === account && reserved > 0n;
}

export function decideJob(situation: JobSituation): readonly Intent[] {
  const { job, account } = situation;
  const answers = job.demands
    .filter(({ accused, kind }) => accused === account && kind !== "input")
    .map((demand): Intent => ({ kind: "answer", demand }));
  if (isOver(job))
    return isLiable(job, account) ? [{ kind: "stop" }, ...answers] : [{ kind: "stop" }, { kind: "forget" }];
  const work = job.source === 0n ? decideAuction(situation) : decideRace(situation);
  return [...answers, ...situation.rounds.flatMap((round) => decideRound(situation, round)), ...work];
}

/** A pool task: seal first, reveal later, and be verified in the order of seals. */
function decideRace({ account, job, memory, launches }: JobSituation): readonly Intent[] {
  const own = job.racers.find(({ worker }) => worker === account);
  const { attempt, id } = job;
  if (own === undefined) return job.worker === account ? [] : [{ kind: "stop" }];
  const done = memory.segmentOf(id, 0, attempt);
  // While the first is verified, the others still race for the next place: no seal is a miss, and late if the first fails.
  const isOpen = job.status === JOB_STATUS.assigned || job.status === JOB_STATUS.committed;
  if (done === undefined) {
    if (!isOpen) return [{ kind: "stop" }];
    if (own.sealed) return [];
    return [{ kind: "run", segment: 0, attempt, first: 0, end: launches, seed: memory.seed(id, 0, attempt) }];
  }
  const { commitment } = done.outcome;
  const nonce = memory.nonce(id, attempt);
  if (!own.sealed) {
    if (!isOpen) return [];
    return [send({ kind: "commitSealed", job: id, attempt, commitment, nonce })];
  }
  return own.revealed ? [] : [send({ kind: "reveal", job: id, commitment, nonce })];
}

/** An auction: bid, reveal, and if it is won one segment after the other. */
function decideAuction({ account, job, memory, launches, bid }: JobSituation): readonly Intent[] {
  const { id, attempt, segment } = job;
  if (job.status === JOB_STATUS.open) {
    if (job.ownBid !== undefined) return [];
    const earlier = memory.bidOf(id, attempt) ?? bid;
    return earlier === undefined ? [] : [{ kind: "bid", attempt, bid: earlier, nonce: memory.bidNonce(id, attempt) }];
  }
  if (job.status === JOB_STATUS.revealing) {
    const own = memory.bidOf(id, attempt);
    if (own === undefined || job.ownBid?.revealed !== false) return [];
    return [send({ kind: "revealBid", job: id, ...own, nonce: memory.bidNonce(id, attempt) })];
  }
  if (job.worker !== account) {
    // Whoever worked on it before still serves the checkpoint; a bid that lost is nothing to remember.
    return memory.segmentsOf(id).length > 0 ? [{ kind: "stop" }] : [{ kind: "stop" }, { kind: "forget" }];
  }
  if (job.status !== JOB_STATUS.assigned) return [];
  const done = memory.segmentOf(id, segment, attempt);
  if (done !== undefined) {
    return [send({ kind: "commitSegment", job: id, segment, commitment: done.outcome.commitment })];
  }
  const range = segmentRange(launches, job.segments, segment);
  return [{ kind: "run", segment, attempt, ...range, seed: memory.seed(id, segment, attempt) }];
}

/** Verification of what this account committed: open what was drawn, then publish the seed. */
function decideRound({ account, job, memory }: JobSituation, round: RoundView): readonly Intent[] {
  if (round.worker !== account || round.isFinal) return [];
  const known = memory.ofRound(round.id);
  const record = known ?? recordOf(job, round, memory);
  if (record === undefined) return [];
  const intents: Intent[] = known === undefined ? [{ kind: "note", round: round.id, record }] : [];
  if (round.phase === "opening") {
    const seats = round.seats.filter(({ verifier, opened }) => verifier !== undefined && !opened);
    if (seats.length > 0) {
      const places = seats.map(({ seat, launch, tile }) => ({ seat, launch, tile }));
      return [...intents, { kind: "open", round: round.id, record, seats: places }];
    }
  }
  const opened = round.seats.length > 0 && round.seats.every((seat) => seat.opened);
  if (opened && round.phase !== "sealing" && !round.seedPublished) {
    intents.push(send({ kind: "publishSeed", round: round.id, seed: record.task.seed }));
  }
  const isLost = round.phase === "rejected" && LOST_BY_VOTE.has(round.reason);
  if (isLost || round.phase === "referee") intents.push({ kind: "defend", round, record });
  return intents;
}

/** By what was committed: the number of the attempt may have moved on. */
function recordOf({ id }: JobView, round: RoundView, memory: ProviderMemory): SegmentRecord | undefined {
  const records = memory.segmentsOf(id).filter(({ segment }) => segment === round.segment);
  return records.findLast(({ outcome }) => outcome.commitment.segmentRoot === round.segmentRoot);
}

function send(action: ChainAction): Intent {
  return { kind: "send", action };
}
