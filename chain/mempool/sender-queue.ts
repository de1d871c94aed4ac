/**
 * What waits of one sender, in order of nonces. Its first transactions are *ready* as far as no nonce is missing from the
 * account's on, and the balance covers the sum of what they can cost.
 */
import type { Address } from "../../vm/state/account.ts";
import { BalancedTree, type TreeRules } from "./balanced-tree.ts";
import type { Tail } from "./tail-index.ts";
import type { Waiting } from "./waiting.ts";

/** What the pool is told of an account, in the last final state. */
export interface AccountView {
  readonly nonce: bigint;
  readonly balance: bigint;
}

/** Of the first transactions of a queue. */
interface Prefix {
  readonly cost: bigint;
  /** The least that one of them offers. */
  readonly tip: bigint;
  readonly maxFee: bigint;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

const BY_NONCE: TreeRules<Waiting, Prefix> = {
  compare: (a, b) => (a.nonce === b.nonce ? 0 : a.nonce < b.nonce ? -1 : 1),
  summaryOf: (waiting) => waiting,
  join: (a, b) => ({ cost: a.cost + b.cost, tip: least(a.tip, b.tip), maxFee: least(a.maxFee, b.maxFee) }),
};

export class SenderQueue {
  readonly sender: Address;
  nonce: bigint;
  balance: bigint;
  bytes = 0;
  /** How many are ready, from the first on. */
  ready = 0;
  /** As they are in the pool's indexes and count. */
  indexedReady = 0;
  indexedHead: Waiting | undefined;
  indexedTail: Tail | undefined;
  private readonly tree = new BalancedTree(BY_NONCE);

  constructor(sender: Address, account: AccountView) {
    this.sender = sender;
    this.nonce = account.nonce;
    this.balance = account.balance;
  }

  get size(): number {
    return this.tree.size;
  }

  insert(waiting: Waiting): void {
    this.tree.insert(waiting);
    this.bytes += waiting.bytes;
    this.countReady();
  }

  remove(waiting: Waiting): void {
    this.tree.remove(waiting);
    this.bytes -= waiting.bytes;
    this.countReady();
  }

  /** Answers with what can never be included any more and is out of the queue, or nothing when nothing changed. */
  setAccount({ nonce, balance }: AccountView): readonly Waiting[] | undefined {
    if (nonce === this.nonce && balance === this.balance) return undefined;
    this.nonce = nonce;
    this.balance = balance;
    const used = this.tree.removeFirst(this.rankOf(nonce));
    for (const { bytes } of used) this.bytes -= bytes;
    this.countReady();
    return used;
  }

  get first(): Waiting | undefined {
    return this.tree.at(0);
  }

  get last(): Waiting | undefined {
    return this.tree.at(this.tree.size - 1);
  }

  get(nonce: bigint): Waiting | undefined {
    return this.tree.find((waiting) => (nonce === waiting.nonce ? 0 : nonce < waiting.nonce ? -1 : 1));
  }

  readyAt(nonce: bigint): Waiting | undefined {
    const ahead = nonce - this.nonce;
    return ahead >= 0n && ahead < BigInt(this.ready) ? this.tree.at(Number(ahead)) : undefined;
  }

  isReady(waiting: Waiting): boolean {
    return this.readyAt(waiting.nonce) === waiting;
  }

  /** Whether a transaction of that nonce and cost would be ready here. */
  hasRoomReady(nonce: bigint, cost: bigint): boolean {
    const ahead = nonce - this.nonce;
    if (ahead < 0n || ahead > BigInt(this.ready)) return false;
    return (this.tree.prefix(Number(ahead))?.cost ?? 0n) + cost <= this.balance;
  }

  /** The first nonce from `from` on that nothing here has. */
  firstMissing(from: bigint): bigint {
    const before = this.rankOf(from);
    const end = this.tree.countWhile(({ nonce }, rank) => rank < before || nonce - from === BigInt(rank - before));
    return from + BigInt(end - before);
  }

  /** The transaction of that rank as the last one. */
  tailAt(rank: number): Tail | undefined {
    const waiting = this.tree.at(rank);
    const prefix = rank + 1 === this.size ? this.tree.root?.summary : this.tree.prefix(rank + 1);
    if (waiting === undefined || prefix === undefined) return undefined;
    const { tip, maxFee } = prefix;
    const isReady = rank < this.ready;
    return { waiting, rank, isReady, tip, maxFee, sequence: waiting.sequence, places: [-1, -1] };
  }

  /** How many have a lower nonce. */
  private rankOf(nonce: bigint): number {
    return this.tree.countWhile((waiting) => waiting.nonce < nonce);
  }

  private countReady(): void {
    const { nonce, balance, tree } = this;
    const { last } = this;
    const isWhole = last !== undefined && last.nonce - nonce === BigInt(tree.size - 1);
    // The usual case: no nonce is missing, and the money is there.
    if (isWhole && (tree.root?.summary.cost ?? 0n) <= balance) {
      this.ready = tree.size;
      return;
    }
    this.ready = tree.countWhile(
      (waiting, rank, before) =>
        waiting.nonce - nonce === BigInt(rank) && (before?.cost ?? 0n) + waiting.cost <= balance,
    );
  }
}
