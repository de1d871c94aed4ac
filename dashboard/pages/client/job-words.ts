/** What the numbers of a job mean. IMarket.sol has them. Pure. */

export const JOB_STATUS = [
  "None",
  "Open",
  "Bids revealed",
  "Computing",
  "Being verified",
  "Accepted",
  "Settled",
  "Rejected",
  "Cancelled",
  "Expired",
] as const;

const ACTORS = ["nobody", "the client", "the worker", "the bidders", "the verifiers", "the protocol"] as const;

const OPEN = 1;
const ACCEPTED = 5;
const SETTLED = 6;
const REJECTED = 7;

export function isRunning(status: number): boolean {
  return status >= OPEN && status <= ACCEPTED;
}

export function isSettled(status: number): boolean {
  return status === SETTLED;
}

export function toneOfStatus(status: number): "accent" | "good" | "bad" | "plain" {
  if (status === SETTLED || status === ACCEPTED) return "good";
  if (status === REJECTED) return "bad";
  return isRunning(status) ? "accent" : "plain";
}

interface JobPlace {
  readonly status: number;
  readonly segment: number;
  readonly segments: number;
}

const COMPUTING = 3;
const BEFORE_STATUS = [0, 0, 0.05, 0.2, 0.7, 0.95] as const;

/** How far a job is, from 0 to 1. `computed` is the share of its program that a worker says it has computed. */
export function progressOf({ status, segment, segments }: JobPlace, computed = 0): number {
  if (!isRunning(status)) return 1;
  const inSegment = status === COMPUTING ? Math.min(1, Math.max(0, computed * segments - segment)) : 0;
  const within = (BEFORE_STATUS[status] ?? 0) + 0.5 * inSegment;
  return (segment + within) / Math.max(1, segments);
}

/** From a report of `ogpu_subscribe` ["progress"]. */
export function computedShare(report: unknown): number | undefined {
  const { done, total } = (report ?? {}) as { readonly done?: unknown; readonly total?: unknown };
  const share = Number(done) / Number(total);
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : undefined;
}

export function turnOf(actor: number): string {
  return ACTORS[actor] ?? "somebody";
}

/** The seats that a fifth of all stake gets if it throws away blocks whose draw it dislikes: docs/spec/verification.md. */
const LYING_SEATS = 0.2 / (1 - 0.2 * (1 - 0.2));

/**
 * The chance that whoever falsifies `share` of the work is caught by so many seats, each of which checks one part drawn by
 * chance, if a fifth of all stake lies for it: as the receipt counts.
 */
export function caughtChance(share: number, seats: number): number {
  return 1 - (1 - share * (1 - LYING_SEATS)) ** seats;
}

const MILLION = 1_000_000;

/** A chance in millionths as people say it: `1 in 8`, and `never` for none. */
export function oneIn(millionths: bigint): string {
  if (millionths === 0n) return "never";
  return millionths >= BigInt(MILLION) ? "always" : `1 in ${Math.round(MILLION / Number(millionths))}`;
}
