/** What a node says of itself, to whoever asks over RPC. Plain values: it crosses threads. */
import type { Hex } from "../../base/bytes.ts";
import type { Address } from "../../vm/state/account.ts";
import type { ConsensusState } from "../consensus/state.ts";
import type { SeenOffence } from "./evidence-book.ts";
import type { Peer } from "./node-network.ts";

export interface NodeStatus {
  /** A validator of the current epoch, or somebody who follows. */
  readonly role: "validator" | "follower";
  /** Its position in the epoch's set. */
  readonly validator: number | undefined;
  /** Receives the tips of its blocks. */
  readonly coinbase: Address;
  readonly epoch: number;
  readonly view: number;
  readonly final: { readonly height: number; readonly hash: Hex };
  readonly peers: readonly Peer[];
  readonly evidence: readonly SeenOffence[];
}

export interface StatusParts {
  readonly consensus: Readonly<ConsensusState>;
  readonly evidence: readonly SeenOffence[];
  readonly peers: readonly Peer[];
  readonly coinbase: Address;
}

export function nodeStatus({ consensus, evidence, peers, coinbase }: StatusParts): NodeStatus {
  const { own, epoch, view, final } = consensus;
  return {
    role: own === undefined ? "follower" : "validator",
    validator: own,
    coinbase,
    epoch: epoch.number,
    view,
    final: { height: final.height, hash: final.hash },
    peers: peers.map(({ peer, height }) => ({ peer, height })),
    evidence,
  };
}
