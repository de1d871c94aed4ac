/** Voting weight from stake: no validator weighs more than its share, whatever it owns. */
import { assert } from "../../base/errors.ts";

/**
 * The largest weights not above the stakes such that none exceeds one part in `divisor` of their sum. With fewer than
 * `divisor` validators there is no such bound, and all weigh the same. Cutting at a share of the stake would not do: of
 * four validators with 70, 10, 10 and 10 the first, cut to 25, would still have 45% of what is left.
 */
export function cappedWeights(stakes: readonly bigint[], divisor: bigint): bigint[] {
  const cap = capOf(stakes, divisor);
  return stakes.map((stake) => (stake < cap ? stake : cap));
}

/** With the k largest at the cap c and the rest R below it, c = (k * c + R) / divisor, so c = R / (divisor - k). */
function capOf(stakes: readonly bigint[], divisor: bigint): bigint {
  const descending = [...stakes].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  let rest = descending.reduce((sum, stake) => sum + stake, 0n);
  for (const [capped, largest] of descending.entries()) {
    assert(largest > 0n, "a validator has stake");
    const parts = divisor - BigInt(capped);
    if (parts <= 0n) break;
    const cap = rest / parts;
    if (largest <= cap) return cap;
    rest -= largest;
  }
  return descending.at(-1) ?? 0n;
}
