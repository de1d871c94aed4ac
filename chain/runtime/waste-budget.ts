/**
 * How much work for nothing one peer may make us do. A transaction of an account without money costs its maker a
 * signature and every node a recovery, and no honest node hands it on; so each peer has so many of them, which come back
 * with time. What turns out to be of use is given back.
 */
import type { Rate } from "../../base/token-bucket.ts";
import { MAX_SERVED_PEERS, WASTED_RECOVERIES } from "./limits.ts";

interface Account {
  spent: number;
  /** When `spent` was that. */
  at: number;
}

export class WasteBudget {
  readonly #rate: Rate;
  /** The oldest first. */
  readonly #accounts = new Map<string, Account>();

  constructor(rate: Rate = WASTED_RECOVERIES) {
    this.#rate = rate;
  }

  /** Takes so many before the work begins. False when the peer has not as many left. */
  take(peer: string, amount: number, now: number): boolean {
    const account = this.#account(peer, now);
    if (account.spent + amount > this.#rate.burst) return false;
    account.spent += amount;
    return true;
  }

  /** So many of them were not for nothing. */
  giveBack(peer: string, amount: number, now: number): void {
    const account = this.#account(peer, now);
    account.spent = Math.max(0, account.spent - amount);
  }

  #account(peer: string, now: number): Account {
    const known = this.#accounts.get(peer) ?? { spent: 0, at: now };
    const passed = Math.max(0, now - known.at);
    known.spent = Math.max(0, known.spent - (passed * this.#rate.perSecond) / 1000);
    known.at = Math.max(known.at, now);
    this.#accounts.delete(peer);
    this.#accounts.set(peer, known);
    const [oldest] = this.#accounts.keys();
    if (this.#accounts.size > MAX_SERVED_PEERS && oldest !== undefined) this.#accounts.delete(oldest);
    return known;
  }
}
