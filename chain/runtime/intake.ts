/**
 * The way of transactions into the mempool: senders recovered in batches on other threads, checked against the final
 * state, and, for those of our own clients, written to the journal before they are acknowledged. What comes in
 * one turn is one batch, and few are under way at a time, so that load makes them larger and not more numerous.
 */
import { bytesToHex } from "../../base/bytes.ts";
import { assert, CodedError } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { ExecutionRules } from "../../vm/execution/rules.ts";
import { EMPTY_ACCOUNT } from "../../vm/state/account.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import { checkAgainstState, checkTransaction } from "../../vm/transaction/check.ts";
import { TransactionError } from "../../vm/transaction/errors.ts";
import type { Mempool } from "../mempool/mempool.ts";
import type { RecoveryResult } from "../senders/sender-pool.ts";
import { MAX_INTAKE_BYTES, MAX_INTAKE_TRANSACTIONS, MAX_RECEIVED_TRANSACTIONS } from "./limits.ts";

export interface IntakeOptions {
  readonly mempool: Mempool;
  readonly rules: ExecutionRules;
  readonly gasLimit: bigint;
  /** The state after the last final block, and the base fee of the next. */
  readonly state: () => StateReader;
  readonly baseFee: () => bigint;
  readonly now: () => number;
  recover(raws: readonly Uint8Array[]): Promise<readonly RecoveryResult[]>;
  /** Resolves when a killed process would not lose them. */
  journal(raws: readonly Uint8Array[]): Promise<void>;
  /** New ones of our own clients, for the other nodes. */
  publish(raws: readonly Uint8Array[]): void;
  /** After every batch that added something. */
  onAdded(): void;
}

interface Waiting {
  readonly raw: Uint8Array;
  readonly resolve: (hash: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** What became of one transaction: its entry, or why not. */
type Outcome = RecoveredTransaction | CodedError;

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
      this.#queue.push({ raw, resolve, reject });
      this.#schedule();
    });
  }

  /** Takes transactions that a peer has sent. */
  async receive(batch: readonly Uint8Array[]): Promise<BatchJudgement> {
    const { mempool } = this.#options;
    // Recovering a sender costs forty times as much as seeing that it waits already.
    const raws = batch.filter((raw) => !mempool.has(bytesToHex(keccak256(raw))));
    if (raws.length === 0) return "ignore";
    const bytes = raws.reduce((sum, raw) => sum + raw.length, 0);
    if (this.#isClosed || this.#received + raws.length > MAX_RECEIVED_TRANSACTIONS) return "ignore";
    if (!this.#takeRoom(raws.length, bytes)) return "ignore";
    this.#received += raws.length;
    try {
      const outcomes = this.#addAll(await this.#options.recover(raws), this.#options.baseFee());
      if (outcomes.some((outcome) => outcome instanceof CodedError && isMalformed(outcome))) return "reject";
      const added = raws.filter((_, index) => !(outcomes[index] instanceof CodedError));
      // A client's transaction that we acknowledge may come after these, and is of no use without them.
      if (added.length > 0) await this.#options.journal(added);
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
      const results = await this.#options.recover(raws.slice(start, start + MAX_BATCH));
      for (const result of results) if (!(result instanceof CodedError)) entries.push(result);
    }
    entries.sort(({ transaction: a }, { transaction: b }) => (a.nonce < b.nonce ? -1 : a.nonce > b.nonce ? 1 : 0));
    return this.#addAll(entries, 0n).filter((outcome) => !(outcome instanceof CodedError)).length;
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

  /** What arrives in the same turn goes into the same batch; several are under way, so that no thread waits for another. */
  #schedule(): void {
    if (this.#isScheduled || this.#queue.length === 0 || this.#underWay >= MAX_BATCHES) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#begin(this.#queue.splice(0, MAX_BATCH));
      this.#schedule();
    });
  }

  /** Senders are recovered at the same time, but transactions added in the order in which they came. */
  #begin(batch: readonly Waiting[]): void {
    const { recover, baseFee } = this.#options;
    this.#underWay++;
    const recovered = recover(batch.map(({ raw }) => raw));
    const added = Promise.all([recovered, this.#order]).then(([results]) => this.#addAll(results, baseFee()));
    this.#order = added.then(
      () => undefined,
      () => undefined,
    );
    added
      .then((outcomes) => this.#acknowledge(batch, outcomes))
      .catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      })
      .finally(() => {
        this.#underWay--;
        this.#waiting -= batch.length;
        for (const { raw } of batch) this.#bytes -= raw.length;
        this.#schedule();
      });
  }

  async #acknowledge(batch: readonly Waiting[], outcomes: readonly Outcome[]): Promise<void> {
    const { journal, publish } = this.#options;
    const accepted = batch.filter((_, index) => !(outcomes[index] instanceof CodedError)).map(({ raw }) => raw);
    if (accepted.length > 0) {
      publish(accepted);
      await journal(accepted);
    }
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index];
      assert(outcome !== undefined, "every transaction has an outcome");
      if (outcome instanceof CodedError) reject(outcome);
      else resolve(outcome.transaction.hash);
    }
  }

  #addAll(results: readonly RecoveryResult[], baseFeePerGas: bigint): readonly Outcome[] {
    const reader = this.#options.state();
    const environment = { gasLimit: this.#options.gasLimit, baseFeePerGas };
    const outcomes = results.map((result) =>
      result instanceof CodedError ? result : this.#add(result, reader, environment),
    );
    if (outcomes.some((outcome) => !(outcome instanceof CodedError))) this.#options.onAdded();
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
      checkAgainstState(next, account, reader, environment, 0n);
      mempool.add(entry, account ?? EMPTY_ACCOUNT, now());
      return entry;
    } catch (error) {
      if (error instanceof TransactionError || isMempoolError(error)) return error;
      throw error;
    }
  }
}

function isMempoolError(error: unknown): error is CodedError {
  return error instanceof CodedError && error.code.startsWith("MEMPOOL_");
}

/** No honest node hands on what no state could make right. */
function isMalformed({ code }: CodedError): boolean {
  return code.startsWith("TX_") && !STATE_DEPENDENT.has(code);
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
