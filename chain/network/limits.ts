/** Every bound and every pace of the network, in one place. Times in milliseconds. */

export const PROTOCOL_VERSION = 1;

export interface Timing {
  /** The hello of a new peer has to come within this. */
  readonly helloTimeout: number;
  /** A node says so often how far it is. */
  readonly statusInterval: number;
  /** Who sends nothing for so long is cut off. */
  readonly silence: number;
  /** A message that has begun has to be complete within this. */
  readonly frameTimeout: number;
  /** A peer that has taken nothing of what waits for it for so long is cut off. */
  readonly drainTimeout: number;
  /** How often the network looks after its peers: silence, free places, redialling. */
  readonly upkeepInterval: number;
  /** How often a peer is asked for others while places are free. */
  readonly exchangeInterval: number;
  /** Redialling: the first wait, doubled each time up to the longest, and shortened by up to half at random. */
  readonly firstRedial: number;
  readonly longestRedial: number;
}

export const TIMING: Timing = {
  helloTimeout: 10_000,
  statusInterval: 10_000,
  silence: 60_000,
  frameTimeout: 60_000,
  drainTimeout: 30_000,
  upkeepInterval: 2_000,
  exchangeInterval: 15_000,
  firstRedial: 500,
  longestRedial: 10_000,
};

/** Bytes that wait for one peer. On the consensus channel the oldest votes go first, then the peer. */
export const MAX_CONSENSUS_QUEUE: number = 32 * 1024 * 1024;
export const MAX_DATA_QUEUE: number = 64 * 1024 * 1024;
/** Parts of blobs are asked for a few at a time: what goes beyond is an answer that nobody waits for. */
export const MAX_BLOB_QUEUE: number = 8 * 1024 * 1024;
/** Bytes that wait for all peers together, gossip included. Beyond it, the peer with the most goes first. */
export const MAX_OUTGOING_BYTES: number = 256 * 1024 * 1024;

/** Frames that are put together into one write, so that many votes cost one encryption. */
export const COALESCE_BYTES = 16_384;

/** Bytes of unfinished messages of all peers together. Beyond it, the peer with the most goes first. */
export const MAX_PARTIAL_BYTES: number = 256 * 1024 * 1024;

/** Validations of gossip under way for one peer, and for all; what comes on top of that is ignored. */
export const MAX_VALIDATIONS_PER_PEER = 64;
export const MAX_VALIDATIONS = 256;

/** One RPC of gossipsub carries several messages when a peer asks for what it missed. */
export const MAX_GOSSIP_RPC_BYTES: number = 32 * 1024 * 1024;
export const MAX_GOSSIP_QUEUE: number = 32 * 1024 * 1024;
/** A peer without gossip streams, so long after its hello, is connected anew. */
export const GOSSIP_GRACE = 30_000;

/** At most this often per node, transactions go out; those that come in between go out together. */
export const TRANSACTION_PACE = 50;
/** Bytes of transactions that wait for their turn, or for somebody who listens. More are not gossiped. */
export const MAX_WAITING_TRANSACTION_BYTES: number = 8 * 1024 * 1024;

/** At most this often per node, what workers report goes out, and reports that wait for their turn. */
export const PROGRESS_PACE = 200;
export const MAX_WAITING_PROGRESS = 1_024;

/** Peers that a node has at most, and how many of them it dialled itself, unless the configuration says otherwise. */
export const DEFAULT_MAX_PEERS = 50;
export const DEFAULT_OUTBOUND_PEERS = 16;
/** The same of a validator: votes are not handed on, so it has to know all others (docs/scale.md). */
export const VALIDATOR_MAX_PEERS = 1_024;
export const VALIDATOR_OUTBOUND_PEERS = 512;

export const DIAL_TIMEOUT = 10_000;
export const MAX_DIALS = 8;

/** Peers whose addresses are remembered, addresses of each, and failures after which a peer is forgotten. */
export const MAX_KNOWN_PEERS = 1_024;
export const MAX_ADDRESSES_PER_PEER = 4;
export const MAX_DIAL_FAILURES = 8;
/** Peers kept on disk, and how often they are written. */
export const MAX_SAVED_PEERS = 256;
export const SAVE_INTERVAL = 300_000;

/** Connections from one public IP address. Private ones are not counted: test networks have only one. */
export const MAX_CONNECTIONS_PER_IP = 8;
/** Connections of one peer: two when both dial at the same time, and one more when it comes back. */
export const MAX_CONNECTIONS_PER_PEER = 3;
/** New connections per second from one IP address. */
export const INBOUND_PER_SECOND = 20;
/** Connections that have not finished their handshake, and those from one public IP address among them. */
export const MAX_PENDING_CONNECTIONS = 128;
export const MAX_PENDING_PER_IP = 4;
/** Peers that may say hello when all places are taken, and from one public IP address: they may be validators. */
export const MAX_GREETING = 8;
export const MAX_GREETING_PER_IP = 2;
/** Streams of one connection in each direction: three channels, gossip, identify, and some that are closing. */
export const MAX_STREAMS = 64;
/** Bytes of frames that are put together before they are written. */
export const MAX_GATHERED_BYTES: number = 64 * 1024;
/** Bytes by which a stream's window is opened at a time: a quarter of the smallest window. */
export const WINDOW_STEP: number = 64 * 1024;
/** Connections beyond the peers: second ones, and those that have not said hello. */
export const SPARE_CONNECTIONS = 32;

/** Scores: see score.ts. */
export const BAN_SCORE = 100;
/** Half of a score is forgotten in this time. */
export const SCORE_HALF_LIFE = 600_000;
/** The first ban; each further one is twice as long. */
export const FIRST_BAN = 600_000;
export const LONGEST_BAN: number = 24 * 3_600_000;
export const MAX_SCORES = 4_096;
/** A public IP address is banned when its peers together have done so many times what bans one. */
export const IP_PATIENCE = 5;
