/** How near somebody is, from measured round trips: the shortest of the last ones, since everything else only adds. */

const KEPT = 16;

export interface RoundTrips {
  /** Milliseconds, the newest last. */
  readonly samples: readonly number[];
}

export const NO_ROUND_TRIPS: RoundTrips = { samples: [] };

/** `undefined`: no answer came. */
export function measured({ samples }: RoundTrips, milliseconds: number | undefined): RoundTrips {
  const value = milliseconds === undefined || !(milliseconds >= 0) ? Number.POSITIVE_INFINITY : milliseconds;
  return { samples: [...samples, value].slice(-KEPT) };
}

/** Milliseconds; undefined while nothing was measured, infinite for who never answers. */
export function roundTrip({ samples }: RoundTrips): number | undefined {
  return samples.length === 0 ? undefined : Math.min(...samples);
}

/** Seconds to move so many bytes over that distance, at the rate that one connection usually reaches. */
export function transferSeconds(bytes: number, milliseconds: number): number {
  const WINDOW = 1 << 20;
  const rate = WINDOW / Math.max(milliseconds / 1_000, 0.01);
  return (2 * milliseconds) / 1_000 + bytes / rate;
}
