/** The network as the node uses it. chain/network fills it; a node without one is alone. */
import type { FinalSegment } from "../consensus/types.ts";
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
  broadcast(message: NodeMessage, to: "validators" | "all"): unknown;
  publishTransactions(raws: readonly Uint8Array[]): void;
  publishFinalBlock(segment: FinalSegment): void;
  penalise(peer: string, offence: "invalid" | "useless"): void;
  stop(): Promise<void>;
}

export interface NodeNetworkHandlers {
  onMessage(from: string, message: NodeMessage): void;
  onTransactions(from: string, raws: readonly Uint8Array[]): Promise<BatchJudgement>;
  onFinalBlock(from: string, segment: FinalSegment): Promise<BatchJudgement>;
  onPeer(peer: Peer, isConnected: boolean): void;
  status(): { readonly height: number };
}

/** Connects the node; resolves when it listens. A node that signs nothing is a follower, whatever key it has. */
export type NetworkFactory = (handlers: NodeNetworkHandlers, role: "validator" | "follower") => Promise<NodeNetwork>;
