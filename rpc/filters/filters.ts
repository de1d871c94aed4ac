/**
 * Filters that clients poll: what is new since the last time. A filter holds its place in the chain, not what it found, so
 * it costs next to nothing; only hashes of waiting transactions are kept, once for all filters, the oldest dropped.
 */
import { randomBytes } from "node:crypto";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import { MAX_PENDING_HASHES, type RpcLimits } from "../limits.ts";
import { filterWeight, type LogFilter } from "../log-filter.ts";
import { REFUSED, RpcError } from "../rpc-error.ts";
import type { Now } from "../turns.ts";

export type Filter =
  /** `next` is the first block not yet told of. */
  | { readonly kind: "blocks"; next: number }
  | { readonly kind: "logs"; readonly filter: LogFilter; next: number }
  /** `next` counts waiting transactions, from any beginning. */
  | { readonly kind: "pending"; next: number };

interface Entry {
  readonly filter: Filter;
  readonly address: string;
  /** As how many it counts. */
  readonly weight: number;
  usedAt: number;
}

export interface FiltersOptions {
  readonly limits: RpcLimits;
  readonly watchPending: (wanted: boolean) => void;
  readonly now?: Now;
}

const ID_BYTES = 16;

export class Filters {
  private readonly options: FiltersOptions;
  private readonly now: Now;
  /** The longest unused first. */
  private readonly entries = new Map<Hex, Entry>();
  private readonly byAddress = new Map<string, number>();
  private weight = 0;
  private pendingFilters = 0;
  /** The last that began to wait, and how many have in all. */
  private readonly hashes: Hex[] = [];
  private hashesSeen = 0;

  constructor(options: FiltersOptions) {
    this.options = options;
    this.now = options.now ?? (() => performance.now());
  }

  get size(): number {
    return this.entries.size;
  }

  /** Throws RPC_TOO_MANY_FILTERS. */
  add(filter: Filter, address: string): Hex {
    this.expire();
    const { filters, filtersPerAddress } = this.options.limits;
    const own = this.byAddress.get(address) ?? 0;
    const weight = filter.kind === "logs" ? filterWeight(filter.filter) : 1;
    if (own + weight > filtersPerAddress) throw tooMany(`an address has at most ${filtersPerAddress}`);
    if (this.weight + weight > filters) throw tooMany(`the node has at most ${filters}`);
    // Not to be guessed: whoever knows an id can take what it has found.
    const bytes = new Uint8Array(randomBytes(ID_BYTES));
    // Ethereum's schema has a quantity here, which never begins with a zero.
    bytes[0] = (bytes[0] ?? 0) | 0x10;
    const id = bytesToHex(bytes);
    this.entries.set(id, { filter, address, weight, usedAt: this.now() });
    this.byAddress.set(address, own + weight);
    this.weight += weight;
    if (filter.kind === "pending" && this.pendingFilters++ === 0) this.options.watchPending(true);
    return id;
  }

  /** A filter of transactions that begin to wait from now on. Throws RPC_TOO_MANY_FILTERS. */
  addPending(address: string): Hex {
    return this.add({ kind: "pending", next: this.hashesSeen }, address);
  }

  /** What such a filter has not been told, at most MAX_PENDING_HASHES. */
  takePending(filter: Filter & { readonly kind: "pending" }): readonly Hex[] {
    const untold = Math.min(this.hashesSeen - filter.next, this.hashes.length, MAX_PENDING_HASHES);
    filter.next = this.hashesSeen;
    return this.hashes.slice(this.hashes.length - untold);
  }

  /** Throws FILTER_UNKNOWN, also for one that has expired. */
  use(id: Hex): Filter {
    this.expire();
    const entry = this.entries.get(id);
    if (entry === undefined) throw new RpcError(REFUSED, "filter not found", { code: "FILTER_UNKNOWN" });
    this.entries.delete(id);
    this.entries.set(id, entry);
    entry.usedAt = this.now();
    return entry.filter;
  }

  remove(id: Hex): boolean {
    const entry = this.entries.get(id);
    if (entry === undefined) return false;
    this.entries.delete(id);
    this.weight -= entry.weight;
    const left = (this.byAddress.get(entry.address) ?? 0) - entry.weight;
    if (left <= 0) this.byAddress.delete(entry.address);
    else this.byAddress.set(entry.address, left);
    if (entry.filter.kind === "pending" && --this.pendingFilters === 0) {
      this.hashes.length = 0;
      this.options.watchPending(false);
    }
    return true;
  }

  onPending(transactions: readonly RecoveredTransaction[]): void {
    if (this.pendingFilters === 0) return;
    for (const { transaction } of transactions) this.hashes.push(bytesToHex(transaction.hash));
    this.hashesSeen += transactions.length;
    // Now and then, and then half of them.
    if (this.hashes.length > 2 * MAX_PENDING_HASHES) this.hashes.splice(0, this.hashes.length - MAX_PENDING_HASHES);
  }

  private expire(): void {
    const oldest = this.now() - 1000 * this.options.limits.filterSeconds;
    for (const [id, { usedAt }] of this.entries) {
      if (usedAt > oldest) return;
      this.remove(id);
    }
  }
}

function tooMany(message: string): RpcError {
  return new RpcError(REFUSED, `too many filters: ${message}`, { code: "RPC_TOO_MANY_FILTERS" });
}
