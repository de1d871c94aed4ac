/** The node's end of the way of clients' transactions (submissions.ts), and the thread that recovers their senders. */
import { MessageChannel, Worker } from "node:worker_threads";
import { bytesToHex } from "../../base/bytes.ts";
import type { NodePort } from "../chain-view.ts";
import { MAX_QUESTIONS } from "../limits.ts";
import type { Channel } from "./channel.ts";
import { type LaneMemory, LaneReader, LaneWriter, laneMemory } from "./lane.ts";
import { LoopReader } from "./loop-reader.ts";
import type { SenderThreadData } from "./sender-thread.ts";
import type { Refusal, SubmissionLanes } from "./submissions.ts";
import { toWire } from "./wire-error.ts";

const HASH_BYTES = 32;
const SENDER_BYTES = 20;
/** Between two threads: so many of the largest transactions, or thousands of usual ones. */
const LANE_TRANSACTIONS = 4;
/** For an answer to every question that may be open: there is always room for one. */
const ANSWER_BYTES: number = 2 * MAX_QUESTIONS * (8 + HASH_BYTES);

/** To the RPC's thread. */
type RpcChannel = Pick<Channel, "tell">;

export interface SubmissionDeskOptions {
  readonly node: Pick<NodePort, "submit">;
  /** Of the chain. */
  readonly maxTransactionBytes: number;
  /** The thread died of a bug: nobody answers what is submitted from now on. */
  readonly onDeath: (reason: unknown) => void;
}

export class SubmissionDesk {
  readonly #options: SubmissionDeskOptions;
  readonly #submitted: LaneMemory;
  readonly #recovered: LaneMemory;
  readonly #answered: LaneMemory = laneMemory(powerOfTwo(ANSWER_BYTES));
  readonly #refused = new MessageChannel();
  readonly #reader: LoopReader;
  readonly #answers: LaneWriter;
  #channel: RpcChannel | undefined;
  #thread: Worker | undefined;
  #isClosed = false;

  constructor(options: SubmissionDeskOptions) {
    this.#options = options;
    const bytes = powerOfTwo(LANE_TRANSACTIONS * options.maxTransactionBytes);
    this.#submitted = laneMemory(bytes);
    this.#recovered = laneMemory(bytes);
    this.#answers = new LaneWriter(this.#answered);
    this.#reader = new LoopReader(new LaneReader(this.#recovered), (id, note) => this.#take(id, note));
  }

  /** The other end. Its port is to be transferred. */
  get lanes(): SubmissionLanes {
    const { maxTransactionBytes } = this.#options;
    return { maxTransactionBytes, submitted: this.#submitted, answered: this.#answered, refused: this.#refused.port1 };
  }

  /** With the first transaction: a node that nobody sends any does without the thread. */
  begin(channel: RpcChannel): void {
    if (this.#thread !== undefined || this.#isClosed) return;
    this.#channel = channel;
    const data: SenderThreadData = {
      submitted: this.#submitted,
      recovered: this.#recovered,
      refused: this.#refused.port2,
    };
    try {
      this.#watch(new Worker(compiledWorkerUrl(), { workerData: data, transferList: [data.refused] }));
    } catch (error) {
      // The machine has no room for another thread. Without it nothing is submitted, but the node goes on.
      this.#options.onDeath(error);
    }
  }

  #watch(thread: Worker): void {
    this.#thread = thread;
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
    this.#refused.port2.close();
    void this.#thread?.terminate();
  }

  /** Never rejects: what the node refuses is told. */
  #take(id: number, note: Uint8Array): void {
    const hash = note.slice(0, HASH_BYTES);
    const sender = bytesToHex(note.subarray(HASH_BYTES, HASH_BYTES + SENDER_BYTES));
    const raw = note.slice(HASH_BYTES + SENDER_BYTES);
    this.#options.node.submit(raw, { hash, sender }).then(
      () => this.#answer(id, hash),
      (error: unknown) => this.#channel?.tell("refused", { id, error: toWire(error) } satisfies Refusal),
    );
  }

  #answer(id: number, hash: Uint8Array): void {
    this.#answers.write(id, hash);
    if (this.#answers.takesWaking()) this.#channel?.tell("answers", undefined);
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
