/** The bounds of the runtime, in one place. */
import type { Rate } from "../../base/token-bucket.ts";

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
/**
 * Senders recovered for one peer in vain: a second of work at once, then a fiftieth of it. As much may be under way as
 * peers together may have waiting.
 */
export const WASTED_RECOVERIES: Rate = { perSecond: 200, burst: MAX_RECEIVED_TRANSACTIONS };

/** Transactions of peers that come before those they follow: how many and how large in all, what part of them from one peer. */
export const MAX_EARLY_TRANSACTIONS = 16_384;
export const MAX_EARLY_BYTES: number = 16 * 1024 * 1024;
export const EARLY_SHARE: number = 1 / 2;
/** They are kept for so long: until what is missing has been told again. */
export const EARLY_MILLISECONDS = 10_000;

/** Jobs whose workers' reports are kept, and workers of one job. */
export const MAX_PROGRESS_JOBS = 2_048;
export const MAX_PROGRESS_WORKERS = 32;
/** Reports that are taken of one worker about one job: an honest one sends two a second. */
export const PROGRESS_RATE: Rate = { perSecond: 4, burst: 8 };
/** Reports of one peer that were checked in vain: copies that came late, and those about jobs that a node does not know yet. */
export const WASTED_PROGRESS: Rate = { perSecond: 20, burst: 256 };

/** Questions for blobs that peers have not answered; and how long each may take. */
export const MAX_BLOB_QUESTIONS = 256;
export const BLOB_ANSWER_MILLISECONDS = 10_000;
/**
 * Questions that one peer is asked, and all of them: whoever asks us for blobs decides how many there are, and beyond what
 * a peer allows (chain/network/rate-limits.ts) it would take us for the flood. At most half of that.
 */
export const ASKED_BLOBS_PER_PEER: Rate = { perSecond: 20, burst: 40 };
export const ASKED_BLOBS: Rate = { perSecond: 320, burst: 640 };
export const ASKED_PARTS_PER_PEER: Rate = { perSecond: 100, burst: 200 };
export const ASKED_PARTS: Rate = { perSecond: 1_000, burst: 2_000 };
/** Answers about blobs that are being read: for all, and for one peer. */
export const MAX_BLOB_ANSWERS = 64;
export const MAX_BLOB_ANSWERS_PER_PEER = 8;
/** Bytes of blobs for peers; they may have what blocks leave. */
export const SERVED_BLOB_BYTES_PER_PEER: Rate = { perSecond: 16 * 1024 * 1024, burst: 64 * 1024 * 1024 };
export const SERVED_BLOB_BYTES: Rate = { perSecond: 48 * 1024 * 1024, burst: 128 * 1024 * 1024 };

/** Offences kept for whoever sends them to the chain: of all, and of one validator's key. */
export const MAX_EVIDENCE = 1_000;
export const MAX_EVIDENCE_PER_KEY = 4;

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
/** Bytes of blocks sent to who asks, from disk or not: encrypting them takes a second per 150 MB (measured). */
export const SERVED_BYTES_PER_PEER: Rate = { perSecond: 16 * 1024 * 1024, burst: 128 * 1024 * 1024 };
export const SERVED_BYTES: Rate = { perSecond: 64 * 1024 * 1024, burst: 256 * 1024 * 1024 };
export const MAX_SERVED_PEERS = 1_024;

/** Transactions whose senders are remembered for a while, whether or not they wait: two large blocks of them. */
export const MAX_RECOVERED_KEPT = 8_192;
/** And what they take: as much as four blocks. Who has no money can sign as many as he likes, of 128 KiB each. */
export const MAX_RECOVERED_BYTES: number = 32 * 1024 * 1024;

/** Senders recovered on the main thread: half a millisecond; waking other threads for so few takes longer (measured). */
export const INLINE_RECOVERIES = 8;

/** Milliseconds of executing or recording a block before others have their turn: clients are answered meanwhile. */
export const EXECUTION_SLICE = 0.5;
