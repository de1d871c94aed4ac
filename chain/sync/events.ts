/** What enters the client's machine and what leaves it. The caller owns clock, disk and network. */
import type { Hex } from "../../base/bytes.ts";
import type { SkipReason } from "./choose-offer.ts";
import type { SyncLimits } from "./limits.ts";
import type { Offer, SealProof, SyncAnswer, SyncRequest } from "./messages.ts";
import type { SyncTarget, TrustOptions, VerifiedSeal } from "./seal-chain.ts";

export interface SnapshotSyncOptions {
  readonly trust: TrustOptions;
  /** Whether the store has a block: then there is nothing to do here. */
  readonly hasBlocks: boolean;
  /** Somebody is to be there, sooner or later: a first peer is waited for without end. */
  readonly expectsPeers?: boolean;
  readonly resumed?: ResumedSync | undefined;
  readonly limits?: Partial<SyncLimits>;
  readonly nearBlocks?: number;
}

export type SyncEvent =
  | { readonly type: "start" }
  | { readonly type: "peer"; readonly peer: string; readonly connected: boolean }
  | { readonly type: "message"; readonly from: string; readonly message: SyncAnswer }
  /** The time that the last `timer` effect named has come. */
  | { readonly type: "timer" }
  /** What the effect with that ticket asked for is on disk, as far as a killed process is concerned. */
  | { readonly type: "stored"; readonly ticket: number }
  /** The answer to `import`: durable. */
  | { readonly type: "imported" }
  | { readonly type: "import-failed"; readonly reason: string };

/** A proven part of the state. */
export interface FetchedChunk {
  readonly first: Uint8Array;
  readonly end: Uint8Array;
  /** See leaf-codec.ts. */
  readonly leaves: Uint8Array;
}

/** What is written before anything is fetched for a target: enough to verify it again after a restart. */
export interface TargetRecord {
  readonly offer: Offer;
  readonly seals: readonly SealProof[];
}

/** To be carried out in this order. Writes follow each other; sends and timers do not wait for them. */
export type SyncEffect =
  | { readonly type: "send"; readonly to: string; readonly message: SyncRequest }
  /** Sets or moves the one timer. */
  | { readonly type: "timer"; readonly at: number }
  /** Everything that was stored before is of no use; the target is to be stored. */
  | { readonly type: "begin"; readonly ticket: number; readonly target: TargetRecord }
  | { readonly type: "store-headers"; readonly ticket: number; readonly headers: readonly Uint8Array[] }
  | { readonly type: "store-chunk"; readonly ticket: number; readonly chunk: FetchedChunk }
  | { readonly type: "store-code"; readonly ticket: number; readonly codes: readonly Uint8Array[] }
  /** Everything is stored. */
  | { readonly type: "import"; readonly target: SyncTarget; readonly seals: readonly VerifiedSeal[] }
  /** The peer sent what no honest one sends. It is not asked again. */
  | { readonly type: "blame"; readonly peer: string; readonly reason: string }
  | { readonly type: "done"; readonly outcome: SyncOutcome };

export type SyncOutcome =
  /** The store has the state of this block. */
  | { readonly type: "imported"; readonly height: number; readonly hash: Hex }
  /** The blocks are to be fetched from the first one on. */
  | { readonly type: "skipped"; readonly reason: SkipReason }
  | { readonly type: "failed"; readonly error: Error };

/** What an earlier run left on disk. */
export interface ResumedSync {
  readonly target: TargetRecord;
  /** The newest first; `undefined` when they are not there yet. */
  readonly headers: readonly Uint8Array[] | undefined;
  readonly chunks: readonly ResumedChunk[];
  /** Hashes of the code that is there. */
  readonly codes: readonly Hex[];
}

export interface ResumedChunk {
  readonly first: Uint8Array;
  readonly end: Uint8Array;
  readonly leaves: number;
  readonly bytes: number;
  readonly codeHashes: readonly Hex[];
}

export type SyncPhase = "offers" | "seals" | "state" | "import" | "done";

export interface SyncProgress {
  readonly phase: SyncPhase;
  /** Of the snapshot, once it is chosen. */
  readonly height: number | undefined;
  /** Peers that have it. */
  readonly peers: number;
  /** How much of the space of keys is here, from 0 to 1; keys are hashes, so it is also about the part of the leaves. */
  readonly share: number;
  readonly leaves: number;
  readonly bytes: number;
  readonly bytesPerSecond: number;
  /** `undefined` while there is nothing to tell it from. */
  readonly secondsLeft: number | undefined;
}
