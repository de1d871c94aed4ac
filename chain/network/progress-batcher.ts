/** Puts what workers report into batches: of each worker's reports about one job only the newest goes out. */
import type { Hex } from "../../base/bytes.ts";
import type { Progress } from "../../base/progress.ts";
import { MAX_BATCH_PROGRESS } from "../wire/limits.ts";
import { MAX_WAITING_PROGRESS, PROGRESS_PACE } from "./limits.ts";

export class ProgressBatcher {
  readonly #publish: (batch: readonly Progress[]) => void;
  readonly #waiting = new Map<string, Progress>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(publish: (batch: readonly Progress[]) => void) {
    this.#publish = publish;
  }

  /** What does not fit is lost: the next report says more. */
  add(progress: Progress, worker: Hex): void {
    const key = `${progress.job} ${worker}`;
    if (this.#isClosed || (this.#waiting.size >= MAX_WAITING_PROGRESS && !this.#waiting.has(key))) return;
    this.#waiting.set(key, progress);
    this.#timer ??= setTimeout(() => this.#flush(), PROGRESS_PACE);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #flush(): void {
    this.#timer = undefined;
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (let start = 0; start < all.length; start += MAX_BATCH_PROGRESS) {
      this.#publish(all.slice(start, start + MAX_BATCH_PROGRESS));
    }
  }
}
