/**
 * How many blocks others may have read from our disk. A request is small and its answer large, so whoever asks decides
 * how much work it is: each peer has its share, and all together no more than leaves time for consensus. Who is refused
 * asks somebody else.
 */

import { type Rate, TokenBucket } from "../../base/token-bucket.ts";
import type { Message } from "../consensus/types.ts";
import {
  MAX_SERVED_PEERS,
  SERVED_BLOCKS,
  SERVED_BLOCKS_PER_PEER,
  SERVED_BYTES,
  SERVED_BYTES_PER_PEER,
} from "./limits.ts";

export class ServingBudget {
  readonly #perPeer: Rate;
  readonly #all: TokenBucket;
  /** The oldest first. */
  readonly #peers = new Map<string, TokenBucket>();

  constructor(now: number, perPeer: Rate = SERVED_BLOCKS_PER_PEER, all: Rate = SERVED_BLOCKS) {
    this.#perPeer = perPeer;
    this.#all = new TokenBucket(all, now);
  }

  /** Whether so many blocks may be read for the peer. */
  allows(peer: string, blocks: number, now: number): boolean {
    return this.#of(peer, now).take(blocks, now) && this.#all.take(blocks, now);
  }

  /** So much more was read for the peer than it had asked leave for. */
  owe(peer: string, blocks: number, now: number): void {
    this.#of(peer, now).owe(blocks, now);
    this.#all.owe(blocks, now);
  }

  #of(peer: string, now: number): TokenBucket {
    const own = this.#peers.get(peer) ?? new TokenBucket(this.#perPeer, now);
    this.#peers.delete(peer);
    this.#peers.set(peer, own);
    const [oldest] = this.#peers.keys();
    if (this.#peers.size > MAX_SERVED_PEERS && oldest !== undefined) this.#peers.delete(oldest);
    return own;
  }
}

/**
 * How many bytes of blocks go out to those who ask. Blocks that are not final yet come from memory and are not read from
 * disk, but a peer could ask for the same large one two hundred times a second.
 */
export class SentBlocks {
  readonly #budget: ServingBudget;

  constructor(now: number, perPeer: Rate = SERVED_BYTES_PER_PEER, all: Rate = SERVED_BYTES) {
    this.#budget = new ServingBudget(now, perPeer, all);
  }

  /** Whether the message may go to the peer: always, when it has no blocks. */
  allows(peer: string, message: Message, now: number): boolean {
    const bytes = blockBytes(message);
    return bytes === 0 || this.#budget.allows(peer, bytes, now);
  }
}

function blockBytes(message: Message): number {
  if (message.type === "block") return message.block.body.length;
  if (message.type !== "finals") return 0;
  return message.segments.reduce((sum, { blocks }) => blocks.reduce((own, { body }) => own + body.length, sum), 0);
}
