/**
 * The transactions of our own clients, which we have acknowledged: told to the others again while they wait. Gossip
 * reaches only who is there at that moment, and a node that leads no view cannot bring them into a block by itself.
 */
import type { Hex } from "../../base/bytes.ts";
import type { Mempool } from "../mempool/mempool.ts";
import { type ClaimedTransaction, claimOf } from "../senders/claim.ts";
import { MAX_REPUBLISHED, REPUBLISH_INTERVAL } from "./limits.ts";

export class OwnTransactions {
  /** When each was last told to others. */
  readonly #published = new Map<Hex, number>();

  /** They have just been told to others, or, with a time long ago, will be soon. */
  add(transactions: readonly { readonly hash: Hex }[], publishedAt: number): void {
    for (const { hash } of transactions) this.#published.set(hash, publishedAt);
  }

  /** Those that have waited so long since the last time that they are to be told again now. */
  takeDue(mempool: Pick<Mempool, "get">, now: number): readonly ClaimedTransaction[] {
    const due: ClaimedTransaction[] = [];
    for (const [hash, publishedAt] of this.#published) {
      const entry = mempool.get(hash);
      if (entry === undefined) this.#published.delete(hash);
      else if (publishedAt + REPUBLISH_INTERVAL <= now && due.length < MAX_REPUBLISHED) {
        due.push({ raw: entry.transaction.raw, claim: claimOf(entry.sender) });
        this.#published.set(hash, now);
      }
    }
    return due;
  }
}
