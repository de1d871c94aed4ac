/**
 * The way of clients' transactions from the RPC's thread to the node's, and of the answers back. It is the busiest of all
 * that threads say to each other, so it goes through lanes: by way of the threads that recover senders, and without a
 * message unless somebody sleeps. Transactions reach the node in the order in which they came: one that overtakes those
 * before it would be refused for the nonces that are missing. Their numbers tell that order, whichever thread they took.
 */
import type { MessagePort } from "node:worker_threads";
import { CodedError } from "../../base/errors.ts";
import { checkSize } from "../../vm/transaction/transaction.ts";
import { MAX_QUESTIONS, MAX_SUBMITTED_BYTES } from "../limits.ts";
import type { Channel } from "./channel.ts";
import { type LaneMemory, LaneReader, LaneWriter, type Portion } from "./lane.ts";
import { LoopReader } from "./loop-reader.ts";
import { fromWire, type WireError } from "./wire-error.ts";

/**
 * Answers that are sent before the next requests are read: so many, or one of so many that wait. Sending one wakes the
 * client; sending all of them first would leave the thread that recovers senders without work until the last is sent.
 */
const ANSWERS_AT_ONCE = 2;
const ANSWERS_SHARE = 8;

/** What a thread has before it when another is worth waking: some thirty transfers. */
const ENOUGH_BYTES = 4_096;

/** The RPC's end, as it is handed to its thread. */
export interface SubmissionLanes {
  /** Of the chain: longer transactions are refused. */
  readonly maxTransactionBytes: number;
  /** One for each thread that recovers senders. */
  readonly submitted: readonly LaneMemory[];
  readonly answered: LaneMemory;
  /** From each of those threads. */
  readonly refused: readonly MessagePort[];
}

export interface Refusal {
  readonly id: number;
  readonly error: WireError;
}

/** Before each transaction on its way: the number of the connection that it came through. */
export const CONNECTION_BYTES = 4;
/** Of what came through none. */
export const NO_CONNECTION = 0;

interface Pending {
  readonly raw: Uint8Array;
  readonly connection: number;
  readonly resolve: (hash: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/** The RPC's end. */
export class Submissions {
  readonly #channel: Pick<Channel, "tell">;
  readonly #maxTransactionBytes: number;
  readonly #submitted: readonly LaneWriter[];
  /** Lanes whose threads have begun: the first so many. */
  #begun = 0;
  readonly #answers: LoopReader;
  readonly #pending = new Map<number, Pending>();
  /** Those that the lane had no room for, the first first. */
  readonly #unsent = new Set<number>();
  #bytes = 0;
  #nextId = 0;
  readonly #connection = new DataView(new ArrayBuffer(CONNECTION_BYTES));

  constructor(channel: Pick<Channel, "tell">, lanes: SubmissionLanes) {
    const { maxTransactionBytes, submitted, answered, refused } = lanes;
    this.#channel = channel;
    this.#maxTransactionBytes = maxTransactionBytes;
    this.#submitted = submitted.map((memory) => new LaneWriter(memory));
    const lane = new LaneReader(answered);
    const atOnce = (): Portion => ({ notes: Math.max(ANSWERS_AT_ONCE, this.#pending.size / ANSWERS_SHARE) });
    this.#answers = new LoopReader(lane, (id, hash) => this.#take(id)?.resolve(hash.slice()), atOnce);
    for (const port of refused) {
      port.on("message", (refusal: Refusal) => this.onRefusal(refusal));
      // It must not keep the thread alive.
      port.unref();
    }
  }

  /** Resolves with the hash once a kill of the node would not lose the transaction. Rejects with why not, or RPC_BUSY. */
  async submit(raw: Uint8Array, connection: number = NO_CONNECTION): Promise<Uint8Array> {
    checkSize(raw, this.#maxTransactionBytes);
    if (this.#pending.size >= MAX_QUESTIONS || this.#bytes + raw.length > MAX_SUBMITTED_BYTES) {
      throw new CodedError("RPC_BUSY", "too many requests wait for the node: try again later");
    }
    return await new Promise((resolve, reject) => {
      const id = this.#nextId;
      this.#nextId = (id + 1) >>> 0;
      this.#pending.set(id, { raw, connection, resolve, reject });
      this.#bytes += raw.length;
      this.#unsent.add(id);
      this.#send();
      // While this thread is busy nobody else tells it that answers have come.
      this.#answers.look();
    });
  }

  /** The node has woken this end. */
  onAnswers(): void {
    this.#answers.look();
  }

  /** It has no sender, or the node does not take it. */
  onRefusal({ id, error }: Refusal): void {
    this.#take(id)?.reject(fromWire(error));
  }

  #send(): void {
    for (const id of this.#unsent) {
      const { raw, connection } = this.#pending.get(id) as Pending;
      const lane = this.#leastBusyLane();
      this.#connection.setUint32(0, connection);
      if (!lane.write(id, new Uint8Array(this.#connection.buffer), raw)) break;
      this.#unsent.delete(id);
      lane.wake();
    }
  }

  /**
   * The first one while it has little to do: a thread that sleeps, or has not begun, costs nothing. Another begins when all
   * others have much to do, and is given nothing before it is there: those behind would wait until it is.
   */
  #leastBusyLane(): LaneWriter {
    let best = this.#submitted[0] as LaneWriter;
    if (this.#begun === 0) this.#begin(1);
    for (let index = 1; index < this.#submitted.length && best.unread > ENOUGH_BYTES; index++) {
      const lane = this.#submitted[index] as LaneWriter;
      if (index === this.#begun) this.#begin(index + 1);
      if (!lane.isAttended) break;
      if (lane.unread < best.unread) best = lane;
    }
    return best;
  }

  #begin(threads: number): void {
    this.#begun = threads;
    this.#channel.tell("submitting", threads);
  }

  /** Whatever is heard of one means that there is room for others. */
  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    this.#bytes -= pending.raw.length;
    if (this.#unsent.size > 0) this.#send();
    return pending;
  }
}
