/** Who would do a job best, and when it would be done: what a quote shows. Pure. */
import { type RoundTrips, roundTrip, transferSeconds } from "./proximity.ts";
import { predict, predictLate, type SpeedModel } from "./speed-model.ts";

export interface Candidate {
  readonly provider: string;
  readonly tier: number;
  readonly capabilities: bigint;
  readonly memoryBytes: bigint;
  readonly model: SpeedModel;
  readonly roundTrips: RoundTrips;
  /** Jobs that it has now. */
  readonly load: number;
  /** Settled jobs: accepted, and rejected or late. */
  readonly accepted: number;
  readonly failed: number;
}

export interface Wanted {
  readonly units: number;
  readonly tier: number;
  readonly capabilities: bigint;
  readonly memoryBytes: bigint;
  readonly transferBytes: number;
}

export interface Advice {
  readonly provider: string;
  /** Seconds until the result is here, expected and with a good margin. */
  readonly seconds: number;
  readonly secondsLate: number;
  /** Chance that it is done, from what was settled; one in two for who has done nothing. */
  readonly reliability: number;
  readonly roundTrip: number | undefined;
}

/** Milliseconds of somebody who was never measured: far away, but not out of reach. */
const UNKNOWN_ROUND_TRIP = 150;

/** The best first, those who cannot do it left out; at most `most`. */
export function advise(candidates: readonly Candidate[], wanted: Wanted, most: number): readonly Advice[] {
  return candidates
    .filter((candidate) => canDo(candidate, wanted))
    .map((candidate) => adviceOn(candidate, wanted))
    .sort((a, b) => costOf(a) - costOf(b) || (a.provider < b.provider ? -1 : 1))
    .slice(0, most);
}

function canDo({ tier, capabilities, memoryBytes, roundTrips }: Candidate, wanted: Wanted): boolean {
  const has = (capabilities & wanted.capabilities) === wanted.capabilities;
  return (
    tier === wanted.tier &&
    has &&
    memoryBytes >= wanted.memoryBytes &&
    roundTrip(roundTrips) !== Number.POSITIVE_INFINITY
  );
}

function adviceOn({ provider, model, load, accepted, failed, roundTrips }: Candidate, wanted: Wanted): Advice {
  const trip = roundTrip(roundTrips);
  const moving = transferSeconds(wanted.transferBytes, trip ?? UNKNOWN_ROUND_TRIP);
  // Jobs before this one are taken to be like it: nobody knows better.
  const turns = load + 1;
  return {
    provider,
    seconds: predict(model, wanted.units) * turns + moving,
    secondsLate: predictLate(model, wanted.units) * turns + moving,
    // Laplace's rule: one good and one bad job that nobody has seen.
    reliability: (accepted + 1) / (accepted + failed + 2),
    roundTrip: trip,
  };
}

/** Seconds until somebody has done it, if whoever fails is followed by another like it. */
function costOf({ seconds, reliability }: Advice): number {
  return seconds / reliability;
}
