/** What the RPC needs of a node. */
import type { Hex } from "../base/bytes.ts";
import type { Progress } from "../base/progress.ts";
import type { NodeStatus } from "../chain/runtime/node-status.ts";
import type { SeenProgress } from "../chain/runtime/progress-board.ts";
import type { StoredBody, StoredHeader, StoredSeal, TransactionLocation } from "../chain/store/block-records.ts";
import type { LogQuery } from "../chain/store/log-index.ts";
import type { ChainSpec } from "../genesis/chain-spec.ts";
import type { RecoveredTransaction } from "../vm/execution/execute-block.ts";
import type { Receipt } from "../vm/receipt/receipt.ts";
import type { Address } from "../vm/state/account.ts";
import type { StateReader } from "../vm/state/reader.ts";
import type { StateVersion } from "../vm/state/state-version.ts";

/** What is read from the database: final and durable, on whichever thread. */
export interface ChainReads {
  readonly spec: ChainSpec;
  /** The last final block, which is durable. */
  readonly head: StoredHeader;
  /** The first block whose state and body are here: genesis, or the block whose state was fetched. */
  readonly base: number;
  readonly isArchive: boolean;
  /** The first of the last blocks whose states are here with their trees, archive or not. */
  readonly oldestRecent: number;
  header(number: number): StoredHeader | undefined;
  body(number: number): StoredBody | undefined;
  /** The block as nodes send it. */
  encodedBlock(number: number): Uint8Array | undefined;
  receipts(number: number): readonly Receipt[] | undefined;
  /** What made the block final: its own certificate, or that of a later block committed with it. */
  certificate(number: number): Uint8Array | undefined;
  /** The block that ended an epoch, and the validators of the next one. */
  seal(epoch: number): StoredSeal | undefined;
  numberOf(blockHash: Uint8Array): number | undefined;
  locate(transactionHash: Uint8Array): TransactionLocation | undefined;
  /**
   * Numbers of the blocks that may have logs like these, ascending; above `base` nothing is missing. `undefined` where
   * nothing was found in a while, so that others can have their turn.
   */
  logBlocks(query: LogQuery): Iterable<number | undefined>;
  /** The state after that block. Throws STORE_NO_ARCHIVE for a past one when the node does not keep them. */
  stateAt(number: number): StateReader;
  /** The state after the last block with its tree, for proofs. */
  state(): StateVersion;
}

/** Which waiting transactions are asked for. */
export interface WaitingQuery {
  /** Only those of this sender. */
  readonly sender?: Address | undefined;
  /** At most so many, the first to arrive first; 0 asks for the counts alone. */
  readonly limit: number;
  /** And of so many bytes together. */
  readonly bytes?: number | undefined;
}

export interface WaitingContent {
  /** How many wait in all, and how many of them could be included now. */
  readonly total: number;
  readonly ready: number;
  readonly transactions: readonly RecoveredTransaction[];
}

type Awaitable<Value> = Value | Promise<Value>;

/** What only the thread that runs the chain knows. Its answers come from there, so they are awaited. */
export interface NodePort {
  /**
   * Takes a signed transaction and answers with its hash once a kill would not lose it. Rejects with the coded reason when
   * it cannot be included. What comes through the same connection is likely to have the same sender.
   */
  submit(raw: Uint8Array, connection?: number): Promise<Uint8Array>;
  /** A transaction that waits for a block. */
  waiting(hash: Hex): Awaitable<RecoveredTransaction | undefined>;
  waitingContent(query: WaitingQuery): Awaitable<WaitingContent>;
  /** The nonce after all of the account's transactions, waiting ones included. */
  nextNonce(address: Address): Awaitable<bigint>;
  /** Its role, peers, consensus and evidence. */
  status(): Awaitable<NodeStatus>;
  readonly progress: ProgressPort;
}

/** How far workers say that they are. */
export interface ProgressPort {
  /** Takes a worker's word and hands it on. Throws, or rejects with, a PROGRESS_ error. */
  report(progress: Progress): Awaitable<void>;
  of(job: bigint): Awaitable<readonly SeenProgress[]>;
}

export interface ChainView extends ChainReads, NodePort {}
