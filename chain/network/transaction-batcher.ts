/**
 * Puts transactions into batches. A message of gossip costs nearly the same at 200 bytes as at 10,000 (measured), so a
 * node that is busy sends few large ones; one that is idle sends a transaction at once.
 */
import type { ClaimedTransaction } from "../senders/claim.ts";
import { batchesOf } from "../wire/gossip.ts";
import { MAX_WAITING_TRANSACTION_BYTES, TRANSACTION_PACE } from "./limits.ts";

export interface BatcherHost {
  /** False while nobody would hear it: then the transactions wait for `retry`. */
  isHeard(): boolean;
  publish(batch: readonly ClaimedTransaction[]): void;
  now(): number;
}

export class TransactionBatcher {
  readonly #host: BatcherHost;
  #waiting: ClaimedTransaction[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(host: BatcherHost) {
    this.#host = host;
  }

  /** How many did not fit. */
  add(transactions: readonly ClaimedTransaction[]): number {
    let dropped = 0;
    for (const transaction of transactions) {
      const { length } = transaction.raw;
      if (this.#isClosed || this.#bytes + length > MAX_WAITING_TRANSACTION_BYTES) {
        dropped++;
        continue;
      }
      this.#waiting.push(transaction);
      this.#bytes += length;
    }
    this.retry();
    return dropped;
  }

  /** Somebody may listen now. */
  retry(): void {
    if (this.#timer !== undefined || this.#waiting.length === 0 || !this.#host.isHeard()) return;
    const wait = Math.max(0, this.#lastAt + TRANSACTION_PACE - this.#host.now());
    this.#timer = setTimeout(() => this.#flush(), wait);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
    this.#bytes = 0;
  }

  #flush(): void {
    this.#timer = undefined;
    if (!this.#host.isHeard()) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    this.#lastAt = this.#host.now();
    for (const batch of batchesOf(waiting)) this.#host.publish(batch);
  }
}
