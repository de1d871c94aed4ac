/**
 * Transactions of peers whose nonces are too far ahead for the mempool. Gossip loses a message now and then, and brings
 * others before their time: without those that come too early, a node would refuse all that follow of their senders until
 * somebody tells them again, and would have nothing to propose meanwhile. They are kept for a moment, within bounds for
 * each peer and for all.
 */
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Address } from "../../vm/state/account.ts";
import { EARLY_MILLISECONDS, EARLY_SHARE, MAX_EARLY_BYTES, MAX_EARLY_TRANSACTIONS } from "./limits.ts";

export interface EarlyTransaction {
  readonly entry: RecoveredTransaction;
  readonly from: string;
  readonly at: number;
}

export class EarlyTransactions {
  /** By nonce. None is empty. */
  readonly #bySender = new Map<Address, Map<bigint, EarlyTransaction>>();
  /** The oldest first. */
  readonly #all = new Set<EarlyTransaction>();
  readonly #countOf = new Map<string, number>();
  #bytes = 0;

  get size(): number {
    return this.#all.size;
  }

  has(sender: Address): boolean {
    return this.#bySender.has(sender);
  }

  /** False when there is no room for it. One with the same nonce makes way. */
  hold(entry: RecoveredTransaction, from: string, now: number): boolean {
    this.#expire(now);
    const { nonce, raw } = entry.transaction;
    const before = this.#bySender.get(entry.sender)?.get(nonce);
    if (before !== undefined) this.#remove(before);
    const count = this.#countOf.get(from) ?? 0;
    const isFull = this.size >= MAX_EARLY_TRANSACTIONS || this.#bytes + raw.length > MAX_EARLY_BYTES;
    if (isFull || count >= EARLY_SHARE * MAX_EARLY_TRANSACTIONS) return false;
    const early = { entry, from, at: now };
    const own = this.#bySender.get(entry.sender);
    if (own === undefined) this.#bySender.set(entry.sender, new Map([[nonce, early]]));
    else own.set(nonce, early);
    this.#all.add(early);
    this.#countOf.set(from, count + 1);
    this.#bytes += raw.length;
    return true;
  }

  /** Those of the sender up to that nonce, in order, and not here any more. */
  take(sender: Address, upTo: bigint, now: number): readonly EarlyTransaction[] {
    this.#expire(now);
    const taken = [...(this.#bySender.get(sender)?.values() ?? [])].filter((early) => nonceOf(early) <= upTo);
    for (const early of taken) this.#remove(early);
    return taken.sort((a, b) => (nonceOf(a) < nonceOf(b) ? -1 : 1));
  }

  #expire(now: number): void {
    for (const early of this.#all) {
      if (early.at + EARLY_MILLISECONDS > now) return;
      this.#remove(early);
    }
  }

  #remove(early: EarlyTransaction): void {
    const { entry, from } = early;
    this.#all.delete(early);
    this.#bytes -= entry.transaction.raw.length;
    const own = this.#bySender.get(entry.sender);
    own?.delete(entry.transaction.nonce);
    if (own?.size === 0) this.#bySender.delete(entry.sender);
    const left = (this.#countOf.get(from) ?? 1) - 1;
    if (left === 0) this.#countOf.delete(from);
    else this.#countOf.set(from, left);
  }
}

function nonceOf({ entry }: EarlyTransaction): bigint {
  return entry.transaction.nonce;
}
