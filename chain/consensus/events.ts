/** What enters the core and what leaves it. The caller owns clock, disk, network and execution. */

import type { Hex } from "../../base/bytes.ts";
import type { Offence } from "../../base/votes.ts";
import type { Block, Certificate, Evidence, LogRecord, Message, PeerId, Request, Vote } from "./types.ts";

export type TimerName = "view" | "pace" | "recheck" | "heartbeat" | "fetch" | "resend";

/** Votes and messages have been checked (check-job.ts) before they come in. */
export type Event =
  | { readonly type: "start" }
  | { readonly type: "message"; readonly from: PeerId; readonly message: Exclude<Message, { type: "vote" }> }
  /** All of one kind, view and hash, each checked by itself, and the sum of exactly their signatures. */
  | { readonly type: "votes"; readonly votes: readonly Vote[]; readonly sum: Uint8Array }
  /** A message of a later epoch came, which cannot be checked here yet. */
  | { readonly type: "ahead"; readonly from: PeerId }
  /** A peer gives up a view that is final or, if that is named, notarized here; or says that an older block is final. */
  | { readonly type: "lagging"; readonly from: PeerId; readonly view: number | undefined }
  | { readonly type: "timer"; readonly timer: TimerName }
  /** The log is durable up to that position. */
  | { readonly type: "synced"; readonly position: number }
  /** The commit of that block is durable. */
  | { readonly type: "committed"; readonly hash: Hex }
  | { readonly type: "executed"; readonly hash: Hex; readonly valid: boolean }
  /** The answer to `build`: a block that the application has made and executed. */
  | { readonly type: "built"; readonly epoch: number; readonly view: number; readonly block: Block }
  /** Whether transactions or scheduled protocol work wait for a block. */
  | { readonly type: "work"; readonly waiting: boolean };

/** One node, all validators, or as many of them as `certificateFanout` says, drawn anew each time. */
export type Receivers = PeerId | "all" | "some";

/**
 * To be carried out in this order. `persist` and `compact` go to one log in the order given; a `send` waits until the
 * log is durable up to `after`; `commit` is one atomic batch for each block, in order, each with the certificate.
 */
export type Effect =
  | { readonly type: "persist"; readonly records: readonly LogRecord[]; readonly position: number }
  /** Replaces the log, atomically, by records that hold all that is still needed. */
  | { readonly type: "compact"; readonly records: readonly LogRecord[] }
  | { readonly type: "commit"; readonly blocks: readonly Block[]; readonly certificate: Certificate }
  | { readonly type: "send"; readonly to: Receivers; readonly message: Message; readonly after: number }
  /** Answer the request from the store of final blocks, if that has it. */
  | { readonly type: "serve"; readonly to: PeerId; readonly request: Request }
  /** The block's parent has executed. */
  | { readonly type: "execute"; readonly block: Block }
  | {
      readonly type: "build";
      readonly epoch: number;
      readonly view: number;
      readonly parent: Block;
      readonly time: number;
      readonly emptyOnly: boolean;
      readonly proposer: number;
      readonly reveal: Uint8Array;
      readonly parentCertificate: Certificate | undefined;
    }
  /** Sets or moves the timer of that name; without a time it is stopped. */
  | { readonly type: "timer"; readonly timer: TimerName; readonly at: number | undefined }
  | { readonly type: "evidence"; readonly evidence: Evidence; readonly offence: Offence }
  /** What can only happen when a third or more of the weight is faulty, or by a bug here. Tell the operator. */
  | { readonly type: "alarm"; readonly reason: string };
