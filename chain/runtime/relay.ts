/** Stands between the network, which comes first, and what takes part later: the sync client, then the node. */
import type { FinalSegment, Message } from "../consensus/types.ts";
import { isSyncRequest, type SyncMessage } from "../sync/messages.ts";
import type { SnapshotSource } from "../sync/snapshot-source.ts";
import type { SyncRunner } from "../sync/sync-runner.ts";
import type { NodeMessage } from "../wire/node-message.ts";
import type { Clock } from "./clock.ts";
import type { BatchJudgement } from "./intake.ts";
import type { Node } from "./node.ts";
import type { NodeNetwork, NodeNetworkHandlers, Peer } from "./node-network.ts";

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

export class Relay implements NodeNetworkHandlers {
  network: NodeNetwork | undefined;
  /** While it is catching up. */
  sync: SyncRunner | undefined;
  node: Node | undefined;
  readonly #source: SnapshotSource;
  readonly #clock: Clock;
  readonly #height: () => number;
  readonly #onBug: (error: unknown) => void;

  constructor(source: SnapshotSource, clock: Clock, height: () => number, onBug: (error: unknown) => void) {
    this.#source = source;
    this.#clock = clock;
    this.#height = height;
    this.#onBug = onBug;
  }

  onMessage(from: string, message: NodeMessage): void {
    if (isConsensus(message)) this.node?.receive(from, message);
    else if (isSyncRequest(message)) {
      this.#source
        .answer(from, message, this.#clock.now())
        .then((answer) => this.network?.send(from, answer))
        .catch((error: unknown) => this.#onBug(error));
    } else this.sync?.onMessage(from, message);
  }

  async onTransactions(_: string, raws: readonly Uint8Array[]): Promise<BatchJudgement> {
    return (await this.node?.receiveTransactions(raws)) ?? "ignore";
  }

  async onFinalBlock(from: string, segment: FinalSegment): Promise<BatchJudgement> {
    return (await this.node?.receiveFinalBlock(from, segment)) ?? "ignore";
  }

  onPeer(peer: Peer, isConnected: boolean): void {
    this.sync?.onPeer(peer.peer, isConnected);
    if (isConnected) this.node?.onPeer(peer);
  }

  status(): { readonly height: number } {
    return { height: this.#height() };
  }
}

function isConsensus(message: NodeMessage): message is Exclude<NodeMessage, SyncMessage> {
  return CONSENSUS_TYPES.has(message.type);
}
