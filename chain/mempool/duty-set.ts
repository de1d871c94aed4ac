import type { Hex } from "../../base/bytes.ts";
import type { Address } from "../../vm/state/account.ts";
import type { MempoolLimits } from "./limits.ts";
import type { Waiting } from "./waiting.ts";

/** What waits of those whose turn it is: few, so that each can be asked about after every block. */
export class DutySet {
  readonly #limits: Pick<MempoolLimits, "duties" | "senderDuties">;
  readonly #waiting = new Map<Hex, Waiting>();
  readonly #bySender = new Map<Address, number>();

  constructor(limits: Pick<MempoolLimits, "duties" | "senderDuties">) {
    this.#limits = limits;
  }

  get isFull(): boolean {
    return this.#waiting.size >= this.#limits.duties;
  }

  hasRoomOf(sender: Address): boolean {
    return this.#of(sender) < this.#limits.senderDuties;
  }

  /**
   * Whose place one more of the sender may take that is ready: that of one which is not, and costs nothing there, or else the
   * latest of whoever has most places, as long as that is more than the sender has with it.
   */
  placeFor(sender: Address, isReady: (waiting: Waiting) => boolean): Waiting | undefined {
    let [found, most]: [Waiting | undefined, number] = [undefined, this.#of(sender) + 1];
    for (const waiting of this.#waiting.values()) {
      if (!isReady(waiting)) return waiting;
      const count = this.#of(waiting.entry.sender);
      if (count < most || (found === undefined && count === most)) continue;
      [found, most] = [waiting, count];
    }
    return found;
  }

  add(waiting: Waiting): void {
    const { sender } = waiting.entry;
    this.#waiting.set(waiting.hash, waiting);
    this.#bySender.set(sender, this.#of(sender) + 1);
  }

  remove({ hash, entry: { sender } }: Waiting): void {
    if (!this.#waiting.delete(hash)) return;
    const left = this.#of(sender) - 1;
    if (left > 0) this.#bySender.set(sender, left);
    else this.#bySender.delete(sender);
  }

  /** As they are now: what is asked about them may change the set. */
  all(): readonly Waiting[] {
    return [...this.#waiting.values()];
  }

  #of(sender: Address): number {
    return this.#bySender.get(sender) ?? 0;
  }
}
