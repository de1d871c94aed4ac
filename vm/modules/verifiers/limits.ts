/** The bounds of the verifiers module. */

/**
 * Snapshots that are kept. A draw names the epoch of the commitment that it judges; so many changes of the set later it
 * cannot be made any more.
 */
export const KEPT_SNAPSHOTS = 8;

/** Parties of one job: excluded from its draws. */
export const MAX_EXCLUDED = 16;
