/** Every bound of catching up, on both sides, in one place. */

/** A snapshot is taken at the first certified block at or above each multiple of this, so that peers have the same. */
export const SNAPSHOT_INTERVAL = 1_024;

/** A network that is no more than so many blocks ahead is caught up with by its blocks: that takes seconds. */
export const NEAR_BLOCKS = 512;

/** Headers below a snapshot that come with it: BLOCKHASH reaches so far back. */
export const ANCESTORS = 256;

/** What one message may hold. */
export const MAX_OFFERS = 8;
export const MAX_SEALS = 64;
export const MAX_HEADERS = 64;
export const MAX_CODES = 64;
export const MAX_CHUNK_BYTES: number = 1024 * 1024;
export const MAX_CODE_BYTES: number = 1024 * 1024;
/** A proof has at most 512 steps of 36 bytes on either side, and two neighbours. */
export const MAX_PROOF_BYTES = 40_960;
/** Seals and headers are added to an answer until it is this long. */
export const ANSWER_BYTES: number = 512 * 1024;

export interface SourceLimits {
  /** Blocks from one snapshot to the next. */
  readonly interval: number;
  /** The newest snapshots, which are kept whether or not anybody reads them. */
  readonly keptSnapshots: number;
  /** Together with older ones that somebody is reading. */
  readonly maxSnapshots: number;
  /** An older snapshot goes so long after it was last read. Milliseconds. */
  readonly unusedAge: number;
  /** It goes at this age even in the middle of being read: LevelDB cannot drop what it holds. Milliseconds. */
  readonly maxAge: number;
  /** Requests answered at one time: of one peer, and of all. */
  readonly answersPerPeer: number;
  readonly answers: number;
  /** Pages of a snapshot's tree in memory. */
  readonly cachedPages: number;
}

export const SOURCE_LIMITS: SourceLimits = {
  interval: SNAPSHOT_INTERVAL,
  keptSnapshots: 2,
  maxSnapshots: 4,
  unusedAge: 120_000,
  maxAge: 4 * 3_600_000,
  answersPerPeer: 4,
  answers: 16,
  cachedPages: 4_096,
};

export interface SyncLimits {
  /** Peers that are asked at all. */
  readonly peers: number;
  /** Requests under way: to one peer, and in all. */
  readonly requestsPerPeer: number;
  readonly requests: number;
  /** Verified chunks on their way to the disk. */
  readonly storing: number;
  /** Parts that the key space is cut into at first. */
  readonly parts: number;
  /** Leaves asked for at one time, in bytes. */
  readonly chunkBytes: number;
  /** Milliseconds: how long a peer may take for an answer, */
  readonly requestTimeout: number;
  /** how long one that failed is left alone, */
  readonly pause: number;
  /** how long one that has too much to do is, */
  readonly busyPause: number;
  /** how long offers are collected after the first one came, */
  readonly offersWait: number;
  /** how long a first peer is waited for, */
  readonly peersWait: number;
  /** how often offers are asked for again, */
  readonly offersInterval: number;
  /** and how long a snapshot that nobody offers any more is held on to. */
  readonly stallWait: number;
}

export const SYNC_LIMITS: SyncLimits = {
  peers: 32,
  requestsPerPeer: 3,
  requests: 24,
  storing: 16,
  parts: 256,
  chunkBytes: 512 * 1024,
  requestTimeout: 10_000,
  pause: 2_000,
  busyPause: 200,
  offersWait: 1_000,
  peersWait: 10_000,
  offersInterval: 10_000,
  stallWait: 45_000,
};
