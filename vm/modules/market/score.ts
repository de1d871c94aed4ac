/**
 * Which bid is best, in integers: what it costs, made dearer by the time it is expected to take, by what its bidder has not
 * delivered so far, and by its distance. Less is better. docs/spec/market.md, "Score".
 */
import { type EconomyParameters, WHOLE } from "../../../genesis/economy.ts";
import type { Reputation } from "../providers/reputation.ts";

export interface ScoredBid {
  readonly price: bigint;
  /** As the bidder says. */
  readonly seconds: bigint;
  readonly isNear: boolean;
  readonly reputation: Pick<Reputation, "accepted" | "rejected" | "late" | "computeUnits" | "busySeconds">;
}

export interface Work {
  readonly computeUnits: bigint;
  /** Until the job's deadline. */
  readonly seconds: bigint;
}

/** From what the bidder's verified work took; never less than it says itself. */
export function expectedSeconds(
  { seconds, reputation }: ScoredBid,
  { computeUnits }: Work,
  { newcomerShare }: Pick<EconomyParameters["market"], "newcomerShare">,
): bigint {
  const { computeUnits: done, busySeconds } = reputation;
  if (done === 0n) return (seconds * (WHOLE + newcomerShare)) / WHOLE;
  const byHistory = (computeUnits * busySeconds) / done;
  return byHistory > seconds ? byHistory : seconds;
}

/** Rounded down at each step; at least 1. */
export function scoreBid(bid: ScoredBid, work: Work, parameters: EconomyParameters["market"]): bigint {
  const { timeWeight, distanceShare } = parameters;
  const { accepted, rejected, late } = bid.reputation;
  const expected = expectedSeconds(bid, work, parameters);
  // Four times the time there is, is as bad as it gets: a bad history is no price without end.
  const most = 4n * work.seconds;
  const counted = expected < most ? expected : most;
  const available = work.seconds > 0n ? work.seconds : 1n;
  const withTime = (bid.price * (WHOLE + (timeWeight * counted) / available)) / WHOLE;
  // One success and one failure are assumed of everybody, so that a first job counts for little.
  const withRisk = (withTime * (accepted + rejected + late + 2n)) / (accepted + 1n);
  const withDistance = bid.isNear ? withRisk : (withRisk * (WHOLE + distanceShare)) / WHOLE;
  return withDistance > 0n ? withDistance : 1n;
}
