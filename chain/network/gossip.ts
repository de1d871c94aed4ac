/** Gossip: transactions and what workers report to everybody, in batches; final blocks to those who follow the chain. */
import type { GossipSub, Message, TopicValidatorResult } from "@libp2p/gossipsub";
import type { PeerId } from "@libp2p/interface";
import type { Hex } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import type { Progress } from "../../base/progress.ts";
import type { FinalSegment } from "../consensus/types.ts";
import type { ClaimedTransaction } from "../senders/claim.ts";
import {
  decodeProgress,
  decodeTransactions,
  encodeProgress,
  encodeTransactions,
  type FinalCodec,
} from "../wire/gossip.ts";
import { MAX_FINAL_BYTES, MAX_TRANSACTION_BYTES } from "../wire/limits.ts";
import type { Topics } from "./gossip-options.ts";
import { MAX_VALIDATIONS, MAX_VALIDATIONS_PER_PEER } from "./limits.ts";
import type { NetworkLog } from "./log.ts";
import { ProgressBatcher } from "./progress-batcher.ts";
import type { GossipKind } from "./rate-limits.ts";
import type { Offence } from "./score.ts";
import { TransactionBatcher } from "./transaction-batcher.ts";

/** `reject` costs the peer that passed the message on; `ignore` costs nobody, and the message goes no further. */
export type GossipVerdict = "accept" | "ignore" | "reject";

export interface GossipHandlers {
  onTransactions(peer: string, batch: readonly ClaimedTransaction[]): Promise<GossipVerdict>;
  onFinalBlock(peer: string, segment: FinalSegment): Promise<GossipVerdict>;
  onProgress(peer: string, batch: readonly Progress[]): Promise<GossipVerdict>;
}

export interface GossipHost {
  readonly topics: Topics;
  readonly finals: FinalCodec;
  readonly log: NetworkLog;
  now(): number;
  /** Whether gossip with the peer is open in both directions. */
  hasGossipStreams(peer: PeerId): boolean;
  /** False for strangers, and for too much. */
  admits(peer: string, kind: GossipKind, bytes: number): boolean;
  readonly handlers: GossipHandlers;
  /** What the peer brought is passed on. */
  onUseful(peer: string): void;
  onOffence(peer: string, offence: Offence, error: Error): void;
}

export class Gossip {
  readonly #pubsub: GossipSub;
  readonly #host: GossipHost;
  readonly #batcher: TransactionBatcher;
  readonly #progress: ProgressBatcher;
  readonly #validating = new Map<string, number>();
  #validations = 0;
  #followsFinals = false;

  constructor(pubsub: GossipSub, host: GossipHost) {
    this.#pubsub = pubsub;
    this.#host = host;
    const { transactions, progress } = host.topics;
    this.#batcher = new TransactionBatcher({
      // What gossipsub publishes to nobody is lost, and can never be published again.
      isHeard: () => pubsub.getSubscribers(transactions).some((peer) => host.hasGossipStreams(peer)),
      publish: (batch) => this.#publish(transactions, encodeTransactions(batch)),
      now: () => host.now(),
    });
    this.#progress = new ProgressBatcher((batch) => this.#publish(progress, encodeProgress(batch)));
  }

  start(): void {
    const { topics } = this.#host;
    this.#pubsub.topicValidators.set(topics.transactions, (peer, message) =>
      this.#validate(peer, message, "transactions", (from) => this.#onTransactions(from, message)),
    );
    this.#pubsub.topicValidators.set(topics.finals, (peer, message) =>
      this.#validate(peer, message, "final", (from) => this.#onFinal(from, message)),
    );
    this.#pubsub.topicValidators.set(topics.progress, (peer, message) =>
      this.#validate(peer, message, "progress", (from) => this.#onProgress(from, message)),
    );
    this.#pubsub.addEventListener("subscription-change", () => this.#batcher.retry());
    this.#pubsub.subscribe(topics.transactions);
    this.#pubsub.subscribe(topics.progress);
  }

  /** Who follows the chain by gossip subscribes to final blocks; validators of the current set have them from consensus. */
  followFinals(isWanted: boolean): void {
    if (isWanted === this.#followsFinals) return;
    this.#followsFinals = isWanted;
    if (isWanted) this.#pubsub.subscribe(this.#host.topics.finals);
    else this.#pubsub.unsubscribe(this.#host.topics.finals);
  }

  stop(): void {
    this.#batcher.close();
    this.#progress.close();
    this.#pubsub.topicValidators.clear();
  }

  /** Transactions that nobody could hear so far. */
  retry(): void {
    this.#batcher.retry();
  }

  publishTransactions(transactions: readonly ClaimedTransaction[]): void {
    const fitting = transactions.filter(({ raw }) => raw.length > 0 && raw.length <= MAX_TRANSACTION_BYTES);
    const dropped = transactions.length - fitting.length + this.#batcher.add(fitting);
    if (dropped > 0) this.#host.log.warn({ dropped }, "transactions not gossiped");
  }

  publishFinalBlock(segment: FinalSegment): void {
    const encoded = this.#host.finals.encode(segment);
    if (encoded.length <= MAX_FINAL_BYTES) this.#publish(this.#host.topics.finals, encoded);
    else this.#host.log.warn({ blocks: segment.blocks.length }, "final blocks too long for gossip");
  }

  publishProgress(progress: Progress, worker: Hex): void {
    this.#progress.add(progress, worker);
  }

  #publish(topic: string, data: Uint8Array): void {
    this.#pubsub.publish(topic, data).catch((error: unknown) => {
      this.#host.log.warn({ topic, error: String(error) }, "cannot publish");
    });
  }

  async #onTransactions(from: string, { data }: Message): Promise<GossipVerdict> {
    return await this.#host.handlers.onTransactions(from, decodeTransactions(data));
  }

  async #onFinal(from: string, { data }: Message): Promise<GossipVerdict> {
    return await this.#host.handlers.onFinalBlock(from, this.#host.finals.decode(data));
  }

  async #onProgress(from: string, { data }: Message): Promise<GossipVerdict> {
    return await this.#host.handlers.onProgress(from, decodeProgress(data));
  }

  async #validate(
    peer: PeerId,
    message: Message,
    kind: GossipKind,
    handle: (from: string) => Promise<GossipVerdict>,
  ): Promise<TopicValidatorResult> {
    const from = peer.toString();
    const underWay = this.#validating.get(from) ?? 0;
    const isBusy = underWay >= MAX_VALIDATIONS_PER_PEER || this.#validations >= MAX_VALIDATIONS;
    if (isBusy || !this.#host.admits(from, kind, message.data.length)) return "ignore" as TopicValidatorResult;
    this.#validating.set(from, underWay + 1);
    this.#validations++;
    try {
      return (await this.#verdict(from, handle)) as TopicValidatorResult;
    } finally {
      this.#validations--;
      const left = (this.#validating.get(from) ?? 1) - 1;
      if (left > 0) this.#validating.set(from, left);
      else this.#validating.delete(from);
    }
  }

  async #verdict(from: string, handle: (from: string) => Promise<GossipVerdict>): Promise<GossipVerdict> {
    try {
      const verdict = await handle(from);
      if (verdict === "accept") this.#host.onUseful(from);
      if (verdict === "reject") this.#host.onOffence(from, "invalid-transaction", new Error("rejected gossip"));
      return verdict;
    } catch (error) {
      // Anything else, a full disk for instance, is no fault of the peer's.
      if (isCoded(error, "WIRE_INVALID")) {
        this.#host.onOffence(from, "malformed", error);
        return "reject";
      }
      this.#host.log.error({ error }, "a handler of gossip failed");
      return "ignore";
    }
  }
}
