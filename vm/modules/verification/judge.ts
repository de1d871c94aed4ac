/**
 * Who was right. Pure: what somebody said of a tile, what the tile turned out to be, and what follows for whoever
 * said it. docs/spec/verification.md, "Rulings".
 */
import type { Hex } from "../../../base/bytes.ts";
import type { VoteSide } from "./counter.ts";

/** What a seat said: a digest, the digest of UNAVAILABLE, or nothing. */
export type Said = Hex | undefined;

/** How a tile was settled. */
export interface TileTruth {
  /** What the tile is, as far as it was settled; `undefined`: it never was. */
  readonly digest: Hex | undefined;
  /** What the worker opened; `undefined` if it never opened the tile. */
  readonly opened: Hex | undefined;
  /** The referee executed it: the digest is a fact, and every other one is false. */
  readonly isProven: boolean;
}

/**
 * - `right`: earns
 * - `wrong`: loses what is frozen
 * - `silent`: said nothing, or that it could not get a tile that others got; costs the seat's fee
 * - `neutral`: neither earns nor loses
 */
export type Ruling = "right" | "wrong" | "silent" | "neutral";

/**
 * A tile that was voted false has no proven digest: what most of those who were against the worker said is taken for
 * it. Others who were against the worker are neutral, for it is not known that they lied; the worker's supporters did.
 */
export function rule(said: Said, { digest, opened, isProven }: TileTruth, unavailable: Hex): Ruling {
  if (said === undefined) return "silent";
  if (digest === undefined) return "right";
  if (said === digest) return "right";
  if (said === unavailable) return digest === opened || isProven ? "silent" : "neutral";
  return isProven || digest === opened || said === opened ? "wrong" : "neutral";
}

export function sideOf(said: Said, opened: Hex): VoteSide {
  if (said === undefined) return 0;
  return said === opened ? 1 : -1;
}

/** What most of those said who were against the worker, by weight; of equals the one that came first. */
export function plurality(votes: readonly { readonly said: Said; readonly units: bigint }[], opened: Hex): Said {
  const weights = new Map<Hex, bigint>();
  for (const { said, units } of votes) {
    if (said !== undefined && said !== opened) weights.set(said, (weights.get(said) ?? 0n) + units);
  }
  let best: Said;
  for (const [said, units] of weights) {
    if (best === undefined || units > (weights.get(best) ?? 0n)) best = said;
  }
  return best;
}

/** A seat of tier 0 after everybody had a chance to reveal. */
export interface SpotSeat {
  readonly launch: number;
  readonly tile: number;
  readonly said: Said;
  readonly opened: Hex;
}

/** The tiles that go to the vote, each once, in the order of seats: those in doubt, or at tier 1 all of them. */
export function disputedSeats<Seat extends SpotSeat>(seats: readonly Seat[], tier: number): readonly Seat[] {
  const places = new Set<string>();
  return seats.filter(({ launch, tile, said, opened }) => {
    if (tier === 0 && said === opened) return false;
    const place = `${launch} ${tile}`;
    if (places.has(place)) return false;
    places.add(place);
    return true;
  });
}
