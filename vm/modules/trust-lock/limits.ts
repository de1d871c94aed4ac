/** The bounds of the trust lock. */

/** Beneficiaries of one breach: each costs a payment. */
export const MAX_BENEFICIARIES = 16;

/** Money that is set aside comes back one day, even from a controller that has forgotten it: ten years. */
export const MAX_COMMITMENT_SECONDS = 315_360_000n;
