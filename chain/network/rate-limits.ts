/**
 * What one peer may send of each kind, far above what an honest one does: votes of a validator in views of 50 ms, its
 * resends after a partition, blocks at the speed of a fast line.
 */

import { type Rate, TokenBucket } from "../../base/token-bucket.ts";
import type { MessageKind } from "../wire/node-message.ts";

const MEGABYTE = 1024 * 1024;

interface KindRate {
  readonly messages: Rate;
  readonly bytes: Rate;
}

export type GossipKind = "transactions" | "final" | "progress";
export type LimitedKind = MessageKind | GossipKind;

const small = (perSecond: number, burst: number): KindRate => ({
  messages: { perSecond, burst },
  bytes: { perSecond: MEGABYTE, burst: 4 * MEGABYTE },
});
const bulk = (perSecond: number, burst: number): KindRate => ({
  messages: { perSecond, burst },
  bytes: { perSecond: 64 * MEGABYTE, burst: 256 * MEGABYTE },
});

const RATES: Readonly<Record<LimitedKind, KindRate>> = {
  // A second hello is an error anyway.
  hello: small(1, 1),
  status: small(20, 100),
  proposal: bulk(40, 100),
  vote: small(1_000, 5_000),
  certificate: small(1_000, 5_000),
  "get-peers": small(0.2, 5),
  peers: small(0.2, 5),
  block: bulk(200, 1_000),
  finals: bulk(100, 400),
  "fetch-block": small(200, 1_000),
  "fetch-certificates": small(50, 200),
  "fetch-finals": small(50, 200),
  sync: bulk(500, 2_000),
  "find-blob": small(50, 200),
  "get-part": small(200, 400),
  "blob-found": small(50, 200),
  "blob-none": small(200, 400),
  "blob-busy": small(200, 400),
  "blob-part": bulk(200, 400),
  // What a peer hands on is what a hundred busy nodes publish, each every TRANSACTION_PACE: the bytes are the bound.
  transactions: {
    messages: { perSecond: 2_000, burst: 10_000 },
    bytes: { perSecond: 8 * MEGABYTE, burst: 32 * MEGABYTE },
  },
  final: bulk(50, 200),
  // The same of forty nodes, each every PROGRESS_PACE.
  progress: small(200, 1_000),
};

/** The buckets of one peer. */
export class RateLimits {
  readonly #buckets = new Map<LimitedKind, { readonly messages: TokenBucket; readonly bytes: TokenBucket }>();

  /** False when the message is too much. */
  allows(kind: LimitedKind, bytes: number, now: number): boolean {
    let buckets = this.#buckets.get(kind);
    if (buckets === undefined) {
      const rate = RATES[kind];
      buckets = { messages: new TokenBucket(rate.messages, now), bytes: new TokenBucket(rate.bytes, now) };
      this.#buckets.set(kind, buckets);
    }
    return buckets.messages.take(1, now) && buckets.bytes.take(bytes, now);
  }
}
