/** The bounds of the staking module that are no parameters: changing one is an upgrade. */

/** Of what an operator says about its validator. */
export const MAX_METADATA_BYTES = 512;

/** Stake on its way out, of one delegator from one validator. */
export const MAX_UNBONDINGS = 16;

/** Moves of one delegator to one validator that are still liable for where they came from. */
export const MAX_LIABILITIES = 7;

/** Entries of a list that one view returns. */
export const MAX_PAGE = 100;

/** Unbonding pools that one period of unbonding has, so that a slash hits few of them whoever unbonds. */
export const ERAS = 16n;

/**
 * Pools that one slash looks at: four times as many as it needs. More are liable only after governance has made
 * unbonding more than four times as long, for one such period.
 */
export const MAX_POOLS_HIT = 68n;

/** Rewards per share have so many binary places. */
export const INDEX_BITS = 96n;

/** A share worth less than 2^-32 wei: nobody can delegate to such a validator, so shares stay below 2^128. */
export const WORTHLESS_BITS = 32n;

/** Two pairings by the portable library, which alone knows the tag of such proofs: 45 ms (measured). */
export const POSSESSION_GAS = 3_000_000n;
