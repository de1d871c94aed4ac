/**
 * The money of a round when it closes. Pure, and conserving: what comes in (the client's fees, what silence and false votes
 * cost) is what goes out (to seats, voters, the treasury and back to the client).
 */
import type { Ruling } from "./judge.ts";

export interface RuledSeat {
  readonly ruling: Ruling;
  /** A vote on a disputed tile; otherwise a seat of tier 0, whose fee the client has paid. */
  readonly isVote: boolean;
  /** What was taken of it for what it did: of its stake for silence, of what was frozen for a false vote. */
  readonly taken: bigint;
}

export interface RoundMoney {
  /** For each seat, in their order. */
  readonly earned: readonly bigint[];
  readonly toTreasury: bigint;
}

/**
 * A seat of tier 0 that was right, or that never had to say anything, earns the fee that was paid for it. The fees of the
 * others and all that was taken are a pool: voters who were right get a fee each out of it, or equal parts when it has
 * less, and the treasury the rest. So nobody pays for a vote but those who made it necessary, and no vote can be farmed:
 * its pool is never more than what was taken and forfeited in it.
 */
export function shareOut(seats: readonly RuledSeat[], seatFee: bigint): RoundMoney {
  const isPaidSeat = ({ ruling, isVote }: RuledSeat): boolean => !isVote && ruling === "right";
  const forfeited = seats.filter((seat) => !seat.isVote && !isPaidSeat(seat)).length;
  const pool = seats.reduce((sum, { taken }) => sum + taken, BigInt(forfeited) * seatFee);
  const winners = BigInt(seats.filter(({ ruling, isVote }) => isVote && ruling === "right").length);
  const part = winners === 0n ? 0n : pool / winners;
  const each = part < seatFee ? part : seatFee;
  const earned = seats.map((seat) => {
    if (seat.isVote) return seat.ruling === "right" ? each : 0n;
    return isPaidSeat(seat) ? seatFee : 0n;
  });
  return { earned, toTreasury: pool - each * winners };
}

/**
 * What each seat of tier 0 that caught a canary gets: its part of the prize among all that were drawn, and never more than
 * the fee that the sponsor has paid for it. So whoever has less than half of the seats pays more for a canary than it wins.
 */
export function canaryPart(prize: bigint, drawn: number, seatFee: bigint): bigint {
  if (drawn === 0) return 0n;
  const part = prize / BigInt(drawn);
  return part < seatFee ? part : seatFee;
}

/** Silence is excused while more than a third of a window's seats is silent: then the network is at fault. */
export function isExcused(silent: bigint, due: bigint): boolean {
  return 3n * silent > due;
}
