/** The bounds of pricing. */

/**
 * Periods without use that are counted one by one when somebody looks again. After so many the price has fallen by more
 * than a factor of 5,000 at the usual change of an eighth, if the floor did not stop it.
 */
export const MAX_IDLE_PERIODS = 64n;

/** Where prices stop to rise: far beyond all the money there is, so that what is computed with them fits into a word. */
export const MAX_PRICE: bigint = 1n << 96n;
/** More than any program has (docs/spec/job-program.md, "Limits"). */
export const MAX_COMPUTE_UNITS: bigint = 1n << 128n;
