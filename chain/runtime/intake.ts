/**
 * The way of transactions into the mempool: senders recovered in batches on other threads, checked against the final
 * state, and, for those of our own clients, written to the journal before they are acknowledged. What comes
 * together is one batch, and few are under way at a time, so that load makes them larger and not more numerous.
 */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { assert, CodedError, isCoded } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { ExecutionRules } from "../../vm/execution/rules.ts";
import { type Address, EMPTY_ACCOUNT } from "../../vm/state/account.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import { checkAgainstState, checkTransaction } from "../../vm/transaction/check.ts";
import { TransactionError } from "../../vm/transaction/errors.ts";
import type { Mempool } from "../mempool/mempool.ts";
import { waitingLane } from "../mempool/waiting-lane.ts";
import { type ClaimedTransaction, claimOf, NO_CLAIM, type SenderClaim } from "../senders/claim.ts";
import type { RecoveryResult } from "../senders/sender-pool.ts";
import { type EarlyTransaction, EarlyTransactions } from "./early-transactions.ts";
import { MAX_INTAKE_BYTES, MAX_INTAKE_TRANSACTIONS, MAX_RECEIVED_TRANSACTIONS } from "./limits.ts";
import type { HashedTransaction } from "./sender-cache.ts";
import { WasteBudget } from "./waste-budget.ts";

export interface IntakeOptions {
  readonly mempool: Mempool;
  readonly rules: ExecutionRules;
  readonly gasLimit: bigint;
  /** The state after the last final block, and the base fee of the next. */
  readonly state: () => StateReader;
  readonly baseFee: () => bigint;
  readonly now: () => number;
  recover(transactions: readonly HashedTransaction[]): Promise<readonly RecoveryResult[]>;
  /** Whether the sender of the transaction with that hash is known without work. */
  isRecovered(hash: Hex): boolean;
  /** Resolves when a killed process would not lose them. */
  journal(raws: readonly Uint8Array[]): Promise<void>;
  /** New ones of our own clients, for the other nodes. */
  publish(added: readonly RecoveredTransaction[]): void;
  /** The peer makes us work for nothing. */
  onWaste(peer: string): void;
  /** After every batch that added something. */
  onAdded(added: readonly RecoveredTransaction[]): void;
  /** The journal cannot be written. */
  onFailure(error: unknown): void;
}

const CLAIM_FALSE = "CLAIM_FALSE";

interface Waiting extends HashedTransaction {
  readonly resolve: (hash: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** What became of one transaction: its entry, or why not. */
export type Outcome = RecoveredTransaction | CodedError;

interface AddedBatch {
  readonly results: readonly RecoveryResult[];
  readonly outcomes: readonly Outcome[];
}

/** What a batch from a peer is worth to others: rejected means that its sender must have known better. */
export type BatchJudgement = "accept" | "ignore" | "reject";

const MAX_BATCH = 2_048;
/** More would be smaller ones, and cost more messages between threads. */
const MAX_BATCHES = 4;

export class TransactionIntake {
  readonly #options: IntakeOptions;
  #queue: Waiting[] = [];
  #waiting = 0;
  /** Of these, from peers. */
  #received = 0;
  #bytes = 0;
  /** Batches of clients that are not answered yet. */
  #underWay = 0;
  /** Settled when the last batch that began is in the mempool. */
  #order: Promise<void> = Promise.resolve();
  readonly #waste = new WasteBudget();
  readonly #early = new EarlyTransactions();
  #isScheduled = false;
  #isClosed = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /**
   * Takes a transaction of a client. Resolves with its hash when it is in the mempool and in the journal. Rejects with a
   * TransactionError, a MEMPOOL_ error, or NODE_BUSY.
   */
  submit(raw: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(stopping());
        return;
      }
      if (!this.#takeRoom(1, raw.length)) {
        reject(busy());
        return;
      }
      this.#queue.push({ raw, hash: hashOf(raw), resolve, reject });
      this.#schedule();
    });
  }

  /**
   * Takes transactions of clients whose senders are known, in this order and at once. Answers with what became of each when
   * those that were taken are in the journal; rejects when it cannot be written.
   */
  async take(entries: readonly RecoveredTransaction[]): Promise<readonly Outcome[]> {
    if (this.#isClosed) return entries.map(stopping);
    const bytes = sizeOf(entries.map(({ transaction }) => transaction));
    if (!this.#takeRoom(entries.length, bytes)) return entries.map(busy);
    this.#underWay++;
    try {
      const outcomes = this.#addAll(entries, this.#options.baseFee());
      await this.#keepOwn(outcomes.filter(isAdded));
      return outcomes;
    } finally {
      this.#end(entries.length, bytes);
    }
  }

  /** Takes transactions that the peer has sent. */
  async receive(batch: readonly ClaimedTransaction[], from: string): Promise<BatchJudgement> {
    const { mempool, isRecovered, now, onWaste } = this.#options;
    // Recovering a sender costs forty times as much as seeing that it waits already.
    const hashed = batch.map((transaction) => ({ ...transaction, hash: hashOf(transaction.raw) }));
    if (hashed.some(({ hash, claim }) => isFalse(claim, mempool.get(hash)?.sender))) return "reject";
    const fresh = hashed.filter(({ hash }) => !mempool.has(hash));
    const raws = fresh.map(({ raw }) => raw);
    if (raws.length === 0) return "ignore";
    const bytes = sizeOf(fresh);
    if (this.#isClosed || this.#received + raws.length > MAX_RECEIVED_TRANSACTIONS) return "ignore";
    // What a block has brought meanwhile comes from honest peers too, and costs nothing.
    const work = fresh.map(({ hash }) => !isRecovered(hash));
    if (!this.#waste.take(from, countOf(work), now())) {
      onWaste(from);
      return "ignore";
    }
    if (!this.#takeRoom(raws.length, bytes)) {
      this.#waste.giveBack(from, countOf(work), now());
      return "ignore";
    }
    this.#received += raws.length;
    try {
      const { results, outcomes } = await this.#inOrder(fresh);
      const useful = work.map((isWork, index) => isWork && !(outcomes[index] instanceof CodedError));
      this.#waste.giveBack(from, countOf(useful), now());
      if (outcomes.some((outcome) => outcome instanceof CodedError && isMalformed(outcome))) return "reject";
      const added = outcomes.filter(isAdded);
      this.#holdEarly(results, outcomes, from);
      // A client's transaction that we acknowledge may come after these, and is of no use without them.
      if (added.length > 0) await this.#options.journal(added.map(({ transaction }) => transaction.raw));
      if (added.length > 0) await this.#addEarly(new Set(added.map(({ sender }) => sender)));
      return added.length === 0 ? "ignore" : "accept";
    } catch (error) {
      // The threads that recover senders end when the node stops: no fault of the peer's.
      if (this.#isClosed) return "ignore";
      throw error;
    } finally {
      this.#received -= raws.length;
      this.#waiting -= raws.length;
      this.#bytes -= bytes;
    }
  }

  /**
   * Puts back what the journal held, except what can never be included. What was taken at a lower base fee may wait. In
   * order of nonces: one that was replaced stands behind its successors, which would be too far ahead without it.
   */
  async reload(raws: readonly Uint8Array[]): Promise<number> {
    const entries: RecoveredTransaction[] = [];
    for (let start = 0; start < raws.length; start += MAX_BATCH) {
      const batch = raws.slice(start, start + MAX_BATCH).map((raw) => ({ raw, hash: hashOf(raw) }));
      const results = await this.#options.recover(batch);
      for (const result of results) if (!(result instanceof CodedError)) entries.push(result);
    }
    entries.sort(({ transaction: a }, { transaction: b }) => (a.nonce < b.nonce ? -1 : a.nonce > b.nonce ? 1 : 0));
    return this.#addAll(entries, 0n).filter((outcome) => !(outcome instanceof CodedError)).length;
  }

  /** A block with transactions of these is final: what came too early may be in time now, and a turn may be over. */
  onBlock(senders: Iterable<Address>): void {
    const { mempool, rules, state, gasLimit, baseFee } = this.#options;
    const [reader, block] = [state(), { gasLimit, baseFeePerGas: baseFee() }];
    mempool.reviewDuties((entry) => waitingLane(rules, reader, block, entry).duty !== undefined);
    if (this.#early.size === 0 || this.#isClosed) return;
    const waiting = [...new Set(senders)].filter((sender) => this.#early.has(sender));
    if (waiting.length > 0) this.#order.then(() => this.#addEarly(waiting)).catch(this.#options.onFailure);
  }

  /** Answers what waits; nothing is taken afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#queue.length > 0 || this.#underWay > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  #takeRoom(count: number, bytes: number): boolean {
    if (this.#waiting + count > MAX_INTAKE_TRANSACTIONS || this.#bytes + bytes > MAX_INTAKE_BYTES) return false;
    this.#waiting += count;
    this.#bytes += bytes;
    return true;
  }

  /** What arrives together goes into the same batch; several are under way, so that no thread waits for another. */
  #schedule(): void {
    if (this.#isScheduled || this.#queue.length === 0 || this.#underWay >= MAX_BATCHES) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#begin(this.#queue.splice(0, MAX_BATCH));
      this.#schedule();
    });
  }

  #begin(batch: readonly Waiting[]): void {
    this.#underWay++;
    this.#inOrder(batch)
      .then(({ outcomes }) => this.#acknowledge(batch, outcomes))
      .catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      })
      .finally(() => this.#end(batch.length, sizeOf(batch)));
  }

  /** Of so many transactions of clients. */
  #end(count: number, bytes: number): void {
    this.#underWay--;
    this.#waiting -= count;
    this.#bytes -= bytes;
    this.#schedule();
  }

  /** Senders are recovered at the same time, but transactions added in the order in which they came. */
  #inOrder(transactions: readonly HashedTransaction[]): Promise<AddedBatch> {
    const { recover, baseFee } = this.#options;
    const recovered = recover(transactions);
    const added = Promise.all([recovered, this.#order]).then(([results]) => ({
      results,
      outcomes: this.#addAll(
        results.map((result, index) => truthful(result, transactions[index]?.claim)),
        baseFee(),
      ),
    }));
    this.#order = added.then(
      () => undefined,
      () => undefined,
    );
    return added;
  }

  #holdEarly(results: readonly RecoveryResult[], outcomes: readonly Outcome[], from: string): void {
    for (const [index, outcome] of outcomes.entries()) {
      const result = results[index];
      if (!isCoded(outcome, "MEMPOOL_NONCE_TOO_FAR") || result === undefined || result instanceof CodedError) continue;
      this.#early.hold(result, from, this.#options.now());
    }
  }

  /** Those of these senders whose time has come. */
  async #addEarly(senders: Iterable<Address>): Promise<void> {
    const { journal, now } = this.#options;
    const added: RecoveredTransaction[] = [];
    for (const sender of senders) {
      for (let batch = this.#inReach(sender); batch.length > 0; batch = this.#inReach(sender)) {
        const outcomes = this.#addAll(
          batch.map(({ entry }) => entry),
          this.#options.baseFee(),
        );
        for (const [index, outcome] of outcomes.entries()) {
          if (outcome instanceof CodedError) continue;
          added.push(outcome);
          this.#waste.giveBack(batch[index]?.from ?? "", 1, now());
        }
      }
    }
    if (added.length > 0) await journal(added.map(({ transaction }) => transaction.raw));
  }

  #inReach(sender: Address): readonly EarlyTransaction[] {
    if (this.#early.size === 0) return [];
    const { mempool, state, now } = this.#options;
    return this.#early.take(sender, mempool.reach(sender, state().account(sender)?.nonce ?? 0n), now());
  }

  async #acknowledge(batch: readonly Waiting[], outcomes: readonly Outcome[]): Promise<void> {
    await this.#keepOwn(outcomes.filter(isAdded));
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index];
      assert(outcome !== undefined, "every transaction has an outcome");
      if (outcome instanceof CodedError) reject(outcome);
      else resolve(outcome.transaction.hash);
    }
  }

  async #keepOwn(added: readonly RecoveredTransaction[]): Promise<void> {
    if (added.length === 0) return;
    this.#options.publish(added);
    await this.#options.journal(added.map(({ transaction }) => transaction.raw));
  }

  #addAll(results: readonly Outcome[], baseFeePerGas: bigint): readonly Outcome[] {
    const reader = this.#options.state();
    const environment = { gasLimit: this.#options.gasLimit, baseFeePerGas };
    const outcomes = results.map((result) =>
      result instanceof CodedError ? result : this.#add(result, reader, environment),
    );
    const added = outcomes.filter(isAdded);
    if (added.length > 0) this.#options.onAdded(added);
    return outcomes;
  }

  #add(
    entry: RecoveredTransaction,
    reader: StateReader,
    environment: { readonly gasLimit: bigint; readonly baseFeePerGas: bigint },
  ): Outcome {
    const { mempool, rules, now } = this.#options;
    const { transaction, sender } = entry;
    try {
      checkTransaction(transaction, rules);
      const account = reader.account(sender);
      const nonce = account?.nonce ?? 0n;
      // A nonce ahead of the account's waits for the ones before it; everything else must hold now.
      const next = transaction.nonce > nonce ? { ...transaction, nonce } : transaction;
      // What no lane would take is refused before anybody is asked whose turn it is.
      checkAgainstState(next, account, reader, { gasLeft: environment.gasLimit, baseFeePerGas: 0n });
      const lane = waitingLane(rules, reader, environment, entry);
      checkAgainstState(next, account, reader, lane);
      mempool.add(entry, account ?? EMPTY_ACCOUNT, now(), lane.duty !== undefined);
      return entry;
    } catch (error) {
      if (error instanceof TransactionError || isMempoolError(error)) return error;
      throw error;
    }
  }
}

function hashOf(raw: Uint8Array): Hex {
  return bytesToHex(keccak256(raw));
}

function sizeOf(transactions: readonly { readonly raw: Uint8Array }[]): number {
  return transactions.reduce((sum, { raw }) => sum + raw.length, 0);
}

function isAdded(outcome: Outcome): outcome is RecoveredTransaction {
  return !(outcome instanceof CodedError);
}

/** Whoever hands a transaction on has found its sender, and a false claim makes others work in vain. */
function isFalse(claim: SenderClaim = NO_CLAIM, sender?: Address): boolean {
  return claim !== NO_CLAIM && sender !== undefined && claim !== claimOf(sender);
}

function truthful(result: RecoveryResult, claim: SenderClaim | undefined): Outcome {
  if (result instanceof CodedError || !isFalse(claim, result.sender)) return result;
  return new CodedError(CLAIM_FALSE, "another sender was claimed than the transaction has");
}

function countOf(flags: readonly boolean[]): number {
  return flags.filter((flag) => flag).length;
}

function isMempoolError(error: unknown): error is CodedError {
  return error instanceof CodedError && error.code.startsWith("MEMPOOL_");
}

/** No honest node hands on what no state could make right. */
function isMalformed({ code }: CodedError): boolean {
  return code === CLAIM_FALSE || (code.startsWith("TX_") && !STATE_DEPENDENT.has(code));
}

/** Depend on the state, which may differ from node to node for a moment. */
const STATE_DEPENDENT: ReadonlySet<string> = new Set([
  "TX_NONCE_TOO_LOW",
  "TX_NONCE_TOO_HIGH",
  "TX_INSUFFICIENT_FUNDS",
  "TX_SENDER_HAS_CODE",
  "TX_FEE_BELOW_BASE_FEE",
  "TX_GAS_LIMIT_ABOVE_BLOCK",
]);

function busy(): CodedError {
  return new CodedError("NODE_BUSY", "too many transactions are being taken in: try again", {
    waiting: MAX_INTAKE_TRANSACTIONS,
  });
}

function stopping(): CodedError {
  return new CodedError("NODE_STOPPING", "the node is stopping");
}
