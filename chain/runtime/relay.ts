/** Stands between the network, which comes first, and what takes part later: the sync client, then the node. */
import type { Hex } from "../../base/bytes.ts";
import type { Progress } from "../../base/progress.ts";
import type { FinalSegment, Message } from "../consensus/types.ts";
import type { ClaimedTransaction } from "../senders/claim.ts";
import { isSyncRequest, type SyncRequest } from "../sync/messages.ts";
import type { SnapshotSource } from "../sync/snapshot-source.ts";
import type { SyncRunner } from "../sync/sync-runner.ts";
import { type BlobMessage, isBlobMessage } from "../wire/blobs.ts";
import type { NodeMessage } from "../wire/node-message.ts";
import type { BlobExchange } from "./blob-exchange.ts";
import type { Clock } from "./clock.ts";
import type { BatchJudgement } from "./intake.ts";
import type { Node } from "./node.ts";
import type { NodeNetwork, NodeNetworkHandlers, Peer } from "./node-network.ts";
import { ServingBudget } from "./serving-budget.ts";

const CONSENSUS_TYPES: ReadonlySet<string> = new Set<Message["type"]>([
  "proposal",
  "vote",
  "certificate",
  "block",
  "finals",
  "fetch-block",
  "fetch-certificates",
  "fetch-finals",
]);

/**
 * What an answer costs, in blocks read from disk: seals and headers come by dozens, leaves with a proof. How many leaves
 * there are shows when they are read, and then counts too: a MiB of them takes a tenth of a second (measured).
 */
const SYNC_COSTS: Readonly<Record<SyncRequest["type"], number>> = {
  "get-offers": 1,
  "get-seals": 16,
  "get-headers": 8,
  "get-code": 8,
  "get-chunk": 4,
};

/** Bytes of leaves that take as long as a block. */
const LEAF_BYTES_PER_BLOCK = 4_096;

export class Relay implements NodeNetworkHandlers {
  network: NodeNetwork | undefined;
  /** While it is catching up. */
  sync: SyncRunner | undefined;
  node: Node | undefined;
  blobs: BlobExchange | undefined;
  /** Asked for everything that comes: whether it may still be believed. */
  isAwake: () => boolean = () => true;
  readonly #source: SnapshotSource;
  readonly #clock: Clock;
  readonly #height: () => number;
  readonly #onBug: (error: unknown) => void;
  /** Apart from that of blocks: who catches up must not take it from who is a block behind. */
  readonly #syncBudget: ServingBudget;

  constructor(source: SnapshotSource, clock: Clock, height: () => number, onBug: (error: unknown) => void) {
    this.#source = source;
    this.#clock = clock;
    this.#height = height;
    this.#onBug = onBug;
    this.#syncBudget = new ServingBudget(clock.now());
  }

  onMessage(from: string, message: NodeMessage): void {
    if (!this.isAwake()) return;
    if (isBlobMessage(message)) this.blobs?.onMessage(from, message);
    else if (isConsensus(message)) this.node?.receive(from, message);
    else if (isSyncRequest(message)) this.#answer(from, message);
    else this.sync?.onMessage(from, message);
  }

  #answer(from: string, request: SyncRequest): void {
    const now = this.#clock.now();
    if (!this.#syncBudget.allows(from, SYNC_COSTS[request.type], now)) {
      this.network?.send(from, { type: "refused", id: request.id, reason: "busy" });
      return;
    }
    this.#source
      .answer(from, request, now)
      .then((answer) => {
        if (answer.type === "chunk") this.#syncBudget.owe(from, answer.leaves.length / LEAF_BYTES_PER_BLOCK, now);
        this.network?.send(from, answer);
      })
      .catch((error: unknown) => this.#onBug(error));
  }

  async onTransactions(from: string, batch: readonly ClaimedTransaction[]): Promise<BatchJudgement> {
    return this.isAwake() ? ((await this.node?.receiveTransactions(batch, from)) ?? "ignore") : "ignore";
  }

  async onFinalBlock(from: string, segment: FinalSegment): Promise<BatchJudgement> {
    return this.isAwake() ? ((await this.node?.receiveFinalBlock(from, segment)) ?? "ignore") : "ignore";
  }

  async onProgress(from: string, batch: readonly Progress[]): Promise<BatchJudgement> {
    return this.isAwake() ? (this.node?.progress.receive(from, batch) ?? "ignore") : "ignore";
  }

  onPeer(peer: Peer, isConnected: boolean): void {
    this.sync?.onPeer(peer.peer, isConnected);
    if (isConnected) this.node?.onPeer(peer);
    else this.blobs?.onGone(peer.peer);
  }

  /** Nobody is, before there is a node: what it would say to validators does not come yet either. */
  isValidator(key: Hex): boolean {
    return this.node?.consensus.epoch.set.indexOf.has(key) ?? false;
  }

  status(): { readonly height: number } {
    return { height: this.#height() };
  }
}

function isConsensus(message: Exclude<NodeMessage, BlobMessage>): message is Message {
  return CONSENSUS_TYPES.has(message.type);
}
