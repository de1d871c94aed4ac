/**
 * Recovers the senders of transactions on worker threads: the one expensive step between bytes and execution (78 us
 * of native code each, where everything else takes a tenth of that), and one that needs no state.
 *
 * Batches are cut into pieces that go to the workers in turn, several ahead: while this thread executes a block it hears
 * of no finished piece, and a worker must not stand idle until it does. What waits is bounded: callers wait before they
 * queue more. A worker that dies is replaced and its pieces given to another, the one it worked on once.
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { bytesToHex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { TransactionError, TransactionErrorCode } from "../../vm/transaction/errors.ts";
import { recoverSender } from "../../vm/transaction/sign.ts";
import { decodeTransaction } from "../../vm/transaction/transaction.ts";
import { FAILURES, HASH_AT, type PackedSenders, packTransactions, RESULT_BYTES, SENDER_AT } from "./batch.ts";
import { NO_CLAIM, type SenderClaim } from "./claim.ts";

/** In the order of the transactions given: each recovered, or why not. */
export type RecoveryResult = RecoveredTransaction | TransactionError;

export interface SenderPoolOptions {
  /** One per processor unless told. */
  readonly workers?: number;
  /** Transactions that wait or are being worked on, at most; one batch may go above when it is alone. */
  readonly maxPending?: number;
  /** Batches up to this size are done on the caller's thread; 0 where that has better things to do. */
  readonly inline?: number;
  /** The worker's program, for tests of crashes. */
  readonly workerUrl?: URL;
}

export type SenderPoolErrorCode = "SENDERS_CLOSED" | "SENDERS_WORKER_DIED";

/** Pieces per worker that a batch is cut into, so that workers finish together. */
const PIECES_PER_WORKER = 4;
/** Transactions per piece: enough that a message costs little beside them, few enough to share. */
const MIN_PIECE = 32;
/** Where it is said who sent them, which takes less than half of the time. */
const MIN_CLAIMED_PIECE = 128;
const MAX_PIECE = 512;
/** Pieces that a worker has in hand, at most: more than it finishes while a block of 2,000 transfers executes. */
const MAX_IN_HAND = 16;
const DEFAULT_MAX_PENDING = 32_768;
/** Batches up to this size are not worth a message (measured: a round trip costs about one recovery). */
const INLINE_TRANSACTIONS = 1;
const MAX_DEATHS = 2;

interface Piece {
  readonly raws: readonly Uint8Array[];
  readonly claims: readonly SenderClaim[] | undefined;
  readonly start: number;
  readonly end: number;
  /** Workers that died on it. */
  deaths: number;
  readonly resolve: (senders: PackedSenders) => void;
  readonly reject: (error: unknown) => void;
}

interface Waiting {
  readonly count: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Member {
  readonly worker: Worker;
  /** In the order in which it answers. */
  readonly pieces: Piece[];
  fault?: unknown;
}

export class SenderPool {
  readonly #workerUrl: URL;
  readonly #members = new Set<Member>();
  readonly #size: number;
  readonly #maxPending: number;
  readonly #inline: number;
  readonly #queue: Piece[] = [];
  /** Batches that wait for room, the first first. */
  readonly #waiting: Waiting[] = [];
  #pending = 0;
  #isClosed = false;

  constructor(options: SenderPoolOptions = {}) {
    this.#workerUrl = options.workerUrl ?? compiledWorkerUrl();
    this.#size = options.workers ?? availableParallelism();
    this.#maxPending = options.maxPending ?? DEFAULT_MAX_PENDING;
    this.#inline = options.inline ?? INLINE_TRANSACTIONS;
  }

  /** Transactions that wait or are being worked on. */
  get pending(): number {
    return this.#pending;
  }

  /**
   * Decodes the transactions and recovers their senders; a bad one is an error in its place. It may be said who sent each:
   * where that is true of somebody known it takes less time, and the result is always the same.
   */
  async recover(raws: readonly Uint8Array[], claims?: readonly SenderClaim[]): Promise<readonly RecoveryResult[]> {
    if (raws.length <= this.#inline) return raws.map(recoverInline);
    await this.#takeRoom(raws.length);
    try {
      if (this.#isClosed) throw closed();
      const pieces: Promise<readonly RecoveryResult[]>[] = [];
      const isClaimed = claims?.some((claim) => claim !== NO_CLAIM) === true;
      const size = this.#pieceSize(raws.length, isClaimed ? MIN_CLAIMED_PIECE : MIN_PIECE);
      for (let start = 0; start < raws.length; start += size) {
        pieces.push(this.#submit(raws, claims, start, Math.min(start + size, raws.length)));
      }
      return (await Promise.all(pieces)).flat();
    } finally {
      this.#pending -= raws.length;
      this.#admit();
    }
  }

  /** Rejects what is under way and ends the threads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const piece of this.#queue.splice(0)) piece.reject(closed());
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
    const members = [...this.#members];
    for (const { pieces } of members) for (const piece of pieces) piece.reject(closed());
    await Promise.all(members.map(({ worker }) => worker.terminate()));
  }

  /** Resolves once `count` transactions are counted as pending, in the order of the calls. */
  async #takeRoom(count: number): Promise<void> {
    if (this.#isClosed) throw closed();
    const taken = new Promise<void>((resolve, reject) => this.#waiting.push({ count, resolve, reject }));
    this.#admit();
    await taken;
  }

  /** Stops at the first that does not fit: small batches that pass it would keep it waiting for ever. */
  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.count); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#pending += next.count;
      next.resolve();
    }
  }

  #fits(count: number): boolean {
    return this.#pending === 0 || this.#pending + count <= this.#maxPending;
  }

  #pieceSize(transactions: number, least: number): number {
    const even = Math.ceil(transactions / (this.#size * PIECES_PER_WORKER));
    return Math.min(MAX_PIECE, Math.max(least, even));
  }

  async #submit(
    raws: readonly Uint8Array[],
    claims: readonly SenderClaim[] | undefined,
    start: number,
    end: number,
  ): Promise<readonly RecoveryResult[]> {
    const senders = new Promise<PackedSenders>((resolve, reject) => {
      this.#queue.push({ raws, claims, start, end, deaths: 0, resolve, reject });
    });
    this.#dispatch();
    return unpack(raws, start, await senders);
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const member = this.#freeMember();
      if (member === undefined) return;
      this.#give(member, this.#queue.shift() as Piece);
    }
  }

  /** An idle worker, a new one, or the one with the least in hand. */
  #freeMember(): Member | undefined {
    let least: Member | undefined;
    for (const member of this.#members) {
      if (least === undefined || member.pieces.length < least.pieces.length) least = member;
    }
    if (least?.pieces.length === 0) return least;
    if (this.#members.size < this.#size) return this.#hire();
    return least !== undefined && least.pieces.length < MAX_IN_HAND ? least : undefined;
  }

  #hire(): Member {
    const worker = new Worker(this.#workerUrl);
    const member: Member = { worker, pieces: [] };
    this.#members.add(member);
    worker.on("message", (senders: PackedSenders) => {
      const piece = member.pieces.shift();
      // An idle worker must not keep the process alive.
      if (member.pieces.length === 0) worker.unref();
      this.#dispatch();
      piece?.resolve(senders);
    });
    // `exit` follows and does the rest; without a listener the error would end the process.
    worker.on("error", (error) => {
      member.fault = error;
    });
    worker.on("exit", () => this.#bury(member));
    return member;
  }

  #give(member: Member, piece: Piece): void {
    member.pieces.push(piece);
    const packed = packTransactions(piece.raws, piece.start, piece.end, piece.claims);
    member.worker.ref();
    member.worker.postMessage(packed, [packed.bytes.buffer, packed.ends.buffer, packed.claims.buffer]);
  }

  #bury(member: Member): void {
    this.#members.delete(member);
    const [first, ...rest] = member.pieces.splice(0);
    if (first === undefined || this.#isClosed) return;
    this.#queue.unshift(...rest);
    first.deaths++;
    if (first.deaths < MAX_DEATHS) this.#queue.unshift(first);
    else first.reject(workerDied(member.fault));
    this.#dispatch();
  }
}

function recoverInline(raw: Uint8Array): RecoveryResult {
  try {
    const transaction = decodeTransaction(raw);
    return { transaction, sender: recoverSender(transaction) };
  } catch (error) {
    if (error instanceof CodedError) return error as TransactionError;
    throw error;
  }
}

function unpack(raws: readonly Uint8Array[], start: number, senders: PackedSenders): RecoveryResult[] {
  const results: RecoveryResult[] = [];
  for (let at = 0, i = start; at < senders.length; at += RESULT_BYTES, i++) {
    const raw = raws[i] as Uint8Array;
    // Failures are rare: finding the same one again gives the full error with its data.
    if (senders[at] !== 0) results.push(failureOf(raw, FAILURES[(senders[at] as number) - 1]));
    else {
      const sender = bytesToHex(senders.subarray(at + SENDER_AT, at + HASH_AT));
      // A copy: a view would keep the whole piece alive.
      results.push({
        transaction: decodeTransaction(raw, { knownHash: senders.slice(at + HASH_AT, at + RESULT_BYTES) }),
        sender,
      });
    }
  }
  return results;
}

function failureOf(raw: Uint8Array, code: TransactionErrorCode | undefined): TransactionError {
  const again = recoverInline(raw);
  if (again instanceof CodedError) return again;
  throw new Error(`a worker refused a transaction with ${code} that is good here`);
}

/** Workers run compiled code: from the sources (tests do that) the compiled file is in `dist`. */
function compiledWorkerUrl(): URL {
  const here = import.meta.url;
  return here.endsWith(".ts")
    ? new URL("../../dist/chain/senders/sender-worker.js", here)
    : new URL("./sender-worker.js", here);
}

function closed(): CodedError<SenderPoolErrorCode> {
  return new CodedError("SENDERS_CLOSED", "the pool that recovers senders is closed");
}

function workerDied(cause: unknown): CodedError<SenderPoolErrorCode> {
  const reason = cause instanceof Error ? cause.message : "no reason given";
  return new CodedError("SENDERS_WORKER_DIED", `the worker that recovers senders died twice on one batch: ${reason}`, {
    reason,
  });
}
