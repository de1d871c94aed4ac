/** The bounds of the runtime, in one place. */
import type { Rate } from "../network/token-bucket.ts";

/** Copies of a certificate or proposal from other peers that wait while one is checked. */
export const MAX_COPIES_WAITING = 32;

/** Certificates and proposals of one peer that are checked at one time; certificates that wait: more than one resend. */
export const MAX_CHECKS_PER_PEER = 4;
export const MAX_WAITING_PER_PEER = 512;

/** Bytes of blocks in one answer to `fetch-finals`; one block may be above it alone. */
export const MAX_FINALS_BYTES: number = 4 * 1024 * 1024;

/** Transactions that wait for their sender to be recovered. */
export const MAX_INTAKE_TRANSACTIONS = 20_000;
export const MAX_INTAKE_BYTES: number = 64 * 1024 * 1024;
/** Of these, at most so many from peers: or else one that sends what others sign for nothing would turn clients away. */
export const MAX_RECEIVED_TRANSACTIONS = 10_000;

/** Offences kept for whoever asks. */
export const MAX_EVIDENCE = 1_000;

/** The cheapest transaction's gas: a block has at most its limit over this many. */
export const LEAST_GAS = 21_000n;

/** Milliseconds between looks at the peers' heights, and at transactions that waited too long. */
export const HOUSEKEEPING_INTERVAL = 1_000;

/** Milliseconds until an own client's transaction that still waits is told to others again, and how many at one time. */
export const REPUBLISH_INTERVAL = 5_000;
export const MAX_REPUBLISHED = 512;

/** Blocks read for others: for one peer, and for all. Reading and sending one takes a fraction of a millisecond. */
export const SERVED_BLOCKS_PER_PEER: Rate = { perSecond: 320, burst: 640 };
export const SERVED_BLOCKS: Rate = { perSecond: 800, burst: 1_600 };
export const MAX_SERVED_PEERS = 1_024;

/** Transactions whose senders are remembered for a while, whether or not they wait: two large blocks of them. */
export const MAX_RECOVERED_KEPT = 8_192;

/** Senders recovered on the main thread: half a millisecond; waking other threads for so few takes longer (measured). */
export const INLINE_RECOVERIES = 8;
