/** What others read of a node's chain: final and durable blocks, and their state. */
import type { Hex } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Receipt } from "../../vm/receipt/receipt.ts";
import type { Address } from "../../vm/state/account.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import type { Mempool } from "../mempool/mempool.ts";
import type { StoredBody, StoredHeader, TransactionLocation } from "../store/block-records.ts";
import type { ChainHead, ChainStore } from "../store/chain-store.ts";

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

  header(number: number): StoredHeader | undefined {
    return this.#store.header(number);
  }

  body(number: number): StoredBody | undefined {
    return this.#store.body(number);
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

  stateAt(number: number): StateReader {
    return this.#store.stateAt(number);
  }

  waiting(hash: Hex): RecoveredTransaction | undefined {
    return this.#mempool.get(hash);
  }

  nextNonce(address: Address): bigint {
    const nonce = this.#store.state().reader.account(address)?.nonce ?? 0n;
    return this.#mempool.nextNonce(address, nonce);
  }
}
