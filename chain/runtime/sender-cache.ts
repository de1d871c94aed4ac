/**
 * Recovers each transaction's sender once, although it comes by gossip, in a proposed block and again from others. What
 * is being recovered is waited for; what was recovered lately is known. Its bytes are copied: they come as a part of a
 * message or block, all of which would stay in memory for as long as the transaction is known or waits.
 */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { assert, CodedError } from "../../base/errors.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Address } from "../../vm/state/account.ts";
import { decodeTransaction } from "../../vm/transaction/transaction.ts";
import { type ClaimedTransaction, NO_CLAIM, type SenderClaim } from "../senders/claim.ts";
import type { RecoveryResult } from "../senders/sender-pool.ts";
import { MAX_RECOVERED_BYTES, MAX_RECOVERED_KEPT } from "./limits.ts";

/** What another thread of ours has found out about a transaction, whose bytes are nobody else's. */
export interface KnownTransaction {
  readonly raw: Uint8Array;
  readonly hash: Uint8Array;
  readonly sender: Address;
}

/** A transaction with its hash, and who is said to have sent it. */
export interface HashedTransaction extends ClaimedTransaction {
  readonly hash: Hex;
}

type Recover = (raws: readonly Uint8Array[], claims?: readonly SenderClaim[]) => Promise<readonly RecoveryResult[]>;

/** A transaction whose sender is known, or is on its way with others. */
interface Known {
  result: RecoveryResult | undefined;
  readonly batch: Promise<void> | undefined;
  readonly bytes: number;
}

/** So many of them, with so many bytes together. */
class Generation {
  readonly known = new Map<Hex, Known>();
  bytes = 0;

  get isFull(): boolean {
    return 2 * this.known.size >= MAX_RECOVERED_KEPT || 2 * this.bytes >= MAX_RECOVERED_BYTES;
  }
}

export class SenderCache {
  readonly #recover: Recover;
  /**
   * Half of what is kept each, at most: when the young one is full, the old one is forgotten as a whole. Finding the
   * oldest of one map to forget it means passing the thousands that were forgotten before it, for each newcomer.
   */
  #young = new Generation();
  #old = new Generation();

  constructor(recover: Recover) {
    this.#recover = recover;
  }

  /** Done or under way. */
  has(hash: Hex): boolean {
    return this.#find(hash) !== undefined;
  }

  /** Another thread of ours has recovered this one. */
  know({ raw, hash, sender }: KnownTransaction): RecoveredTransaction {
    const key = bytesToHex(hash);
    const before = this.#find(key);
    if (before?.result !== undefined && !(before.result instanceof CodedError)) return before.result;
    const result = { transaction: decodeTransaction(raw, { knownHash: hash }), sender };
    if (before === undefined) this.#keep(key, { result, batch: undefined, bytes: raw.length });
    return result;
  }

  /** In the order of the transactions given. */
  async recover(transactions: readonly HashedTransaction[]): Promise<readonly RecoveryResult[]> {
    // Looked up first: what begins now may make others be forgotten.
    const before = transactions.map(({ hash }) => this.#find(hash));
    const unknown = new Map<Hex, HashedTransaction>();
    for (const [index, transaction] of transactions.entries()) {
      if (before[index] === undefined) unknown.set(transaction.hash, transaction);
    }
    const begun = unknown.size > 0 ? this.#begin([...unknown.values()]) : undefined;
    const all = transactions.map(({ hash }, index) => before[index] ?? begun?.get(hash));
    await Promise.all(new Set(all.map((known) => known?.batch)));
    return all.map((known) => {
      assert(known?.result !== undefined, "every transaction is known or under way");
      return known.result;
    });
  }

  /** With one promise for all of them: they come by thousands in a second. */
  #begin(unknown: readonly HashedTransaction[]): ReadonlyMap<Hex, Known> {
    const begun = new Map<Hex, Known>();
    const claims = unknown.some(({ claim }) => claim !== undefined)
      ? unknown.map(({ claim = NO_CLAIM }) => claim)
      : undefined;
    const raws = unknown.map(({ raw }) => new Uint8Array(raw));
    const batch = this.#recover(raws, claims).then(
      (results) => {
        for (const [index, known] of [...begun.values()].entries()) known.result = results[index];
      },
      (error: unknown) => {
        // A failure is our own, and may pass: it is not kept.
        for (const hash of begun.keys()) this.#forget(hash);
        throw error;
      },
    );
    for (const { hash, raw } of unknown) {
      const known = { result: undefined, batch, bytes: raw.length };
      begun.set(hash, known);
      this.#keep(hash, known);
    }
    return begun;
  }

  #find(hash: Hex): Known | undefined {
    return this.#young.known.get(hash) ?? this.#old.known.get(hash);
  }

  #keep(hash: Hex, known: Known): void {
    this.#young.known.set(hash, known);
    this.#young.bytes += known.bytes;
    if (!this.#young.isFull) return;
    this.#old = this.#young;
    this.#young = new Generation();
  }

  #forget(hash: Hex): void {
    for (const generation of [this.#young, this.#old]) {
      generation.bytes -= generation.known.get(hash)?.bytes ?? 0;
      generation.known.delete(hash);
    }
  }
}
