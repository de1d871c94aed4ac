/**
 * A chain of one node: it takes transactions and makes blocks alone, with the same execution, blocks and store as
 * everybody else. Consensus takes its place; until then it is what development runs on.
 *
 * A block is due when a transaction waits and the interval has passed since the last one: an idle chain makes no
 * blocks. What a reader sees (head, receipts, state) is durable.
 */
import { concatBytes, EMPTY_BYTES, type Hex } from "../../base/bytes.ts";
import { assert, CodedError } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { ChainSpec } from "../../genesis/chain-spec.ts";
import type { ConservationViolation } from "../../vm/execution/conservation.ts";
import { BlockExecutor, type RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import { nextBaseFee } from "../../vm/execution/fees.ts";
import type { ExecutionRules } from "../../vm/execution/rules.ts";
import type { Receipt } from "../../vm/receipt/receipt.ts";
import { rulesOfSpec } from "../../vm/rules-of-spec.ts";
import type { Address } from "../../vm/state/account.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import { checkAgainstState, checkTransaction } from "../../vm/transaction/check.ts";
import { recoverSender } from "../../vm/transaction/sign.ts";
import { decodeTransaction } from "../../vm/transaction/transaction.ts";
import { environmentOf } from "../blocks/environment-of.ts";
import { hashHeader, headerTime } from "../blocks/header.ts";
import { MAX_BLOCK_TRANSACTIONS, MAX_TRANSACTIONS_BYTES } from "../blocks/limits.ts";
import { type HeaderFields, nextHeaderFields, sealHeader } from "../blocks/next-header.ts";
import { buildGenesisBlock } from "../genesis-block.ts";
import type { StoredBody, StoredHeader, TransactionLocation } from "../store/block-records.ts";
import { type ChainHead, ChainStore } from "../store/chain-store.ts";
import type { Clock } from "./clock.ts";
import { PENDING_LIMITS, type PendingLimits, PendingTransactions } from "./pending.ts";

export interface SoloOptions {
  readonly spec: ChainSpec;
  readonly directory: string;
  /** Receives tips and emission. */
  readonly coinbase: Address;
  readonly clock: Clock;
  readonly archive?: boolean;
  readonly pendingLimits?: PendingLimits;
  /** Money appeared or vanished: a bug of ours, which was undone. */
  readonly onViolation: (violation: ConservationViolation) => void;
  /** The disk refused a block. Nothing more is accepted. */
  readonly onFailure: (error: unknown) => void;
}

/** The base fee has risen above what the transaction offers. */
const FEE_TOO_LOW = "TX_FEE_BELOW_BASE_FEE";
/** Rejections that pass: that one, a full block, and a nonce whose predecessor was postponed. */
const POSTPONED: readonly string[] = [FEE_TOO_LOW, "TX_GAS_LIMIT_ABOVE_BLOCK", "TX_NONCE_TOO_HIGH"];
/** The cheapest transaction. */
const LEAST_GAS = 21_000n;
/** Each transaction takes up to five bytes of RLP around it. */
const MAX_BODY_BYTES = MAX_TRANSACTIONS_BYTES - 5 * MAX_BLOCK_TRANSACTIONS;
const NO_HASH = new Uint8Array(32);

export class SoloChain {
  readonly spec: ChainSpec;
  private readonly options: SoloOptions;
  private readonly store: ChainStore;
  private readonly rules: ExecutionRules;
  private readonly executor: BlockExecutor;
  private readonly pending: PendingTransactions;
  private readonly listeners = new Set<(block: ChainHead) => void>();
  private cancelTimer: (() => void) | undefined;
  private producing: Promise<boolean> | undefined;
  /** Since the block that is under way began. */
  private hasArrivals = false;
  /** Why nothing more is accepted. */
  private stopped: CodedError | undefined;
  private hasFailed = false;

  private constructor(options: SoloOptions, store: ChainStore) {
    this.spec = options.spec;
    this.options = options;
    this.store = store;
    this.rules = rulesOfSpec(options.spec);
    this.executor = new BlockExecutor(this.rules);
    this.pending = new PendingTransactions(options.pendingLimits ?? PENDING_LIMITS);
  }

  /** Throws the errors of ChainStore.open. */
  static async open(options: SoloOptions): Promise<SoloChain> {
    const { header, executed } = buildGenesisBlock(options.spec);
    const genesisHash = hashHeader(header);
    const store = await ChainStore.open(options.directory, {
      chain: { chainId: options.spec.chainId, genesisHash },
      ...(options.archive !== undefined && { archive: options.archive }),
    });
    if (store.head === undefined) await store.commit({ header, hash: genesisHash, executed });
    return new SoloChain(options, store);
  }

  get head(): ChainHead {
    const { head } = this.store;
    assert(head !== undefined, "genesis is committed when the chain opens");
    return head;
  }

  header(number: number): StoredHeader | undefined {
    return this.store.header(number);
  }

  body(number: number): StoredBody | undefined {
    return this.store.body(number);
  }

  receipts(number: number): readonly Receipt[] | undefined {
    return this.store.receipts(number);
  }

  numberOf(blockHash: Uint8Array): number | undefined {
    return this.store.numberOf(blockHash);
  }

  locate(transactionHash: Uint8Array): TransactionLocation | undefined {
    return this.store.locate(transactionHash);
  }

  stateAt(number: number): StateReader {
    return this.store.stateAt(number);
  }

  waiting(hash: Hex): RecoveredTransaction | undefined {
    return this.pending.get(hash);
  }

  nextNonce(address: Address): bigint {
    return this.pending.nextNonce(address, this.nonceOf(address));
  }

  /** Called for every new block, once it is durable. Answers with what ends the subscription. */
  onBlock(listener: (block: ChainHead) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Takes a signed transaction, to be in a block soon, and answers with its hash. Throws a TransactionError, a
   * PENDING_ error, or SOLO_STOPPED.
   */
  submit(raw: Uint8Array): Uint8Array {
    if (this.stopped !== undefined) throw this.stopped;
    const transaction = decodeTransaction(raw, { maxBytes: this.rules.maxTransactionBytes });
    checkTransaction(transaction, this.rules);
    const sender = recoverSender(transaction);
    const { reader } = this.store.state();
    const account = reader.account(sender);
    const nonce = account?.nonce ?? 0n;
    // A nonce ahead of the account's waits for the ones before it; everything else must hold now.
    const next = transaction.nonce > nonce ? { ...transaction, nonce } : transaction;
    const { gasLimit } = this.spec.block;
    const environment = { gasLimit, baseFeePerGas: nextBaseFee(this.head.header) };
    checkAgainstState(next, account, reader, environment, 0n);
    this.pending.add({ transaction, sender }, nonce);
    this.hasArrivals = true;
    this.schedule();
    return transaction.hash;
  }

  /** Puts what can be included into blocks, then closes the store. */
  async close(): Promise<void> {
    this.stopped ??= new CodedError("SOLO_STOPPED", "the node is stopping");
    this.cancelTimer?.();
    try {
      await this.producing;
      while (!this.hasFailed && this.pending.size > 0 && (await this.produce()));
    } finally {
      await this.store.close();
    }
  }

  private nonceOf(address: Address): bigint {
    return this.store.state().reader.account(address)?.nonce ?? 0n;
  }

  private schedule(): void {
    if (this.cancelTimer !== undefined || this.producing !== undefined || this.stopped !== undefined) return;
    const { clock } = this.options;
    const { intervalMilliseconds } = this.spec.block;
    const wait = headerTime(this.head.header) + intervalMilliseconds - clock.now();
    // A clock that was set back must not stop the chain.
    const delay = Math.min(Math.max(wait, 0), intervalMilliseconds);
    this.cancelTimer = clock.setTimer(delay, () => {
      this.cancelTimer = undefined;
      this.hasArrivals = false;
      this.producing = this.produce();
      this.producing.then((canGoOn) => this.afterBlock(canGoOn)).catch((error) => this.fail(error));
    });
  }

  private afterBlock(canGoOn: boolean): void {
    this.producing = undefined;
    // What arrived meanwhile found a block under way, and may fill the gap that the others wait for.
    if (this.pending.size > 0 && (canGoOn || this.hasArrivals)) this.schedule();
  }

  private fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.stopped ??= new CodedError("SOLO_STOPPED", `the node cannot go on: ${reason}`);
    this.hasFailed = true;
    this.options.onFailure(error);
  }

  /** Makes one block if there is anything for it. False when nothing that waits can go on by itself. */
  private async produce(): Promise<boolean> {
    const { gasLimit } = this.spec.block;
    const most = Math.min(Number(gasLimit / LEAST_GAS), MAX_BLOCK_TRANSACTIONS);
    const candidates = this.pending.ready(most, MAX_BODY_BYTES, (sender) => this.nonceOf(sender));
    if (candidates.length === 0) return false;
    const fields = this.nextFields();
    const environment = environmentOf(fields, (number) => this.store.blockHash(number));
    const executed = this.executor.execute(this.store.state(), environment, candidates);
    // An empty block lowers the base fee, until those that wait for that can be included.
    const isDue = executed.included.length > 0 || executed.rejected.some(({ error }) => error.code === FEE_TOO_LOW);
    if (isDue) {
      const header = sealHeader(fields, executed);
      await this.store.commit({ header, hash: hashHeader(header), executed });
    }
    for (const { sender, transaction } of executed.included) this.pending.removeNonce(sender, transaction.nonce);
    for (const entry of executed.rejected) if (!POSTPONED.includes(entry.error.code)) this.pending.remove(entry);
    for (const violation of executed.violations) this.options.onViolation(violation);
    if (isDue) for (const listener of this.listeners) listener(this.head);
    return true;
  }

  private nextFields(): HeaderFields {
    const { coinbase, clock } = this.options;
    const { header, hash } = this.head;
    return nextHeaderFields(header, {
      now: clock.now(),
      gasLimit: this.spec.block.gasLimit,
      coinbase,
      // Different in every block and known to everybody: enough for one node, which could choose it anyway.
      beacon: keccak256(concatBytes(header.beacon, hash)),
      extra: {
        epoch: 0,
        view: Number(header.number) + 1,
        proposer: 0,
        taskRoot: NO_HASH,
        validatorSetHash: NO_HASH,
        nextValidatorSetHash: EMPTY_BYTES,
        reveal: EMPTY_BYTES,
        parentCertificate: EMPTY_BYTES,
      },
    });
  }
}
