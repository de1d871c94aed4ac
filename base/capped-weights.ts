/** Voting weight from stake: no validator weighs more than its share, as far as that gives nobody else too much. */
import { assert } from "./errors.ts";

/**
 * The largest weights not above the stakes such that none exceeds one part in `divisor` of their sum; but never so small
 * that they come to less than half of all stake. Cutting at a share of the stake would not do for the first: of four
 * validators with 70, 10, 10 and 10 the first, cut to 25, would still have 45% of what is left. Without the second,
 * whoever adds validators of the least stake to a few large ones could have most of the weight: the large ones are cut to
 * the size of the small. So a share of the stake is at most twice that share of the weight.
 */
export function cappedWeights(stakes: readonly bigint[], divisor: bigint): bigint[] {
  const descending = [...stakes].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  const byShare = capByShare(descending, divisor);
  const bySum = capBySum(descending);
  const cap = byShare > bySum ? byShare : bySum;
  return stakes.map((stake) => (stake < cap ? stake : cap));
}

/** With the k largest at the cap c and the rest R below it, c = (k * c + R) / divisor, so c = R / (divisor - k). */
function capByShare(descending: readonly bigint[], divisor: bigint): bigint {
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

/** The least cap with which at least half of all stake counts: with the k largest at it, c = (half - R) / k, rounded up. */
function capBySum(descending: readonly bigint[]): bigint {
  const total = descending.reduce((sum, stake) => sum + stake, 0n);
  const half = (total + 1n) / 2n;
  let rest = total;
  for (const [index, largest] of descending.entries()) {
    rest -= largest;
    const count = BigInt(index + 1);
    const cap = (half - rest + count - 1n) / count;
    const next = descending[index + 1] ?? 0n;
    if (cap >= next) return cap > 0n ? cap : next;
  }
  return 0n;
}
