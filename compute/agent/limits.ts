/** Every bound of agents and their services, in one place. Operators set some of them; these are the usual values. */
import { MAX_BUFFER_BYTES } from "../program/limits.ts";

const KIB = 1_024;
const MIB: number = 1_024 * KIB;
const GIB: number = 1_024 * MIB;

/** Blobs. */
export interface BlobLimits {
  /** Bytes of one: no buffer of a program is longer. */
  readonly blobBytes: number;
  /** Bytes of all, uploads under way included. */
  readonly totalBytes: number;
  /** Bytes of one owner who is not the operator. */
  readonly ownerBytes: number;
  /** Files of all: what the index in memory has room for, about 300 bytes each. */
  readonly blobs: number;
  /** Uploads under way, of all and of one owner. */
  readonly uploads: number;
  readonly ownerUploads: number;
  /** Requests that are answered at a time, of all and of one network address. */
  readonly requests: number;
  readonly addressRequests: number;
  /** A request on which nothing moves for so long is given up, in milliseconds. */
  readonly idleMilliseconds: number;
  /** Bytes that a slow peer must move in each idle time; a byte now and then holds a place for ever. */
  readonly idleBytes: number;
  /** What nobody pinned is kept for so long after it was last used, in milliseconds. */
  readonly keptMilliseconds: number;
  /** An upload that stopped can be resumed for so long. */
  readonly partMilliseconds: number;
  /** Uploads that stopped and wait to be resumed, and their bytes; the oldest give way. */
  readonly parts: number;
  readonly partBytes: number;
  /** Pins of one blob. */
  readonly pins: number;
  /** Bytes of a pin's name. */
  readonly pinName: number;
  /** Places that are asked for one blob. */
  readonly places: number;
  /** Times that one place is asked again after it broke off, when it had brought something. */
  readonly resumptions: number;
  /** Bytes of one piece that is read or written. */
  readonly pieceBytes: number;
}

export const BLOB_LIMITS: BlobLimits = {
  blobBytes: MAX_BUFFER_BYTES,
  totalBytes: 64 * GIB,
  ownerBytes: 8 * GIB,
  blobs: 200_000,
  uploads: 64,
  ownerUploads: 8,
  requests: 256,
  addressRequests: 64,
  idleMilliseconds: 20_000,
  idleBytes: 16 * KIB,
  keptMilliseconds: 24 * 3_600_000,
  partMilliseconds: 6 * 3_600_000,
  parts: 256,
  partBytes: 8 * GIB,
  pins: 1_024,
  pinName: 128,
  places: 8,
  resumptions: 16,
  pieceBytes: 256 * KIB,
};

/** Answers to questions for a tile's inputs. */
export interface TileLimits {
  /** Bytes of one answer: what a tile may touch, with proofs. */
  readonly answerBytes: number;
  /** RLP items of one answer. */
  readonly answerItems: number;
  /** Questions that wait for a replay. */
  readonly waiting: number;
  /** Bytes of answers that are kept for the next who asks. */
  readonly keptBytes: number;
}

export const TILE_LIMITS: TileLimits = {
  answerBytes: 256 * MIB,
  answerItems: 2_000_000,
  waiting: 64,
  keptBytes: 128 * MIB,
};

/** A provider's work. */
export interface ProviderLimits {
  /** Launches of one segment: each has a leaf and its roots in memory. */
  readonly segmentLaunches: number;
  /** Bytes of buffers between launches that are kept for openings; beyond it they are computed again. */
  readonly keptBytes: number;
  /** Jobs under way, verified ones that may still be asked about included. */
  readonly jobs: number;
  /** Tiles that are checked by the reference before a segment is committed. */
  readonly recheckedTiles: number;
  /** Sources that are looked at. */
  readonly sources: number;
  /** Journal records before they are written anew, and bytes of one. */
  readonly journalRecords: number;
  readonly recordBytes: number;
  /** Milliseconds between two reports of progress of one job. */
  readonly progressMilliseconds: number;
  /** Milliseconds in which the inputs of a job have to be found before it is bid for: auctions take seconds. */
  readonly inputSearchMilliseconds: number;
  /** Milliseconds until the agent looks again at what it could not do. */
  readonly retryMilliseconds: number;
  /** Milliseconds between two looks at all jobs under way: a notice that was lost costs no more than that. */
  readonly patrolMilliseconds: number;
  /** Milliseconds between two jobs of one such round. */
  readonly patrolPauseMilliseconds: number;
}

export const PROVIDER_LIMITS: ProviderLimits = {
  segmentLaunches: 1 << 20,
  keptBytes: 512 * MIB,
  jobs: 256,
  recheckedTiles: 2,
  sources: 200,
  journalRecords: 4_096,
  recordBytes: 64 * KIB,
  progressMilliseconds: 500,
  inputSearchMilliseconds: 2_000,
  retryMilliseconds: 1_000,
  patrolMilliseconds: 10_000,
  patrolPauseMilliseconds: 20,
};

/** Looking for blobs among the peers of a node. */
export const PEER_LIMITS = {
  /** Searches that begin, for all who ask together: who asks for what nobody has costs every peer a question. */
  searches: { perSecond: 20, burst: 40 },
  /** Peers that are asked whether they have one. */
  asked: 16,
  /** Parts of one blob that are asked for at a time. */
  parts: 4,
  /** How often a peer that has too much to do is asked for a part again, and after how many milliseconds. */
  waits: 40,
  waitMilliseconds: 250,
  /** After nobody had it, it is not looked for again for so long, in milliseconds; and of how many that is known. */
  absentMilliseconds: 1_000,
  absent: 1_024,
} as const;
