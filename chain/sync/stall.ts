/** How long nobody has given anything of the snapshot that is being fetched. */
import type { SyncLimits } from "./limits.ts";

export class Stall {
  readonly #limits: Pick<SyncLimits, "stallWait">;
  #since: number | undefined;

  constructor(limits: Pick<SyncLimits, "stallWait">) {
    this.#limits = limits;
  }

  /** Whether it has lasted too long to go on waiting. */
  isOver(now: number, hasSupporters: boolean): boolean {
    if (hasSupporters) {
      this.#since = undefined;
      return false;
    }
    this.#since ??= now;
    return now >= this.#since + this.#limits.stallWait;
  }

  end(): void {
    this.#since = undefined;
  }

  /** When it will have. */
  get times(): readonly number[] {
    return this.#since === undefined ? [] : [this.#since + this.#limits.stallWait];
  }
}
