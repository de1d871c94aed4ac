/** One run of a node's process, from its start to its crash. What it had planned for later dies with it. */
import type { Clock } from "../../chain/runtime/clock.ts";
import type { EventQueue } from "./event-queue.ts";

export class Lifetime {
  readonly queue: EventQueue;
  isOver = false;

  constructor(queue: EventQueue) {
    this.queue = queue;
  }

  after(delay: number, run: () => void): void {
    this.queue.after(delay, () => {
      if (!this.isOver) run();
    });
  }

  /** Resolves then, if the process is still there. */
  wait(delay: number): Promise<void> {
    return new Promise((resolve) => this.after(delay, () => this.settle(resolve)));
  }

  /** Runs what resolves a promise. */
  settle(resolve: () => void): void {
    this.queue.settle();
    resolve();
  }

  /** The node's clock, so many milliseconds ahead of the world's. */
  clock(skew: () => number): Clock {
    const now = (): number => Math.floor(this.queue.now + skew());
    return {
      now,
      setTimer: (milliseconds, run) => {
        let isCancelled = false;
        this.after(milliseconds, () => {
          if (!isCancelled) run();
        });
        return () => {
          isCancelled = true;
        };
      },
    };
  }
}
