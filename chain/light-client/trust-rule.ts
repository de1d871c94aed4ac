/**
 * When a light client that trusts one header may trust another: the rule alone, over weights, without signatures.
 * docs/spec/proof-of-sync.md states it in one paragraph.
 */
import { isMoreThanThird, isQuorum } from "../consensus/quorum.ts";

/** What a client trusts: a header, and the validators that follow it. Times are in one unit of the caller's choice. */
export interface TrustedState {
  readonly height: number;
  readonly time: bigint;
  readonly nextSetHash: string;
  readonly nextWeights: ReadonlyMap<string, bigint>;
}

export interface Candidate {
  readonly height: number;
  readonly time: bigint;
  /** Blocks of this chain may have the time of their parent; Tendermint's may not. */
  readonly mayEqualTime: boolean;
  /** The validators that decide on it. */
  readonly setHash: string;
  readonly weights: ReadonlyMap<string, bigint>;
  /** Whose signatures its certificate holds. */
  readonly signers: ReadonlySet<string>;
  /** It must have the set that the trusted header names: nothing lies between them. */
  readonly isAdjacent: boolean;
}

export interface TrustOptions {
  readonly now: bigint;
  readonly trustingPeriod: bigint;
  /** How far a clock may be wrong. */
  readonly maxSkew: bigint;
}

export type Verdict =
  | "trusted"
  /** Not wrong, but too far from what is trusted: try a header between. */
  | "not-enough-trust"
  | "trusting-period-over"
  | "height-not-later"
  | "time-not-later"
  | "from-the-future"
  | "wrong-validator-set"
  | "unknown-signer"
  | "not-enough-signatures";

export function judge(trusted: TrustedState, candidate: Candidate, options: TrustOptions): Verdict {
  if (trusted.time + options.trustingPeriod <= options.now) return "trusting-period-over";
  if (candidate.height <= trusted.height) return "height-not-later";
  if (candidate.time < trusted.time) return "time-not-later";
  if (candidate.time === trusted.time && !candidate.mayEqualTime) return "time-not-later";
  if (candidate.time >= options.now + options.maxSkew) return "from-the-future";
  for (const id of candidate.signers) if (!candidate.weights.has(id)) return "unknown-signer";
  if (candidate.isAdjacent && candidate.setHash !== trusted.nextSetHash) return "wrong-validator-set";
  // First the trusted set: what a set that is unknown here signed says nothing about whether to trust it.
  const known = weightOf(candidate.signers, trusted.nextWeights);
  if (!candidate.isAdjacent && !isMoreThanThird(known, total(trusted.nextWeights))) return "not-enough-trust";
  const signed = weightOf(candidate.signers, candidate.weights);
  return isQuorum(signed, total(candidate.weights)) ? "trusted" : "not-enough-signatures";
}

function weightOf(signers: ReadonlySet<string>, weights: ReadonlyMap<string, bigint>): bigint {
  let sum = 0n;
  for (const id of signers) sum += weights.get(id) ?? 0n;
  return sum;
}

function total(weights: ReadonlyMap<string, bigint>): bigint {
  let sum = 0n;
  for (const weight of weights.values()) sum += weight;
  return sum;
}
