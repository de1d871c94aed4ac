/**
 * Recovers each transaction's sender once, although it comes by gossip, in a proposed block and again from others. What
 * is being recovered is waited for; what was recovered lately is known. Its bytes are copied: they come as a part of a
 * message or block, all of which would stay in memory for as long as the transaction is known or waits.
 */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { assert, CodedError } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Address } from "../../vm/state/account.ts";
import { decodeTransaction } from "../../vm/transaction/transaction.ts";
import type { RecoveryResult } from "../senders/sender-pool.ts";
import { MAX_RECOVERED_BYTES, MAX_RECOVERED_KEPT } from "./limits.ts";

/** What another thread of ours has found out about a transaction, whose bytes are nobody else's. */
export interface KnownTransaction {
  readonly raw: Uint8Array;
  readonly hash: Uint8Array;
  readonly sender: Address;
}

type Recover = (raws: readonly Uint8Array[]) => Promise<readonly RecoveryResult[]>;

/** A transaction whose sender is known, or is on its way with others. */
interface Known {
  result: RecoveryResult | undefined;
  readonly batch: Promise<void> | undefined;
  readonly bytes: number;
}

export class SenderCache {
  readonly #recover: Recover;
  /** The oldest first. */
  readonly #known = new Map<Hex, Known>();
  #bytes = 0;

  constructor(recover: Recover) {
    this.#recover = recover;
  }

  /** Done or under way. */
  has(hash: Hex): boolean {
    return this.#known.has(hash);
  }

  /** Another thread of ours has recovered this one. */
  know({ raw, hash, sender }: KnownTransaction): RecoveredTransaction {
    const key = bytesToHex(hash);
    const before = this.#known.get(key)?.result;
    if (before !== undefined && !(before instanceof CodedError)) return before;
    const result = { transaction: decodeTransaction(raw, { knownHash: hash }), sender };
    if (!this.#known.has(key)) this.#keep(key, { result, batch: undefined, bytes: raw.length });
    this.#trim();
    return result;
  }

  /** In the order of the transactions given, with their hashes where the caller knows them. */
  async recover(
    raws: readonly Uint8Array[],
    hashes: readonly Hex[] = raws.map((raw) => bytesToHex(keccak256(raw))),
  ): Promise<readonly RecoveryResult[]> {
    const unknown = new Map<Hex, Uint8Array>();
    for (const [index, hash] of hashes.entries()) {
      if (!this.#known.has(hash)) unknown.set(hash, new Uint8Array(raws[index] as Uint8Array));
    }
    if (unknown.size > 0) this.#begin(unknown);
    const all = hashes.map((hash) => this.#known.get(hash));
    this.#trim();
    await Promise.all(new Set(all.map((known) => known?.batch)));
    return all.map((known) => {
      assert(known?.result !== undefined, "every transaction is known or under way");
      return known.result;
    });
  }

  /** With one promise for all of them: they come by thousands in a second. */
  #begin(unknown: ReadonlyMap<Hex, Uint8Array>): void {
    const begun: Known[] = [];
    const batch = this.#recover([...unknown.values()]).then(
      (results) => {
        for (const [index, known] of begun.entries()) known.result = results[index];
      },
      (error: unknown) => {
        // A failure is our own, and may pass: it is not kept.
        for (const hash of unknown.keys()) this.#forget(hash);
        throw error;
      },
    );
    for (const [hash, { length }] of unknown) {
      const known = { result: undefined, batch, bytes: length };
      begun.push(known);
      this.#keep(hash, known);
    }
  }

  #keep(hash: Hex, known: Known): void {
    this.#known.set(hash, known);
    this.#bytes += known.bytes;
  }

  #forget(hash: Hex): void {
    this.#bytes -= this.#known.get(hash)?.bytes ?? 0;
    this.#known.delete(hash);
  }

  #trim(): void {
    for (const hash of this.#known.keys()) {
      if (this.#known.size <= MAX_RECOVERED_KEPT && this.#bytes <= MAX_RECOVERED_BYTES) return;
      this.#forget(hash);
    }
  }
}
