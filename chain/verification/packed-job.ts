/**
 * A job on its way to the thread and the answer on its way back. Blocks stay behind with all that signatures do not
 * cover, which may be megabytes, and a validator set goes by its hash: the thread has it already.
 */
import { EMPTY_BYTES, type Hex } from "../../base/bytes.ts";
import { type CheckJob, type CheckResult, checkJob, votesResult } from "../consensus/check-job.ts";
import type { Crypto } from "../consensus/crypto.ts";
import type { Block } from "../consensus/types.ts";
import type { ValidatorSet } from "../consensus/validator-set.ts";

/** All but `pass`, which has nothing to check. */
export type SignedJob = Exclude<CheckJob, { type: "pass" }>;

type WithoutSet<Job> = Job extends unknown ? Omit<Job, "set"> : never;
export type PackedJob = WithoutSet<SignedJob>;

export interface Verdict {
  /** For votes whether each is good, otherwise whether the message is. */
  readonly isGood: readonly boolean[];
  /** Of votes, the sum of the signatures of the good ones. */
  readonly sum?: Uint8Array;
}

/** A fault is a bug of ours that this job met; it must not end the thread, or whoever sent it could do so at will. */
export type FromWorker = { readonly verdict: Verdict } | { readonly fault: string };

export type ToWorker =
  | { readonly type: "set"; readonly set: ValidatorSet }
  | { readonly type: "forget"; readonly hash: Hex }
  | { readonly type: "job"; readonly set: Hex; readonly job: PackedJob };

export function packJob({ set: _set, ...job }: SignedJob): PackedJob {
  switch (job.type) {
    case "proposal":
      return { ...job, proposal: { ...job.proposal, block: lightened(job.proposal.block) } };
    case "block":
      return { ...job, block: lightened(job.block) };
    case "finals":
      return { ...job, segments: job.segments.map(({ certificate }) => ({ blocks: [], certificate })) };
    default:
      return job;
  }
}

function lightened({ next: _next, ...block }: Block): Block {
  return { ...block, body: EMPTY_BYTES };
}

/** The thread's work. */
export function judge(packed: PackedJob, set: ValidatorSet, chainId: bigint, crypto: Crypto): Verdict {
  const job = { ...packed, set } as SignedJob;
  const { events } = checkJob(job, chainId, crypto);
  if (job.type !== "votes") return { isGood: [events.length > 0] };
  const [event] = events;
  if (event?.type !== "votes") return { isGood: job.votes.map(() => false) };
  const good = new Set(event.votes);
  return { isGood: job.votes.map(({ vote }) => good.has(vote)), sum: event.sum };
}

const TRUSTING: Crypto = {
  verify: () => true,
  verifyAggregate: () => true,
  verifyEach: () => true,
  aggregate: () => EMPTY_BYTES,
};

/** The answer to the whole job, given what the thread found: the same rules once more, with all signatures known. */
export function settle(job: SignedJob, { isGood, sum }: Verdict, chainId: bigint): CheckResult {
  if (job.type === "votes") return votesResult(job.votes, isGood, sum);
  return isGood[0] === true ? checkJob(job, chainId, TRUSTING) : { events: [], blamed: [job.from] };
}

/** What it keeps in memory while it waits, as far as that is much. */
export function bytesOf(job: SignedJob): number {
  if (job.type === "proposal") return job.proposal.block.body.length;
  if (job.type === "block") return job.block.body.length;
  if (job.type !== "finals") return 0;
  return job.segments.reduce((sum, { blocks }) => blocks.reduce((bytes, { body }) => bytes + body.length, sum), 0);
}
