/**
 * Transactions that wait for a block: in order of nonces per sender, by price between senders. Synchronous and without
 * I/O: time and accounts come in as arguments, and the same calls give the same answers. What a transaction must be to
 * get this far (signature, chain, intrinsic gas) is the caller's matter. The rules are in docs/spec/mempool.md.
 *
 * Every operation takes O(log n) steps in what waits, also in what waits of one sender; selecting takes that for each
 * transaction it answers with.
 */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { assert, type CodedError } from "../../base/errors.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Address } from "../../vm/state/account.ts";
import { DutySet } from "./duty-set.ts";
import { type MempoolErrorCode, refusal } from "./errors.ts";
import { MEMPOOL_LIMITS, type MempoolLimits } from "./limits.ts";
import { planEviction } from "./plan-eviction.ts";
import { PriceIndex } from "./price-index.ts";
import { ReadySearch } from "./ready-search.ts";
import { type SelectOptions, selectTransactions } from "./select.ts";
import { type AccountView, SenderQueue } from "./sender-queue.ts";
import { type Tail, TailIndex } from "./tail-index.ts";
import { effectiveTip, priceOf, type Waiting } from "./waiting.ts";

const NO_ACCOUNT: AccountView = { nonce: 0n, balance: 0n };

export class Mempool {
  private readonly limits: MempoolLimits;
  /** In order of arrival. */
  private readonly byHash = new Map<Hex, Waiting>();
  private readonly bySender = new Map<Address, SenderQueue>();
  /** The first of each sender, if it is ready. */
  private readonly heads = new PriceIndex<Waiting>();
  private readonly tails = new TailIndex();
  private readonly duties: DutySet;
  private readonly search = new ReadySearch(this.heads, this.bySender);
  private totalBytes = 0;
  private totalReady = 0;
  private sequence = 0;
  private time = Number.NEGATIVE_INFINITY;
  /** The last one heard of: what waits is worth its effective tip there. */
  private baseFee = 0n;

  constructor(limits: MempoolLimits = MEMPOOL_LIMITS) {
    this.limits = limits;
    this.duties = new DutySet(limits);
  }

  get size(): number {
    return this.byHash.size;
  }

  get bytes(): number {
    return this.totalBytes;
  }

  /** How many could be included if the base fee let them. */
  get readySize(): number {
    return this.totalReady;
  }

  get senders(): number {
    return this.bySender.size;
  }

  get(hash: Hex): RecoveredTransaction | undefined {
    return this.byHash.get(hash)?.entry;
  }

  has(hash: Hex): boolean {
    return this.byHash.has(hash);
  }

  /** Everything that waits, in order of arrival. */
  *entries(): IterableIterator<RecoveredTransaction> {
    for (const { entry } of this.byHash.values()) yield entry;
  }

  /** The first nonce from the account's on that no waiting transaction of the sender has. */
  nextNonce(sender: Address, accountNonce: bigint): bigint {
    return this.bySender.get(sender)?.firstMissing(accountNonce) ?? accountNonce;
  }

  /** The furthest nonce that may wait of the sender. */
  reach(sender: Address, accountNonce: bigint): bigint {
    const queue = this.bySender.get(sender);
    const first = queue === undefined ? accountNonce : queue.nonce + BigInt(queue.ready);
    return first + BigInt(this.limits.noncesBeyondReady);
  }

  /**
   * `account` is the sender's in the last final state, in which it is, or is not, the sender's turn. Throws a MEMPOOL_
   * error.
   */
  add(entry: RecoveredTransaction, account: AccountView, now: number, isDuty = false): void {
    this.advanceTime(now);
    const { sender } = entry;
    const hash = bytesToHex(entry.transaction.hash);
    if (this.byHash.has(hash)) throw refusal("MEMPOOL_KNOWN", "this transaction is waiting already", { hash });
    this.updateAccount(sender, account);
    const queue = this.bySender.get(sender) ?? new SenderQueue(sender, account);
    const waiting = this.waitingOf(entry, hash, isDuty && this.hasDutyPlace(entry, queue));
    checkAccount(waiting, account);
    const replaced = queue.get(waiting.nonce);
    if (replaced === undefined) this.checkNonce(waiting, queue);
    else this.checkReplacement(waiting, replaced);
    this.checkSenderRoom(waiting, replaced, queue);
    this.enter(waiting, replaced, queue);
  }

  /** Best first by effective tip, each sender's in order of nonces: they can follow each other in one block. */
  select(options: SelectOptions): RecoveredTransaction[] {
    this.baseFee = options.baseFee;
    const walk = this.heads.walk(options.baseFee);
    return selectTransactions(walk, (sender) => this.bySender.get(sender), options, this.limits.misfits);
  }

  /**
   * Whether `select` would find anything. One `nonceOf` function always answers the same for a sender: make a new one for
   * each state. Then a question costs no more than what has changed since the last one.
   */
  hasReady(baseFee: bigint, nonceOf: (sender: Address) => bigint): boolean {
    this.baseFee = baseFee;
    return this.search.hasReady(baseFee, nonceOf);
  }

  /**
   * A block is final. `accountOf` answers from the state after it, with nothing for accounts that do not exist; it is
   * asked for the senders and recipients in the block, and for those of `changed` that have something waiting.
   */
  onBlock(
    included: readonly RecoveredTransaction[],
    accountOf: (address: Address) => AccountView | undefined,
    now: number,
    changed: Iterable<Address> = [],
  ): void {
    this.advanceTime(now);
    const affected = new Set<Address>(changed);
    for (const { sender, transaction } of included) {
      affected.add(sender);
      if (transaction.to !== undefined) affected.add(transaction.to);
    }
    for (const address of affected) {
      if (this.bySender.has(address)) this.updateAccount(address, accountOf(address) ?? NO_ACCOUNT);
    }
  }

  /** After a block: what is nobody's turn any more waits at its own price from now on. */
  reviewDuties(isDuty: (entry: RecoveredTransaction) => boolean): void {
    for (const waiting of this.duties.all()) {
      if (!isDuty(waiting.entry)) this.demote(waiting);
    }
  }

  /** It waits at its own price from now on. */
  private demote(waiting: Waiting): void {
    const queue = this.queueOf(waiting);
    const demoted = { ...waiting, ...priceOf(waiting.entry.transaction, false), isDuty: false };
    this.duties.remove(waiting);
    queue.remove(waiting);
    queue.insert(demoted);
    this.byHash.set(waiting.hash, demoted);
    this.reindex(queue);
  }

  private hasDutyPlace({ sender, transaction }: RecoveredTransaction, queue: SenderQueue): boolean {
    if (!this.duties.hasRoomOf(sender)) return false;
    if (!this.duties.isFull) return true;
    return queue.hasRoomReady(transaction.nonce, costOf(transaction)) && this.otherDuty(sender) !== undefined;
  }

  private otherDuty(sender: Address): Waiting | undefined {
    return this.duties.placeFor(sender, (waiting) => this.queueOf(waiting).isReady(waiting));
  }

  /** In a full set in the place of another, which keeps its own price alone. */
  private takeDutyPlace(waiting: Waiting): void {
    const other = this.duties.isFull ? (this.otherDuty(waiting.entry.sender) ?? waiting) : undefined;
    this.duties.add(waiting);
    if (other !== undefined) this.demote(other);
  }

  /** It was refused for good while a block was built. */
  remove(hash: Hex): void {
    const waiting = this.byHash.get(hash);
    if (waiting !== undefined) this.drop(waiting);
  }

  /** Drops what has waited too long, and answers with it. */
  expire(now: number): readonly Hex[] {
    this.advanceTime(now);
    const expired: Hex[] = [];
    for (const waiting of this.byHash.values()) {
      if (waiting.arrivedAt + this.limits.lifetimeMilliseconds > this.time) break;
      this.drop(waiting);
      expired.push(waiting.hash);
    }
    return expired;
  }

  /** A clock that is set back must not make newcomers older than what waits already. */
  private advanceTime(now: number): void {
    this.time = Math.max(this.time, now);
  }

  private waitingOf(entry: RecoveredTransaction, hash: Hex, isDuty: boolean): Waiting {
    const { nonce, raw } = entry.transaction;
    return {
      entry,
      hash,
      nonce,
      ...priceOf(entry.transaction, isDuty),
      isDuty,
      cost: costOf(entry.transaction),
      bytes: raw.length,
      sequence: this.sequence++,
      arrivedAt: this.time,
    };
  }

  private checkNonce({ nonce }: Waiting, queue: SenderQueue): void {
    const bound = BigInt(this.limits.noncesBeyondReady);
    if (nonce - (queue.nonce + BigInt(queue.ready)) <= bound) return;
    const missing = queue.firstMissing(queue.nonce);
    if (nonce - missing > bound) {
      const message = `nonce ${missing} is missing, and at most ${bound} may wait beyond it`;
      throw refusal("MEMPOOL_NONCE_TOO_FAR", message, { nonce, missing });
    }
    const message = `the balance covers ${queue.ready} of the sender's transactions, and at most ${bound} more may wait`;
    throw refusal("MEMPOOL_INSUFFICIENT_FUNDS", message, { balance: queue.balance, covered: queue.ready });
  }

  /** More of both fees: replacing costs the sender something, so it cannot go on for ever. */
  private checkReplacement({ entry: { transaction } }: Waiting, replaced: Waiting): void {
    const { replacementPercent } = this.limits;
    const { nonce, maxFeePerGas, maxPriorityFeePerGas } = replaced.entry.transaction;
    const isMore = (offered: bigint, before: bigint): boolean => offered * 100n >= before * replacementPercent;
    const isMoreTip = isMore(transaction.maxPriorityFeePerGas, maxPriorityFeePerGas);
    if (isMoreTip && isMore(transaction.maxFeePerGas, maxFeePerGas)) return;
    const message = `a transaction waits with nonce ${nonce}; to replace it, offer ${replacementPercent}% of its fees`;
    throw refusal("MEMPOOL_UNDERPRICED", message, { nonce, maxFeePerGas, maxPriorityFeePerGas });
  }

  private checkSenderRoom(waiting: Waiting, replaced: Waiting | undefined, queue: SenderQueue): void {
    const { senderTransactions, senderBytes } = this.limits;
    const isFull = replaced === undefined && queue.size >= senderTransactions;
    if (!isFull && queue.bytes - (replaced?.bytes ?? 0) + waiting.bytes <= senderBytes) return;
    const message = `${queue.size} transactions of ${queue.bytes} bytes of this sender wait already: try again later`;
    throw refusal("MEMPOOL_SENDER_FULL", message, { transactions: queue.size, bytes: queue.bytes });
  }

  /** Puts it into the sender's queue, and out again when the pool has no room for it. */
  private enter(waiting: Waiting, replaced: Waiting | undefined, queue: SenderQueue): void {
    if (this.isHopeless(waiting, queue)) throw this.noRoom();
    if (replaced !== undefined) queue.remove(replaced);
    queue.insert(waiting);
    this.reindex(queue);
    const victims = this.makeRoom(waiting, replaced);
    if (victims === undefined) {
      queue.remove(waiting);
      if (replaced !== undefined) queue.insert(replaced);
      this.reindex(queue);
      throw this.noRoom();
    }
    if (replaced !== undefined) this.forget(replaced);
    this.byHash.set(waiting.hash, waiting);
    if (waiting.isDuty) this.takeDutyPlace(waiting);
    this.totalBytes += waiting.bytes;
    for (const victim of victims) this.drop(victim);
  }

  /** What most of those come to that a full pool refuses, without the trouble of letting them in first. */
  private isHopeless(newcomer: Waiting, queue: SenderQueue): boolean {
    const { transactions, bytes } = this.limits;
    if (this.size < transactions && this.totalBytes + newcomer.bytes <= bytes) return false;
    const isLast = (queue.last?.nonce ?? -1n) < newcomer.nonce;
    return isLast && this.tails.isWorst(effectiveTip(newcomer, this.baseFee), this.baseFee);
  }

  private noRoom(): CodedError<MempoolErrorCode> {
    const message = `${this.size} transactions of ${this.bytes} bytes wait already, none worth less: offer more`;
    return refusal("MEMPOOL_FULL", message, { transactions: this.size, bytes: this.bytes });
  }

  /** What has to go so that the newcomer can stay, or nothing when it has to go itself. */
  private makeRoom(newcomer: Waiting, replaced: Waiting | undefined): readonly Waiting[] | undefined {
    const { transactions, bytes, victims } = this.limits;
    const tooMany = this.size + (replaced === undefined ? 1 : 0) - transactions;
    const tooLarge = this.totalBytes + newcomer.bytes - (replaced?.bytes ?? 0) - bytes;
    if (tooMany <= 0 && tooLarge <= 0) return [];
    const before = ({ waiting, rank }: Tail): Tail | undefined => this.queueOf(waiting).tailAt(rank - 1);
    return planEviction(this.tails.walk(this.baseFee), before, newcomer, { tooMany, tooLarge, atMost: victims });
  }

  private queueOf({ entry }: Waiting): SenderQueue {
    const queue = this.bySender.get(entry.sender);
    assert(queue !== undefined, "what waits is in its sender's queue");
    return queue;
  }

  private drop(waiting: Waiting): void {
    const queue = this.queueOf(waiting);
    queue.remove(waiting);
    this.forget(waiting);
    this.reindex(queue);
  }

  private forget(waiting: Waiting): void {
    this.byHash.delete(waiting.hash);
    this.duties.remove(waiting);
    this.totalBytes -= waiting.bytes;
  }

  private updateAccount(sender: Address, account: AccountView): void {
    const queue = this.bySender.get(sender);
    const used = queue?.setAccount(account);
    if (queue === undefined || used === undefined) return;
    for (const waiting of used) this.forget(waiting);
    this.reindex(queue);
  }

  /** Brings the indexes up to what the queue is now. */
  private reindex(queue: SenderQueue): void {
    const { sender, indexedHead, indexedTail } = queue;
    if (queue.size === 0) this.bySender.delete(sender);
    else this.bySender.set(sender, queue);
    this.totalReady += queue.ready - queue.indexedReady;
    queue.indexedReady = queue.ready;
    const head = queue.ready > 0 ? queue.first : undefined;
    if (head !== indexedHead) {
      if (indexedHead !== undefined) this.heads.remove(indexedHead);
      if (head !== undefined) this.heads.insert(head);
      queue.indexedHead = head;
    }
    const tail = queue.tailAt(queue.size - 1);
    this.tails.replace(indexedTail, tail);
    queue.indexedTail = tail;
    this.search.changed(sender);
  }
}

function costOf({ gasLimit, maxFeePerGas, value }: RecoveredTransaction["transaction"]): bigint {
  return gasLimit * maxFeePerGas + value;
}

function checkAccount({ nonce, cost }: Waiting, account: AccountView): void {
  if (nonce < account.nonce) {
    const message = `nonce ${nonce} was used, the next is ${account.nonce}`;
    throw refusal("MEMPOOL_NONCE_TOO_LOW", message, { nonce, expected: account.nonce });
  }
  if (cost > account.balance) {
    const { balance } = account;
    const message = `it may cost ${cost} wei, the sender has ${balance}`;
    throw refusal("MEMPOOL_INSUFFICIENT_FUNDS", message, { needed: cost, balance });
  }
}
