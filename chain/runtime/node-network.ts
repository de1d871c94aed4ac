/** The network as the node uses it. chain/network fills it; a node without one is alone. */
import type { Hex } from "../../base/bytes.ts";
import type { Progress } from "../../base/progress.ts";
import type { Signer } from "../consensus/crypto.ts";
import type { FinalSegment } from "../consensus/types.ts";
import type { ClaimedTransaction } from "../senders/claim.ts";
import type { NodeMessage } from "../wire/node-message.ts";
import type { BatchJudgement } from "./intake.ts";

export interface Peer {
  readonly peer: string;
  /** Its last final block, as it says. */
  readonly height: number;
}

export interface NodeNetwork {
  peers(): readonly Peer[];
  /** False when there is no such peer, or too much waits for it already. */
  send(to: string, message: NodeMessage): boolean;
  /** To so many of them at most, drawn anew each time, when that is said. */
  broadcast(message: NodeMessage, to: "validators" | "all", most?: number): unknown;
  publishTransactions(transactions: readonly ClaimedTransaction[]): void;
  publishFinalBlock(segment: FinalSegment): void;
  publishProgress(progress: Progress, worker: Hex): void;
  penalise(peer: string, offence: "invalid" | "useless"): void;
  stop(): Promise<void>;
}

export interface NodeNetworkHandlers {
  onMessage(from: string, message: NodeMessage): void;
  onTransactions(from: string, batch: readonly ClaimedTransaction[]): Promise<BatchJudgement>;
  onFinalBlock(from: string, segment: FinalSegment): Promise<BatchJudgement>;
  onProgress(from: string, batch: readonly Progress[]): Promise<BatchJudgement>;
  onPeer(peer: Peer, isConnected: boolean): void;
  /** Whether the key is a validator's in the current epoch. */
  isValidator(key: Hex): boolean;
  status(): { readonly height: number };
}

/** Connects the node; resolves when it listens. A node that signs nothing has no validator, whatever key it has. */
export type NetworkFactory = (handlers: NodeNetworkHandlers, validator: Signer | undefined) => Promise<NodeNetwork>;
