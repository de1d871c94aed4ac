/** Requests under way: who was asked for what, and until when. */
import type { SyncPeer } from "./peer-book.ts";

export interface Pending<Job> {
  readonly peer: SyncPeer;
  /** Milliseconds. */
  readonly deadline: number;
  readonly job: Job;
}

export class PendingRequests<Job> {
  readonly #pending = new Map<number, Pending<Job>>();

  get size(): number {
    return this.#pending.size;
  }

  get deadlines(): readonly number[] {
    return [...this.#pending.values()].map(({ deadline }) => deadline);
  }

  add(id: number, pending: Pending<Job>): void {
    pending.peer.requests++;
    this.#pending.set(id, pending);
  }

  has(isWanted: (job: Job) => boolean): boolean {
    for (const { job } of this.#pending.values()) if (isWanted(job)) return true;
    return false;
  }

  /** The one with that number, if that peer was asked. */
  take(id: number, from: string): Pending<Job> | undefined {
    const pending = this.#pending.get(id);
    return pending?.peer.id === from ? this.#remove(id, pending) : undefined;
  }

  takeAll(isWanted: (pending: Pending<Job>) => boolean): Pending<Job>[] {
    const wanted = [...this.#pending].filter(([, pending]) => isWanted(pending));
    return wanted.map(([id, pending]) => this.#remove(id, pending));
  }

  #remove(id: number, pending: Pending<Job>): Pending<Job> {
    this.#pending.delete(id);
    pending.peer.requests--;
    return pending;
  }
}
