/**
 * Transactions that wait for a block: in nonce order per sender, in order of arrival between senders. A small
 * bounded waiting room, not a market: nothing is replaced and nothing is evicted.
 */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Address } from "../../vm/state/account.ts";

export type PendingErrorCode =
  /** The same transaction waits already. */
  | "PENDING_KNOWN"
  /** Another transaction of the sender waits with this nonce. */
  | "PENDING_NONCE_TAKEN"
  /** The nonce is too far ahead of the account's. */
  | "PENDING_NONCE_TOO_FAR"
  | "PENDING_FULL";

export interface PendingLimits {
  readonly transactions: number;
  /** How far a nonce may be ahead of the account's: also the most that one sender can have waiting. */
  readonly noncesAhead: number;
}

export const PENDING_LIMITS: PendingLimits = { transactions: 50_000, noncesAhead: 10_000 };

export class PendingTransactions {
  private readonly limits: PendingLimits;
  /** In order of arrival. */
  private readonly byHash = new Map<Hex, RecoveredTransaction>();
  private readonly bySender = new Map<Address, Map<bigint, RecoveredTransaction>>();

  constructor(limits: PendingLimits = PENDING_LIMITS) {
    this.limits = limits;
  }

  get size(): number {
    return this.byHash.size;
  }

  get(hash: Hex): RecoveredTransaction | undefined {
    return this.byHash.get(hash);
  }

  /** The first nonce from `nonce` on that no waiting transaction of the sender has. */
  nextNonce(sender: Address, nonce: bigint): bigint {
    const own = this.bySender.get(sender);
    let next = nonce;
    while (own?.has(next)) next++;
    return next;
  }

  /** `nonce` is the account's, which the transaction's is not below. Throws a PENDING_ error. */
  add(entry: RecoveredTransaction, nonce: bigint): void {
    const { transaction, sender } = entry;
    const hash = bytesToHex(transaction.hash);
    if (this.byHash.has(hash)) throw refusal("PENDING_KNOWN", "this transaction is waiting already", { hash });
    const own = this.bySender.get(sender) ?? new Map<bigint, RecoveredTransaction>();
    if (own.has(transaction.nonce)) {
      throw refusal("PENDING_NONCE_TAKEN", `another transaction waits with nonce ${transaction.nonce}`, { sender });
    }
    if (transaction.nonce - nonce >= BigInt(this.limits.noncesAhead)) {
      const limit = this.limits.noncesAhead;
      throw refusal("PENDING_NONCE_TOO_FAR", `the account's next nonce is ${nonce}, at most ${limit} may wait`, {
        nonce,
      });
    }
    if (this.byHash.size >= this.limits.transactions) {
      throw refusal("PENDING_FULL", `${this.byHash.size} transactions wait already: try again later`, {});
    }
    this.bySender.set(sender, own.set(transaction.nonce, entry));
    this.byHash.set(hash, entry);
  }

  remove({ transaction, sender }: RecoveredTransaction): void {
    this.byHash.delete(bytesToHex(transaction.hash));
    const own = this.bySender.get(sender);
    own?.delete(transaction.nonce);
    if (own?.size === 0) this.bySender.delete(sender);
  }

  /**
   * Transactions that can follow each other in one block, up to `most` of them and `maxBytes` together. Each arrival
   * gives its sender one turn, and the turn goes to the sender's next nonce: so senders take turns as they came,
   * whatever order their own transactions came in.
   */
  ready(most: number, maxBytes: number, nonceOf: (sender: Address) => bigint): RecoveredTransaction[] {
    const taken: RecoveredTransaction[] = [];
    const next = new Map<Address, bigint>();
    let bytes = 0;
    for (const { sender } of this.byHash.values()) {
      if (taken.length === most) break;
      const nonce = next.get(sender) ?? nonceOf(sender);
      const entry = this.bySender.get(sender)?.get(nonce);
      next.set(sender, entry === undefined ? nonce : nonce + 1n);
      if (entry === undefined) continue;
      bytes += entry.transaction.raw.length;
      if (bytes > maxBytes) break;
      taken.push(entry);
    }
    return taken;
  }
}

function refusal(
  code: PendingErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>>,
): CodedError<PendingErrorCode> {
  return new CodedError(code, message, data);
}
