/** Every bound of signature checks, in one place. */

export interface VerificationLimits {
  /** Jobs that wait for the thread. */
  readonly queuedJobs: number;
  /** Bytes of the blocks that they hold. */
  readonly queuedBytes: number;
}

export const DEFAULT_LIMITS: VerificationLimits = { queuedJobs: 4096, queuedBytes: 64 * 1024 * 1024 };

/** Jobs that the thread has in hand: while the caller executes a block it hears of no finished one. */
export const MAX_IN_HAND = 4;

/** Jobs in a row that may pass others of less urgency that wait. */
export const MAX_IN_A_ROW = 8;

/** Validator sets that the thread keeps: this epoch's, its neighbours', and those of a late node that catches up. */
export const MAX_SETS = 8;

/** Threads that die on one job before it is given up. */
export const MAX_DEATHS = 2;
