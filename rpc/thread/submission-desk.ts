/** The node's end of the way of clients' transactions (submissions.ts), and the threads that recover their senders. */
import { availableParallelism } from "node:os";
import { MessageChannel, Worker } from "node:worker_threads";
import { bytesToHex } from "../../base/bytes.ts";
import { assert, CodedError } from "../../base/errors.ts";
import type { Node } from "../../chain/runtime/node.ts";
import type { KnownTransaction } from "../../chain/runtime/sender-cache.ts";
import { MAX_QUESTIONS } from "../limits.ts";
import type { Channel } from "./channel.ts";
import { type LaneMemory, LaneReader, LaneWriter, laneMemory, type Portion } from "./lane.ts";
import { LoopReader } from "./loop-reader.ts";
import { MergedLanes } from "./merged-lanes.ts";
import type { SenderThreadData } from "./sender-thread.ts";
import type { Refusal, SubmissionLanes } from "./submissions.ts";
import { toWire } from "./wire-error.ts";

const HASH_BYTES = 32;
const SENDER_BYTES = 20;
/** As many as there are processors to run them, but not more: the node's thread takes in what four recover. */
const MAX_THREADS = 4;
/**
 * Given to the node at once: 10 us for each of 256 transfers, or a millisecond or two for the densest transactions of so
 * many bytes, of which the last may be a large one. Votes must not wait for more.
 */
const TAKEN_AT_ONCE: Portion = { notes: 256, bytes: 32 * 1024 };
/** Between two threads: so many of the largest transactions, or thousands of usual ones. */
const LANE_TRANSACTIONS = 4;
/** For an answer to every question that may be open: there is always room for one. */
const ANSWER_BYTES: number = 2 * MAX_QUESTIONS * (8 + HASH_BYTES);

/** To the RPC's thread. */
type RpcChannel = Pick<Channel, "tell">;

/** Takes transactions whose senders are known. */
export type KnownTaker = Pick<Node, "submitKnown">;

export interface SubmissionDeskOptions {
  readonly node: KnownTaker;
  /** Of the chain. */
  readonly maxTransactionBytes: number;
  /** Threads that recover senders, at most. */
  readonly threads?: number;
  /** One of them died of a bug: nobody answers what is submitted from now on. */
  readonly onDeath: (reason: unknown) => void;
}

export class SubmissionDesk {
  readonly #options: SubmissionDeskOptions;
  /** By thread. */
  readonly #submitted: readonly LaneMemory[];
  readonly #recovered: readonly LaneMemory[];
  readonly #answered: LaneMemory = laneMemory(powerOfTwo(ANSWER_BYTES));
  /** By thread, too: each has an end. */
  readonly #refused: readonly MessageChannel[];
  readonly #reader: LoopReader;
  readonly #answers: LaneWriter;
  /** Read, and not yet given to the node. */
  #taken: (KnownTransaction & { readonly id: number })[] = [];
  #channel: RpcChannel | undefined;
  readonly #threads: Worker[] = [];
  #isClosed = false;

  constructor(options: SubmissionDeskOptions) {
    this.#options = options;
    const length = options.threads ?? Math.min(availableParallelism(), MAX_THREADS);
    const bytes = powerOfTwo(LANE_TRANSACTIONS * options.maxTransactionBytes);
    this.#submitted = Array.from({ length }, () => laneMemory(bytes));
    this.#recovered = Array.from({ length }, () => laneMemory(bytes));
    this.#refused = Array.from({ length }, () => new MessageChannel());
    this.#answers = new LaneWriter(this.#answered);
    const recovered = new MergedLanes(this.#recovered.map((memory) => new LaneReader(memory)));
    this.#reader = new LoopReader(
      recovered,
      (id, note) => this.#take(id, note),
      () => TAKEN_AT_ONCE,
    );
  }

  /** The other end. Its ports are to be transferred. */
  get lanes(): SubmissionLanes {
    const { maxTransactionBytes } = this.#options;
    const refused = this.#refused.map(({ port1 }) => port1);
    return { maxTransactionBytes, submitted: this.#submitted, answered: this.#answered, refused };
  }

  /** So many threads are needed now. The first one with the first transaction: a node that nobody sends any has none. */
  begin(channel: RpcChannel, threads: number): void {
    this.#channel = channel;
    try {
      while (this.#threads.length < threads && !this.#isClosed) this.#startThread(this.#threads.length);
    } catch (error) {
      // The machine has no room for another thread. Without it nothing is submitted, but the node goes on.
      this.#options.onDeath(error);
    }
  }

  #startThread(index: number): void {
    const data: SenderThreadData = {
      submitted: this.#submitted[index] as LaneMemory,
      recovered: this.#recovered[index] as LaneMemory,
      refused: (this.#refused[index] as MessageChannel).port2,
    };
    const thread = new Worker(compiledWorkerUrl(), { workerData: data, transferList: [data.refused] });
    this.#threads.push(thread);
    thread.on("message", () => this.#reader.look());
    let fault: unknown;
    // `exit` follows; without a listener the error would end the process.
    thread.on("error", (error) => {
      fault = error;
    });
    thread.on("exit", (code) => {
      if (!this.#isClosed) this.#options.onDeath(fault ?? new Error(`it ended with code ${code}`));
    });
    thread.unref();
  }

  /** The other end is gone. */
  close(): void {
    this.#isClosed = true;
    this.#reader.close();
    for (const { port2 } of this.#refused) port2.close();
    for (const thread of this.#threads) void thread.terminate();
  }

  #take(id: number, note: Uint8Array): void {
    // It has no sender, and the RPC's thread knows.
    if (note.length === 0) return;
    // What is read together goes to the node together.
    if (this.#taken.length === 0) queueMicrotask(() => void this.#submit());
    this.#taken.push({
      id,
      hash: note.slice(0, HASH_BYTES),
      sender: bytesToHex(note.subarray(HASH_BYTES, HASH_BYTES + SENDER_BYTES)),
      raw: note.slice(HASH_BYTES + SENDER_BYTES),
    });
  }

  /** Never rejects: what the node refuses is told. */
  async #submit(): Promise<void> {
    const taken = this.#taken;
    this.#taken = [];
    try {
      const outcomes = await this.#options.node.submitKnown(taken);
      for (const [index, { id, hash }] of taken.entries()) {
        const outcome = outcomes[index];
        if (outcome instanceof CodedError) this.#refuse(id, outcome);
        else assert(this.#answers.write(id, hash), "there is room for an answer to every question");
      }
      if (this.#answers.takesWaking()) this.#channel?.tell("answers", undefined);
    } catch (error) {
      for (const { id } of taken) this.#refuse(id, error);
    }
  }

  #refuse(id: number, error: unknown): void {
    this.#channel?.tell("refused", { id, error: toWire(error) } satisfies Refusal);
  }
}

function powerOfTwo(atLeast: number): number {
  return 2 ** Math.ceil(Math.log2(atLeast));
}

/** Threads run compiled code: from the sources (tests do that) the compiled file is in `dist`. */
function compiledWorkerUrl(): URL {
  const here = import.meta.url;
  return here.endsWith(".ts")
    ? new URL("../../dist/rpc/thread/sender-thread.js", here)
    : new URL("./sender-thread.js", here);
}
