/**
 * What the agents need of the world: the chain, blobs, a signature. Plain types only, so that the command line fills them
 * with the typed client and tests with a chain in the same process.
 *
 * Agents look at the state of a job or a round and do what is theirs to do in it; notices only say where to look. So a
 * notice that is lost or comes twice does no harm, and an agent that starts again goes on where it stopped.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Hex } from "../../base/bytes.ts";
import type { UnsignedProgress } from "../../base/progress.ts";
import type { LaunchOutcome, TileOpening } from "../program/commitment.ts";
import type { MerkleProof } from "../program/merkle.ts";

/** As the market numbers them. */
export const JOB_STATUS = {
  none: 0,
  open: 1,
  revealing: 2,
  assigned: 3,
  committed: 4,
  accepted: 5,
  settled: 6,
  rejected: 7,
  cancelled: 8,
  expired: 9,
} as const;

/** What a worker commits for a segment; outputs only with the last one, in the order of the program's outputs. */
export interface Commitment {
  readonly segmentRoot: Hex;
  readonly checkpointRoot: Hex;
  readonly outputs: readonly Hex[];
  /** The launch that traps: the segment's last one then, and there are no outputs. */
  readonly trapLaunch?: number;
  /** The lowest tile of it that traps. */
  readonly trapTile?: number;
}

export interface SourceView {
  readonly id: bigint;
  readonly program: Hex;
  readonly tier: number;
  /** What a task pays now, in wei. */
  readonly price: bigint;
  readonly racers: number;
  /** Reserved of the provider for each task, in wei. */
  readonly collateral: bigint;
  readonly open: boolean;
}

export interface RacerView {
  readonly worker: Hex;
  /** Has sent a seal. */
  readonly sealed: boolean;
  readonly revealed: boolean;
}

/** A bid of this account in the running auction of a job. */
export interface OwnBidView {
  readonly revealed: boolean;
}

/** A chunk that somebody must show on chain. */
export interface DemandView {
  readonly kind: "input" | "output" | "checkpoint";
  /** The input or output, in the order of the program's, or the buffer. */
  readonly item: number;
  readonly chunk: number;
  /** The tile that the chunk is of; for a checkpoint only. */
  readonly tile: number;
  readonly accused: Hex;
  readonly by: bigint;
}

/** A device of this account that takes part in a source. */
export interface MembershipView {
  readonly source: bigint;
  readonly device: bigint;
  /** What it races for now; zero if nothing. */
  readonly job: bigint;
}

export interface JobView {
  readonly id: bigint;
  readonly status: number;
  /** Zero for an auction job. */
  readonly source: bigint;
  readonly client: Hex;
  readonly program: Hex;
  /** Content addresses of the input buffers, in the order of the program's buffers. */
  readonly inputs: readonly Hex[];
  readonly segments: number;
  /** The segment that is computed or verified now. */
  readonly segment: number;
  /** The checkpoint root from which that segment starts; undefined for the first one. */
  readonly checkpoint: Hex | undefined;
  /** Whose commitment is verified, or who was assigned; undefined while nobody is. */
  readonly worker: Hex | undefined;
  /** Of a pool task. */
  readonly racers: readonly RacerView[];
  /** Zero while none runs. */
  readonly round: bigint;
  /** Protocol seconds at which the present state ends, and at which the job is late. */
  readonly by: bigint;
  readonly deadline: bigint;
  /** Of an auction job: what the client pays at most, in wei. */
  readonly budget: bigint;
  readonly tier: number;
  /** Content addresses of the outputs once they are committed. */
  readonly outputs: readonly Hex[];
  /** How often racers were drawn or an auction was held: seals are bound to it. */
  readonly attempt: bigint;
  /** Near which the client wants it, 16 bytes; zero for anywhere. */
  readonly region: Hex;
  /** Who committed earlier segments, the last one first: whose services may have the checkpoint. */
  readonly earlierWorkers: readonly Hex[];
  /** Undefined when this account has none. */
  readonly ownBid: OwnBidView | undefined;
  /** Of the worker's collateral; after the end as long as it answers for the outputs. */
  readonly reserved: bigint;
  /** Those that wait for an answer. */
  readonly demands: readonly DemandView[];
}

export interface SeatView {
  readonly seat: number;
  /** Undefined until it is drawn. */
  readonly verifier: Hex | undefined;
  readonly launch: number;
  readonly tile: number;
  readonly sealed: boolean;
  readonly opened: boolean;
  readonly revealed: boolean;
  /** The digest that the worker's opening gives; undefined until then. */
  readonly digest: Hex | undefined;
}

/**
 * Where a round is:
 * - `sealing`: seats are drawn and seal what they found
 * - `opening`: the worker opens the drawn tiles
 * - `revealing`: seats reveal
 * - `voting`, `counting`: tier 1 seals and reveals on the disputed tile
 * - `referee`: waits for a challenge, or for the referee to run one
 * - `accepted`, `rejected`: decided; challenges may still come until the window closes
 */
export type RoundPhase =
  | "sealing"
  | "opening"
  | "revealing"
  | "voting"
  | "counting"
  | "referee"
  | "accepted"
  | "rejected";

/** A tile that tier 1 votes on. */
export interface DisputeView {
  readonly launch: number;
  readonly tile: number;
  /** Seats that this account holds, or one (0) where everybody votes; empty when it has none. */
  readonly seats: readonly { readonly seat: number; readonly sealed: boolean; readonly revealed: boolean }[];
  /** What the worker opened; undefined if it did not. */
  readonly opened: Hex | undefined;
}

export interface RoundView {
  readonly id: bigint;
  readonly job: bigint;
  readonly segment: number;
  readonly segments: number;
  readonly worker: Hex;
  readonly program: Hex;
  readonly segmentRoot: Hex;
  /** Where the segment started; undefined for the first one. */
  readonly checkpoint: Hex | undefined;
  /** Content addresses of the job's inputs, and of the outputs if this is the last segment. */
  readonly inputs: readonly Hex[];
  readonly outputs: readonly Hex[];
  /** Launches that were committed: from the first to before the end. */
  readonly firstLaunch: number;
  readonly endLaunch: number;
  readonly phase: RoundPhase;
  /** Protocol seconds at which the phase ends; 0 while a draw is waited for. */
  readonly by: bigint;
  /** Nothing changes any more, and no challenge is taken. */
  readonly isFinal: boolean;
  /** Why it was decided so, as the module numbers them; 0 until then. */
  readonly reason: number;
  /** The worker has published the seed of the segment's salts. */
  readonly seedPublished: boolean;
  readonly seats: readonly SeatView[];
  readonly dispute: DisputeView | undefined;
}

/** What happened in one block that may concern agents. `time` is protocol time in seconds. */
export interface ChainNotice {
  readonly block: bigint;
  readonly time: bigint;
  readonly jobs: readonly bigint[];
  readonly rounds: readonly bigint[];
  readonly sources: readonly bigint[];
}

/** What opens one seat's tile on chain. */
export interface SeatOpening {
  readonly seat: number;
  readonly outcome: LaunchOutcome;
  /** Of the launch's leaf against the segment root. */
  readonly proof: MerkleProof;
  /** Of the tile in each written buffer, in ascending order of buffers; none when the launch trapped. */
  readonly tiles: readonly { readonly buffer: number; readonly opening: TileOpening }[];
}

/** Where the bytes of a staged chunk come from. */
export type StagedOrigin =
  /** An input's or constant's content address, or zeros: the chunk is proven against it. */
  | { readonly kind: "start" }
  /** A tile of the version that the checkpoint before the segment has, to which `proof` leads. */
  | {
      readonly kind: "checkpoint";
      readonly root: Uint8Array;
      readonly proof: MerkleProof;
      readonly tile: number;
      readonly opening: TileOpening;
    }
  /** A tile that an earlier launch of the segment wrote. */
  | {
      readonly kind: "tile";
      readonly launch: number;
      readonly outcome: LaunchOutcome;
      readonly proof: MerkleProof;
      readonly tile: number;
      readonly opening: TileOpening;
    };

export interface StagedChunk {
  readonly buffer: number;
  /** Of the contents that `origin` names: the whole buffer, or the tile's bytes. */
  readonly origin: StagedOrigin;
  readonly bytes: Uint8Array;
  readonly proof: MerkleProof;
}

export type ChainAction =
  | { readonly kind: "joinSource"; readonly source: bigint; readonly device: bigint }
  | { readonly kind: "leaveSource"; readonly source: bigint; readonly device: bigint }
  /** The port makes the seals, as the market defines them. */
  | {
      readonly kind: "commitSealed";
      readonly job: bigint;
      readonly attempt: bigint;
      readonly commitment: Commitment;
      readonly nonce: Hex;
    }
  | { readonly kind: "reveal"; readonly job: bigint; readonly commitment: Commitment; readonly nonce: Hex }
  | {
      readonly kind: "commitSegment";
      readonly job: bigint;
      readonly segment: number;
      readonly commitment: Commitment;
    }
  /** The port sends what the trust lock lacks. */
  | {
      readonly kind: "bid";
      readonly job: bigint;
      readonly attempt: bigint;
      readonly price: bigint;
      readonly seconds: bigint;
      readonly region: Hex;
      readonly nonce: Hex;
    }
  | {
      readonly kind: "revealBid";
      readonly job: bigint;
      readonly price: bigint;
      readonly seconds: bigint;
      readonly region: Hex;
      readonly nonce: Hex;
    }
  /** When a round is decided: of the segment that it was about, so that anybody can tell its salts. */
  | { readonly kind: "publishSeed"; readonly round: bigint; readonly seed: Hex }
  | {
      readonly kind: "answerOutput";
      readonly job: bigint;
      readonly output: number;
      readonly chunk: Uint8Array;
      readonly proof: MerkleProof;
    }
  /** The port pays the bond. */
  | { readonly kind: "demandInput"; readonly job: bigint; readonly input: number; readonly chunk: number }
  | {
      readonly kind: "answerCheckpoint";
      readonly job: bigint;
      readonly buffer: number;
      readonly tile: number;
      readonly chunk: Uint8Array;
      readonly proof: MerkleProof;
      /** Of the tile in the buffer's version; undefined for a buffer that nothing has written. */
      readonly opening: TileOpening | undefined;
      /** The buffer's version, and where it is in the checkpoint. */
      readonly root: Uint8Array;
      readonly version: MerkleProof;
    }
  | { readonly kind: "open"; readonly round: bigint; readonly seats: readonly SeatOpening[] }
  | {
      readonly kind: "seal";
      readonly round: bigint;
      readonly seats: readonly { readonly seat: number; readonly hash: Hex }[];
    }
  | {
      readonly kind: "revealSeats";
      readonly round: bigint;
      readonly seats: readonly { readonly seat: number; readonly digest: Hex; readonly nonce: Hex }[];
    }
  | {
      readonly kind: "sealVotes";
      readonly round: bigint;
      readonly seats: readonly { readonly seat: number; readonly hash: Hex }[];
    }
  | {
      readonly kind: "revealVotes";
      readonly round: bigint;
      readonly seats: readonly { readonly seat: number; readonly digest: Hex; readonly nonce: Hex }[];
    }
  /** The port pays the bond. */
  | { readonly kind: "challenge"; readonly round: bigint; readonly launch: number; readonly tile: number }
  /** All that the tile reads is staged. */
  | { readonly kind: "judge"; readonly round: bigint; readonly launch: number; readonly tile: number }
  | {
      readonly kind: "stage";
      readonly round: bigint;
      readonly launch: number;
      readonly tile: number;
      readonly chunks: readonly StagedChunk[];
    }
  /** Shows that a committed output is not what the launches left. */
  | {
      readonly kind: "challengeOutput";
      readonly round: bigint;
      readonly output: number;
      /** Of the tile that was written last. */
      readonly written: StagedChunk;
      /** Of the output. */
      readonly chunks: readonly Pick<StagedChunk, "bytes" | "proof">[];
    };

export type SendOutcome =
  | { readonly kind: "done"; readonly block: bigint }
  /** The chain refused it with a named error: sending it again changes nothing before the state does. */
  | { readonly kind: "refused"; readonly error: string };

/** Reads may reject with a coded error when the node cannot be reached; agents try again. */
export interface ChainPort {
  /** In lower case. */
  readonly account: Hex;
  /**
   * Blocks from `from` on (from the next one where it is undefined) in their order, for ever, until the signal; none is
   * left out, though several may come as one. Reconnects by itself.
   */
  watch(from: bigint | undefined, signal: AbortSignal): AsyncIterable<ChainNotice>;
  job(id: bigint): Promise<JobView | undefined>;
  source(id: bigint): Promise<SourceView | undefined>;
  /** Sources that providers may join, newest first, at most `limit`. */
  sources(limit: number): Promise<readonly SourceView[]>;
  /** Where devices of this account take part, at most `limit`. */
  memberships(limit: number): Promise<readonly MembershipView[]>;
  /** Jobs that take bids, newest first, at most `limit`. */
  auctions(limit: number): Promise<readonly bigint[]>;
  /** Jobs that this account raced for or was assigned to, newest first, at most `limit`. */
  ownJobs(limit: number): Promise<readonly bigint[]>;
  /** `dispute.seats` are those of this account. */
  round(id: bigint): Promise<RoundView | undefined>;
  /** The tile that was put to the vote last; undefined when none was. */
  disputed(round: bigint): Promise<{ readonly launch: number; readonly tile: number } | undefined>;
  /** What the worker opened a seat's tile with; undefined when no transaction shows it by itself. */
  opening(round: bigint, seat: number): Promise<SeatOpening | undefined>;
  /** The encoded program, from the chain; undefined when nobody published it. */
  program(address: Hex): Promise<Uint8Array | undefined>;
  /** The endpoint that a provider registered. */
  endpoint(provider: Hex): Promise<string | undefined>;
  /**
   * Resolves when the transaction is final. The port keeps the nonces, raises fees and sends again, so that a call is at
   * most one transaction on chain. Rejects when it cannot tell; then the agent looks at the state before it tries again.
   */
  send(action: ChainAction): Promise<SendOutcome>;
  /** A secp256k1 signature of 65 bytes (r, s, v of 0 or 1) over the digest by the account's key. */
  sign(digest: Uint8Array): Promise<Uint8Array>;
}

/** Where a worker's progress goes: signed with its account's key, and told to everybody. */
export interface ProgressPort {
  /** It must not hold up the work, and never fails: the next report says more. */
  report(progress: UnsignedProgress): void;
}

export interface BlobPort {
  /**
   * The contents with this address, checked, from the own store or from one of the places (base URLs, which serve
   * `/blobs/<address>`). Rejects with BLOB_ABSENT when nobody has it, BLOB_TOO_LARGE beyond `most` bytes.
   */
  get(address: Hex, most: number, places: readonly string[], signal: AbortSignal): Promise<Uint8Array>;
  /** Of what the own store has; `undefined` for what it has not. */
  bytesOf(address: Hex): number | undefined;
  /** Keeps the contents until they are dropped. */
  put(contents: Uint8Array): Promise<Hex>;
  drop(address: Hex): Promise<void>;
  /** Answers a request for `/blobs/<address>` from the own store, with ranges. */
  serve(request: IncomingMessage, response: ServerResponse): void;
}

/** A small file that outlives the process: appended records come back in their order, and none is lost once appended. */
export interface JournalPort {
  /** All records that were appended, oldest first. */
  load(): Promise<readonly Uint8Array[]>;
  /** Resolves when the record is on disk. */
  append(record: Uint8Array): Promise<void>;
  /** Puts these records in the place of all. */
  replace(records: readonly Uint8Array[]): Promise<void>;
}

/** Whole milliseconds, and waiting; a test has one of its own. */
export interface ClockPort {
  now(): number;
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}
