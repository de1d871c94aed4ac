/**
 * Whether anything that waits could be in the next block. Asked after every block and every arrival, so it remembers
 * its last answer: the sender it found, or that there was none but for senders that changed since.
 */
import type { Address } from "../../vm/state/account.ts";
import { READY_SEARCH_CHANGES } from "./limits.ts";
import type { PriceIndex } from "./price-index.ts";
import type { SenderQueue } from "./sender-queue.ts";
import type { Waiting } from "./waiting.ts";

type NonceOf = (sender: Address) => bigint;

export class ReadySearch {
  private readonly heads: PriceIndex<Waiting>;
  private readonly bySender: ReadonlyMap<Address, SenderQueue>;
  private found: Address | undefined;
  /** With this question nobody was ready, `changes` apart. */
  private nobody: { readonly baseFee: bigint; readonly nonceOf: NonceOf } | undefined;
  private readonly changes = new Set<Address>();

  constructor(heads: PriceIndex<Waiting>, bySender: ReadonlyMap<Address, SenderQueue>) {
    this.heads = heads;
    this.bySender = bySender;
  }

  changed(sender: Address): void {
    if (this.nobody === undefined) return;
    this.changes.add(sender);
    if (this.changes.size <= READY_SEARCH_CHANGES) return;
    this.nobody = undefined;
    this.changes.clear();
  }

  hasReady(baseFee: bigint, nonceOf: NonceOf): boolean {
    if (this.found !== undefined && this.isReady(this.found, baseFee, nonceOf)) return true;
    const isSame = this.nobody !== undefined && this.nobody.baseFee === baseFee && this.nobody.nonceOf === nonceOf;
    this.found = isSame ? this.searchChanges(baseFee, nonceOf) : this.searchAll(baseFee, nonceOf);
    this.nobody = this.found === undefined ? { baseFee, nonceOf } : undefined;
    this.changes.clear();
    return this.found !== undefined;
  }

  private searchChanges(baseFee: bigint, nonceOf: NonceOf): Address | undefined {
    for (const sender of this.changes) if (this.isReady(sender, baseFee, nonceOf)) return sender;
    return undefined;
  }

  /** Passes only those whose transactions are all in blocks that are not final yet. */
  private searchAll(baseFee: bigint, nonceOf: NonceOf): Address | undefined {
    const walk = this.heads.walk(baseFee);
    for (;;) {
      const head = walk.pop();
      if (head === undefined || head.maxFee < baseFee) return undefined;
      if (this.isReady(head.entry.sender, baseFee, nonceOf)) return head.entry.sender;
    }
  }

  private isReady(sender: Address, baseFee: bigint, nonceOf: NonceOf): boolean {
    const queue = this.bySender.get(sender);
    const head = queue?.indexedHead;
    if (queue === undefined || head === undefined || head.maxFee < baseFee) return false;
    const next = queue.readyAt(nonceOf(sender));
    return next !== undefined && next.maxFee >= baseFee;
  }
}
