/** The chain as methods and jobs read it on another thread than the node's: a view of the database with decoded blocks kept. */
import type { StoredBody, StoredHeader, StoredSeal, TransactionLocation } from "../chain/store/block-records.ts";
import type { LogQuery } from "../chain/store/log-index.ts";
import type { ReadView } from "../chain/store/read-view.ts";
import type { ChainSpec } from "../genesis/chain-spec.ts";
import type { Receipt } from "../vm/receipt/receipt.ts";
import type { StateReader } from "../vm/state/reader.ts";
import type { StateVersion } from "../vm/state/state-version.ts";
import { BoundedCache } from "./bounded-cache.ts";
import type { ChainReads } from "./chain-view.ts";
import { CACHED_HEADERS, CACHED_LOG_BYTES, CACHED_TRANSACTION_BYTES, CACHED_TRANSACTIONS } from "./limits.ts";

export class ViewReads implements ChainReads {
  readonly spec: ChainSpec;
  readonly view: ReadView;
  // Final blocks never change, so nothing has to be forgotten but for room.
  readonly #headers = new BoundedCache<StoredHeader>(CACHED_HEADERS, () => 1);
  readonly #bodies = new BoundedCache<StoredBody>(CACHED_TRANSACTIONS, bodyWeight);
  readonly #receipts = new BoundedCache<readonly Receipt[]>(CACHED_TRANSACTIONS, receiptsWeight);

  constructor(spec: ChainSpec, view: ReadView) {
    this.spec = spec;
    this.view = view;
  }

  get head(): StoredHeader {
    return this.view.head;
  }

  get base(): number {
    return this.view.base;
  }

  get isArchive(): boolean {
    return this.view.isArchive;
  }

  get oldestRecent(): number {
    return this.view.oldestRecent;
  }

  header(number: number): StoredHeader | undefined {
    return this.#headers.get(number, () => this.view.header(number));
  }

  body(number: number): StoredBody | undefined {
    return this.#bodies.get(number, () => this.view.body(number));
  }

  encodedBlock(number: number): Uint8Array | undefined {
    return this.view.encodedBlock(number);
  }

  receipts(number: number): readonly Receipt[] | undefined {
    return this.#receipts.get(number, () => this.view.receipts(number));
  }

  certificate(number: number): Uint8Array | undefined {
    return this.view.certificate(number);
  }

  seal(epoch: number): StoredSeal | undefined {
    return this.view.seal(epoch);
  }

  numberOf(blockHash: Uint8Array): number | undefined {
    return this.view.numberOf(blockHash);
  }

  locate(transactionHash: Uint8Array): TransactionLocation | undefined {
    return this.view.locate(transactionHash);
  }

  logBlocks(query: LogQuery): Iterable<number | undefined> {
    return this.view.logBlocks(query);
  }

  stateAt(number: number): StateReader {
    return this.view.stateAt(number);
  }

  state(): StateVersion {
    return this.view.state();
  }
}

function bodyWeight({ transactions }: StoredBody): number {
  const bytes = transactions.reduce((sum, { length }) => sum + length, 0);
  return weightOf(transactions.length, bytes);
}

function receiptsWeight(receipts: readonly Receipt[]): number {
  let bytes = 0;
  for (const { logs } of receipts) for (const { data } of logs) bytes += CACHED_LOG_BYTES + data.length;
  return weightOf(receipts.length, bytes);
}

/** By bytes too: a block may have few transactions, and megabytes of calldata or logs. */
function weightOf(transactions: number, bytes: number): number {
  return 1 + transactions + Math.floor(bytes / CACHED_TRANSACTION_BYTES);
}
