/** What one HTTP request may take of the node, all of a batch together: time on its thread, and bytes of answer. */
import { MAX_ANSWER_BYTES, MAX_WORK_MILLISECONDS } from "./limits.ts";
import { REFUSED, RpcError } from "./rpc-error.ts";
import type { Now, Turns } from "./turns.ts";

/** Whoever asks. */
export interface RpcClient {
  /** Nobody waits for the answer any more. */
  isGone(): boolean;
  /** Keeps room for so much answer until it is sent. False: the node has none left. */
  hold(bytes: number): boolean;
}

/** Ends the work on a request whose client has hung up. Nobody is told. */
export class ClientGone extends Error {}

export class RequestBudget {
  private readonly turns: Turns;
  private readonly client: RpcClient;
  private readonly now: Now;
  /** Milliseconds of the turns before this one. */
  private spent = 0;
  /** When this turn began. */
  private since: number | undefined;
  private bytesLeft = MAX_ANSWER_BYTES;
  private isFull = false;
  private onWait: (() => void) | undefined;

  constructor(turns: Turns, client: RpcClient, now: Now) {
    this.turns = turns;
    this.client = client;
    this.now = now;
  }

  /**
   * Called before every piece of work: the one place where a request lets others go on, and where it ends when it must.
   * Throws ClientGone, RESPONSE_TOO_LARGE or RPC_BUDGET.
   */
  async turn(): Promise<void> {
    if (this.since !== undefined && this.turns.isSliceOver) this.end();
    if (this.since === undefined) {
      await this.turns.take(this.spent);
      this.since = this.now();
    }
    if (this.client.isGone()) throw new ClientGone();
    if (this.isFull) throw responseTooLarge();
    if (this.spent + this.now() - this.since >= MAX_WORK_MILLISECONDS) {
      throw new RpcError(REFUSED, `a request, or a batch, gets ${MAX_WORK_MILLISECONDS} ms of work: ask for less`, {
        code: "RPC_BUDGET",
      });
    }
  }

  /** Waits for what needs no thread: others go on meanwhile, and so does the rest of the batch. */
  async wait<Result>(work: Promise<Result>): Promise<Result> {
    this.end();
    this.onWait?.();
    return await work;
  }

  /** Resolves when a request of the batch begins to wait. */
  waits(): Promise<void> {
    return new Promise((resolve) => {
      this.onWait = resolve;
    });
  }

  /** Gives the thread back. */
  end(): void {
    if (this.since === undefined) return;
    this.spent += this.now() - this.since;
    this.since = undefined;
    this.turns.give();
  }

  /** Whether this answer still fits. After one that did not, no other does. */
  holds(answer: string): boolean {
    const bytes = Buffer.byteLength(answer);
    this.isFull ||= bytes > this.bytesLeft || !this.client.hold(bytes);
    if (!this.isFull) this.bytesLeft -= bytes;
    return !this.isFull;
  }
}

export function responseTooLarge(): RpcError {
  return new RpcError(REFUSED, `response too large: an answer has at most ${MAX_ANSWER_BYTES} bytes: ask for less`, {
    code: "RESPONSE_TOO_LARGE",
  });
}
