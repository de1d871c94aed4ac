/**
 * The RPC has one thread. Requests take turns on it, one at a time, for a slice of time together; then the event loop goes
 * round, so that sockets, timers and other threads never wait for more than a slice and one piece of work. The request
 * that has worked least goes first: a small question does not wait for the end of a long batch, and many connections get
 * no more of the thread than one.
 */
import { SLICE_MILLISECONDS } from "./limits.ts";

interface Waiter {
  /** What its request has worked so far. */
  readonly spent: number;
  readonly go: () => void;
}

/** Milliseconds, from any beginning. */
export type Now = () => number;

export class Turns {
  private readonly now: Now;
  /** In order of arrival. */
  private readonly waiting: Waiter[] = [];
  private isTaken = false;
  private isScheduled = false;
  private sliceEnd = 0;

  constructor(now: Now) {
    this.now = now;
  }

  /** Whoever has the turn should give it back before going on. */
  isOver(now: number): boolean {
    return now >= this.sliceEnd;
  }

  /**
   * Resolves when it is the caller's turn, which lasts until `give`; `undefined` when it is at once. So it is for a request
   * that comes when nobody else is there: the event loop has just gone round, or else it would not have come.
   */
  take(spent: number, now: number): Promise<void> | undefined {
    if (spent === 0 && !this.isTaken && this.waiting.length === 0) {
      this.isTaken = true;
      this.sliceEnd = now + SLICE_MILLISECONDS;
      return undefined;
    }
    return new Promise((go) => {
      this.waiting.push({ spent, go });
      if (!this.isTaken) this.schedule();
    });
  }

  give(): void {
    this.isTaken = false;
    if (this.waiting.length === 0) return;
    if (this.isOver(this.now())) this.schedule();
    else this.grant();
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      // Somebody new may have come first.
      if (this.isTaken) return;
      this.sliceEnd = this.now() + SLICE_MILLISECONDS;
      this.grant();
    });
  }

  private grant(): void {
    const least = this.waiting.reduce((best, { spent }, index, all) => {
      return spent < (all[best]?.spent ?? Number.POSITIVE_INFINITY) ? index : best;
    }, 0);
    const [next] = this.waiting.splice(least, 1);
    if (next === undefined) return;
    this.isTaken = true;
    next.go();
  }
}
