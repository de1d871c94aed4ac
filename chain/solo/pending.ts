/**
 * Transactions that wait for a block: in nonce order per sender, in order of arrival between senders. A small
 * bounded waiting room, not a market: nothing is evicted, and only its sender can replace a transaction.
 */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Address } from "../../vm/state/account.ts";
import type { Transaction } from "../../vm/transaction/transaction.ts";

export type PendingErrorCode =
  /** The same transaction waits already. */
  | "PENDING_KNOWN"
  /** Another transaction of the sender waits with this nonce, and this one does not offer enough to replace it. */
  | "PENDING_NONCE_TAKEN"
  /** The nonce is too far ahead of the account's, or of the last one that waits without a gap before it. */
  | "PENDING_NONCE_TOO_FAR"
  | "PENDING_FULL";

export interface PendingLimits {
  readonly transactions: number;
  /** Of all transactions together, as they are encoded. */
  readonly bytes: number;
  /** How far a nonce may be ahead of the account's: also the most that one sender can have waiting. */
  readonly noncesAhead: number;
  /** How far a nonce may be ahead of the first one that is missing: what waits behind a gap may wait for ever. */
  readonly noncesBeyondGap: number;
}

export const PENDING_LIMITS: PendingLimits = {
  transactions: 50_000,
  bytes: 64 * 1024 * 1024,
  noncesAhead: 10_000,
  noncesBeyondGap: 64,
};

/** What waits of one sender. */
interface Queue {
  readonly byNonce: Map<bigint, RecoveredTransaction>;
  /** From the account's nonce up to here, without it, every nonce waits. */
  next: bigint;
}

export class PendingTransactions {
  private readonly limits: PendingLimits;
  /** In order of arrival. */
  private readonly byHash = new Map<Hex, RecoveredTransaction>();
  private readonly bySender = new Map<Address, Queue>();
  private bytes = 0;

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
    return own === undefined ? nonce : advance(own, nonce);
  }

  /**
   * `nonce` is the account's, which the transaction's is not below. A transaction that offers a tenth more than the one
   * that waits with its nonce takes its place. Throws a PENDING_ error.
   */
  add(entry: RecoveredTransaction, nonce: bigint): void {
    const { transaction, sender } = entry;
    const hash = bytesToHex(transaction.hash);
    if (this.byHash.has(hash)) throw refusal("PENDING_KNOWN", "this transaction is waiting already", { hash });
    const own = this.bySender.get(sender) ?? { byNonce: new Map(), next: nonce };
    const replaced = own.byNonce.get(transaction.nonce);
    if (replaced === undefined) this.checkNonce(transaction.nonce, nonce, advance(own, nonce));
    else checkReplacement(transaction, replaced.transaction);
    this.checkRoom(transaction, replaced?.transaction);
    if (replaced !== undefined) this.forget(replaced);
    own.byNonce.set(transaction.nonce, entry);
    this.bySender.set(sender, own);
    this.byHash.set(hash, entry);
    this.bytes += transaction.raw.length;
  }

  /** This very transaction is to wait no longer; one that has taken its place stays. */
  remove(entry: RecoveredTransaction): void {
    const { transaction, sender } = entry;
    if (!this.byHash.has(bytesToHex(transaction.hash))) return;
    this.forget(entry);
    const own = this.bySender.get(sender);
    if (own === undefined) return;
    own.byNonce.delete(transaction.nonce);
    if (transaction.nonce < own.next) own.next = transaction.nonce;
    if (own.byNonce.size === 0) this.bySender.delete(sender);
  }

  /** A block has used the nonce: what waits with it can never be included, whichever it is. */
  removeNonce(sender: Address, nonce: bigint): void {
    const entry = this.bySender.get(sender)?.byNonce.get(nonce);
    if (entry !== undefined) this.remove(entry);
  }

  private forget({ transaction }: RecoveredTransaction): void {
    this.byHash.delete(bytesToHex(transaction.hash));
    this.bytes -= transaction.raw.length;
  }

  /** `next` is the first nonce that is missing. */
  private checkNonce(wanted: bigint, nonce: bigint, next: bigint): void {
    const { noncesAhead, noncesBeyondGap } = this.limits;
    if (wanted - nonce < BigInt(noncesAhead) && wanted - next <= BigInt(noncesBeyondGap)) return;
    const rule = `at most ${noncesAhead} may wait, and at most ${noncesBeyondGap} beyond a nonce that is missing`;
    throw refusal("PENDING_NONCE_TOO_FAR", `the next nonce is ${next}: ${rule}`, { nonce, next });
  }

  private checkRoom({ raw }: Transaction, replaced: Transaction | undefined): void {
    const { transactions, bytes } = this.limits;
    const isFull = replaced === undefined && this.byHash.size >= transactions;
    if (!isFull && this.bytes + raw.length - (replaced?.raw.length ?? 0) <= bytes) return;
    const waiting = `${this.byHash.size} transactions of ${this.bytes} bytes`;
    throw refusal("PENDING_FULL", `${waiting} wait already: try again later`, {});
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
      const entry = this.bySender.get(sender)?.byNonce.get(nonce);
      next.set(sender, entry === undefined ? nonce : nonce + 1n);
      if (entry === undefined) continue;
      bytes += entry.transaction.raw.length;
      if (bytes > maxBytes) break;
      taken.push(entry);
    }
    return taken;
  }
}

/** Finds the first nonce that is missing. Each is passed once, so that a long queue does not make every arrival slow. */
function advance(own: Queue, nonce: bigint): bigint {
  if (own.next < nonce) own.next = nonce;
  while (own.byNonce.has(own.next)) own.next++;
  return own.next;
}

/** A tenth more of both fees: replacing costs the sender something, so it cannot go on for ever. */
function checkReplacement(transaction: Transaction, waiting: Transaction): void {
  const isMore = (offered: bigint, before: bigint): boolean => offered * 10n >= before * 11n;
  if (
    isMore(transaction.maxFeePerGas, waiting.maxFeePerGas) &&
    isMore(transaction.maxPriorityFeePerGas, waiting.maxPriorityFeePerGas)
  )
    return;
  const { nonce, maxFeePerGas, maxPriorityFeePerGas } = waiting;
  throw refusal(
    "PENDING_NONCE_TAKEN",
    `a transaction waits with nonce ${nonce}; to replace it, offer a tenth more than its fees`,
    { nonce, maxFeePerGas, maxPriorityFeePerGas },
  );
}

function refusal(
  code: PendingErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>>,
): CodedError<PendingErrorCode> {
  return new CodedError(code, message, data);
}
