/** How long offers are waited for: a first peer for a while, and after its answer the others for a moment. */
import type { SyncLimits } from "./limits.ts";

/** After so many answers, all of the peers at hand, the others are not waited for. */
const ENOUGH_ANSWERS = 3;

export class OffersWait {
  readonly #limits: Pick<SyncLimits, "offersWait" | "peersWait">;
  #since = 0;
  #firstAt: number | undefined;

  constructor(limits: Pick<SyncLimits, "offersWait" | "peersWait">) {
    this.#limits = limits;
  }

  begin(now: number): void {
    this.#since = now;
    this.#firstAt = undefined;
  }

  onAnswer(now: number): void {
    this.#firstAt ??= now;
  }

  /** `answers` of so many `peers`. */
  isOver(now: number, answers: number, peers: number): boolean {
    if (answers === 0 || this.#firstAt === undefined) return now >= this.#since + this.#limits.peersWait;
    return now >= this.#firstAt + this.#limits.offersWait || (answers >= ENOUGH_ANSWERS && answers === peers);
  }

  /** When it may be over. */
  get times(): readonly number[] {
    const { offersWait, peersWait } = this.#limits;
    const ofFirst = this.#since + peersWait;
    return this.#firstAt === undefined ? [ofFirst] : [ofFirst, this.#firstAt + offersWait];
  }
}
