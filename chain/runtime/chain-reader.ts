/** What others read of a node's chain: final and durable blocks, and their state. */
import type { Hex } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Receipt } from "../../vm/receipt/receipt.ts";
import type { Address } from "../../vm/state/account.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import type { StateVersion } from "../../vm/state/state-version.ts";
import type { Mempool } from "../mempool/mempool.ts";
import type { StoredBody, StoredHeader, StoredSeal, TransactionLocation } from "../store/block-records.ts";
import type { ChainHead, ChainStore } from "../store/chain-store.ts";
import type { LogQuery } from "../store/log-index.ts";

export class ChainReader {
  readonly spec: ChainSpec;
  readonly #store: ChainStore;
  readonly #mempool: Mempool;

  constructor(spec: ChainSpec, store: ChainStore, mempool: Mempool) {
    this.spec = spec;
    this.#store = store;
    this.#mempool = mempool;
  }

  get head(): ChainHead {
    const { head } = this.#store;
    assert(head !== undefined, "a node opens with a head");
    return head;
  }

  /** The first block that is here: genesis, or the block whose state was fetched. */
  get base(): number {
    return this.#store.base;
  }

  get isArchive(): boolean {
    return this.#store.isArchive;
  }

  get oldestRecent(): number {
    return this.#store.oldestRecent;
  }

  header(number: number): StoredHeader | undefined {
    return this.#store.header(number);
  }

  body(number: number): StoredBody | undefined {
    return this.#store.body(number);
  }

  encodedBlock(number: number): Uint8Array | undefined {
    return this.#store.encodedBlock(number);
  }

  seal(epoch: number): StoredSeal | undefined {
    return this.#store.seal(epoch);
  }

  receipts(number: number): readonly Receipt[] | undefined {
    return this.#store.receipts(number);
  }

  /** The certificate that made the block final: its own, or that of a later block committed with it. */
  certificate(number: number): Uint8Array | undefined {
    return this.#store.certificate(number);
  }

  numberOf(blockHash: Uint8Array): number | undefined {
    return this.#store.numberOf(blockHash);
  }

  locate(transactionHash: Uint8Array): TransactionLocation | undefined {
    return this.#store.locate(transactionHash);
  }

  logBlocks(query: LogQuery): Iterable<number | undefined> {
    return this.#store.logBlocks(query);
  }

  stateAt(number: number): StateReader {
    return this.#store.stateAt(number);
  }

  state(): StateVersion {
    return this.#store.state();
  }

  waiting(hash: Hex): RecoveredTransaction | undefined {
    return this.#mempool.get(hash);
  }

  nextNonce(address: Address): bigint {
    const nonce = this.#store.state().reader.account(address)?.nonce ?? 0n;
    return this.#mempool.nextNonce(address, nonce);
  }

  /** Some of what waits, in order of arrival, of so many bytes together at most; of one sender if asked. */
  waitingContent(query: {
    readonly sender?: Address | undefined;
    readonly limit: number;
    readonly bytes?: number | undefined;
  }): {
    readonly total: number;
    readonly ready: number;
    readonly transactions: readonly RecoveredTransaction[];
  } {
    const transactions: RecoveredTransaction[] = [];
    const { sender, limit, bytes = Number.POSITIVE_INFINITY } = query;
    let left = bytes;
    for (const entry of limit > 0 ? this.#mempool.entries() : []) {
      if (sender !== undefined && entry.sender !== sender) continue;
      left -= entry.transaction.raw.length;
      if (left < 0) break;
      transactions.push(entry);
      if (transactions.length >= limit) break;
    }
    return { total: this.#mempool.size, ready: this.#mempool.readySize, transactions };
  }
}
