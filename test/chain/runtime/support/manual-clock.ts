/** A clock that moves when a test says so. */
import type { Clock } from "../../../../chain/runtime/clock.ts";

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

export class ManualClock implements Clock {
  private time: number;
  private timers: Timer[] = [];

  constructor(time: number) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  setTimer(milliseconds: number, run: () => void): () => void {
    const timer = { at: this.time + milliseconds, run };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  get timersSet(): number {
    return this.timers.length;
  }

  /** Milliseconds until the next timer. */
  get nextTimer(): number | undefined {
    return this.timers.length === 0 ? undefined : Math.min(...this.timers.map(({ at }) => at)) - this.time;
  }

  advance(milliseconds: number): void {
    this.time += milliseconds;
    const due = this.timers.filter(({ at }) => at <= this.time);
    this.timers = this.timers.filter(({ at }) => at > this.time);
    for (const { run } of due) run();
  }
}
