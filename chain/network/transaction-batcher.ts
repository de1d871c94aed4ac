/**
 * Puts transactions into batches. A message of gossip costs nearly the same at 200 bytes as at 10,000 (measured), so a
 * node that is busy sends few large ones; one that is idle sends a transaction at once.
 */
import { batchesOf } from "../wire/gossip.ts";
import { MAX_WAITING_TRANSACTION_BYTES, TRANSACTION_PACE } from "./limits.ts";

export class TransactionBatcher {
  readonly #publish: (batch: readonly Uint8Array[]) => void;
  readonly #now: () => number;
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastAt = 0;
  #isClosed = false;

  constructor(publish: (batch: readonly Uint8Array[]) => void, now: () => number) {
    this.#publish = publish;
    this.#now = now;
  }

  /** How many were taken; the rest does not fit. */
  add(raws: readonly Uint8Array[]): number {
    let taken = 0;
    for (const raw of raws) {
      if (this.#isClosed || this.#bytes + raw.length > MAX_WAITING_TRANSACTION_BYTES) break;
      this.#waiting.push(raw);
      this.#bytes += raw.length;
      taken++;
    }
    if (taken > 0 && this.#timer === undefined) {
      const wait = Math.min(TRANSACTION_PACE, Math.max(0, this.#lastAt + TRANSACTION_PACE - this.#now()));
      this.#timer = setTimeout(() => this.#flush(), wait);
    }
    return taken;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#waiting = [];
    this.#bytes = 0;
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#timer = undefined;
    this.#waiting = [];
    this.#bytes = 0;
    this.#lastAt = this.#now();
    for (const batch of batchesOf(waiting)) this.#publish(batch);
  }
}
