/** What the market did lately, by the minute. Pure. */

export interface Settled {
  readonly seconds: number;
  readonly computeUnits: bigint;
}

export interface PricePoint {
  readonly seconds: number;
  readonly tier: number;
  readonly price: bigint;
}

const MINUTE = 60;
export const SHOWN_MINUTES = 30;

/** Compute units of each of the last minutes, the present one last. */
export function unitsByMinute(settled: readonly Settled[], now: number): readonly { seconds: number; units: bigint }[] {
  const last = Math.floor(now / MINUTE) * MINUTE;
  const minutes = Array.from({ length: SHOWN_MINUTES }, (_, index) => ({
    seconds: last - (SHOWN_MINUTES - 1 - index) * MINUTE,
    units: 0n,
  }));
  const first = minutes[0]?.seconds ?? last;
  for (const { seconds, computeUnits } of settled) {
    const minute = minutes[Math.floor((seconds - first) / MINUTE)];
    if (minute !== undefined) minute.units += computeUnits;
  }
  return minutes;
}

/** Of one tier, from its changes to what it is now. */
export function pricesOf(
  changes: readonly PricePoint[],
  tier: number,
  price: bigint,
  now: number,
): readonly PricePoint[] {
  // One of this second is what the price is now: two points at one time would have no axis.
  const own = changes.filter((change) => change.tier === tier && change.seconds < now);
  const before = own[0] ?? { seconds: now - MINUTE, tier, price };
  return [...(own.length === 0 ? [before] : own), { seconds: now, tier, price }];
}
