/** Every bound of the mempool and its journal, in one place. */
export interface MempoolLimits {
  readonly transactions: number;
  /** Of all transactions together, as they are encoded. */
  readonly bytes: number;
  readonly senderTransactions: number;
  readonly senderBytes: number;
  /** Of those whose turn it is, and of one sender's: more of them wait at their own price. */
  readonly duties: number;
  readonly senderDuties: number;
  /**
   * How far a nonce may be ahead of the sender's first one that is not ready, for want of the nonce or of money. What
   * waits there may wait for ever and costs its sender nothing.
   */
  readonly noncesBeyondReady: number;
  /** How much a replacement must offer of both fees, in percent of what waits. */
  readonly replacementPercent: bigint;
  /** The most that one newcomer may push out of a full pool: a large one would need many small ones to go. */
  readonly victims: number;
  /** Transactions that do not fit what is left of a block before the search for smaller ones ends. */
  readonly misfits: number;
  /** What waits longer goes. */
  readonly lifetimeMilliseconds: number;
}

export const MEMPOOL_LIMITS: MempoolLimits = {
  transactions: 50_000,
  bytes: 64 * 1024 * 1024,
  senderTransactions: 10_000,
  senderBytes: 8 * 1024 * 1024,
  duties: 1_024,
  senderDuties: 16,
  noncesBeyondReady: 64,
  replacementPercent: 110n,
  victims: 64,
  misfits: 256,
  lifetimeMilliseconds: 3 * 60 * 60 * 1000,
};

/** Senders that changed since nobody was ready; beyond that everybody is looked at again. */
export const READY_SEARCH_CHANGES = 4_096;

/** Transactions on their way to the journal, in bytes. */
export const MAX_JOURNAL_PENDING_BYTES: number = 64 * 1024 * 1024;

/** A larger journal is not read at start. Compaction keeps it far below. */
export const MAX_JOURNAL_BYTES: number = 1024 * 1024 * 1024;

/**
 * A larger one is written anew however many of its records wait: many small ones that do would let large ones that are
 * long in blocks pile up. More than the pool can hold, so that it helps.
 */
export const COMPACTED_JOURNAL_BYTES: number = 256 * 1024 * 1024;

/** A longer record is none: more than any chain's transactions may have. */
export const MAX_JOURNAL_RECORD_BYTES: number = 8 * 1024 * 1024;

/** With fewer records it is not worth the trouble to leave some out. */
export const MIN_COMPACTED_RECORDS = 1_024;
