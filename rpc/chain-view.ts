/** What the RPC needs of a node. */
import type { Hex } from "../base/bytes.ts";
import type { StoredBody, StoredHeader, TransactionLocation } from "../chain/store/block-records.ts";
import type { ChainSpec } from "../genesis/chain-spec.ts";
import type { RecoveredTransaction } from "../vm/execution/execute-block.ts";
import type { Receipt } from "../vm/receipt/receipt.ts";
import type { Address } from "../vm/state/account.ts";
import type { StateReader } from "../vm/state/reader.ts";

export interface ChainView {
  readonly spec: ChainSpec;
  /** The last final block, which is durable. */
  readonly head: StoredHeader;
  header(number: number): StoredHeader | undefined;
  body(number: number): StoredBody | undefined;
  receipts(number: number): readonly Receipt[] | undefined;
  numberOf(blockHash: Uint8Array): number | undefined;
  locate(transactionHash: Uint8Array): TransactionLocation | undefined;
  /** The state after that block. Throws STORE_NO_ARCHIVE for a past one when the node does not keep them. */
  stateAt(number: number): StateReader;
  /**
   * Takes a signed transaction and answers with its hash once a kill would not lose it. Rejects with the coded reason when
   * it cannot be included.
   */
  submit(raw: Uint8Array): Promise<Uint8Array>;
  /** A transaction that waits for a block. */
  waiting(hash: Hex): RecoveredTransaction | undefined;
  /** The nonce after all of the account's transactions, waiting ones included. */
  nextNonce(address: Address): bigint;
}
