/** What one body may take of the node, all of a batch together: time on its threads, and bytes of answer. */

import type { JobCaller } from "./calls/job-caller.ts";
import { MAX_CALLS_AT_ONCE, type RpcLimits } from "./limits.ts";
import { REFUSED, RpcError } from "./rpc-error.ts";
import type { Now, Turns } from "./turns.ts";

/** Whoever asks. */
export interface RpcClient {
  /** Nobody waits for the answer any more. */
  isGone(): boolean;
  /** Keeps room for so much answer until it is sent. False: the node has none left. */
  hold(bytes: number): boolean;
  /** Where it comes from. */
  readonly address: string;
  /** The number of its connection. */
  readonly connection: number;
  /** Counts requests, each of a batch. False: it asks too often. */
  charge(requests: number): boolean;
  /** Takes what it subscribes to; `undefined` where nothing can be sent unasked. */
  readonly subscriber?: Subscriber | undefined;
}

/** A connection that is told of events. */
export interface Subscriber {
  /** A whole WebSocket frame. It is disconnected when it does not take them. */
  send(frame: Uint8Array): void;
  /** Called once, when it is gone. */
  onGone(listener: () => void): void;
}

/** Characters of an answer that count as a byte each: a batch of such has little to count, and much to count through. */
const SHORT = 1_024;

/** Ends the work on a request whose client has hung up. Nobody is told. */
export class ClientGone extends Error {}

export class RequestBudget {
  readonly client: RpcClient;
  private readonly turns: Turns;
  private readonly limits: RpcLimits;
  private readonly now: Now;
  /** Milliseconds of the turns before this one, and of calls. */
  private spent = 0;
  /** When this turn began. */
  private since: number | undefined;
  /** The clock as `turn` has last read it: reading it took a tenth of a small request (measured). */
  time = 0;
  private bytesLeft: number;
  private isFull = false;
  private onWait: (() => void) | undefined;
  private calls = 0;
  private readonly caller: JobCaller;
  private readonly callsWaiting: (() => void)[] = [];

  constructor(turns: Turns, client: RpcClient, limits: RpcLimits, now: Now) {
    this.turns = turns;
    this.client = client;
    this.limits = limits;
    this.now = now;
    this.bytesLeft = limits.answerBytes;
    this.caller = {
      address: client.address,
      check: () => this.check(this.now()),
      spend: (milliseconds) => {
        this.spent += milliseconds;
      },
    };
  }

  /**
   * Called before every piece of work: the one place where a request lets others go on, and where it ends when it must.
   * Throws ClientGone, RESPONSE_TOO_LARGE or RPC_BUDGET. `undefined`: it may go on at once.
   */
  turn(): Promise<void> | undefined {
    this.time = this.now();
    if (this.since !== undefined && this.turns.isOver(this.time)) this.end();
    if (this.since === undefined) {
      const granted = this.turns.take(this.spent, this.time);
      if (granted !== undefined) return granted.then(() => this.begin());
      this.since = this.time;
    }
    this.check(this.time);
    return undefined;
  }

  /** Waits for what needs not this thread: others go on meanwhile, and so does the rest of the batch. */
  async wait<Result>(work: Promise<Result>): Promise<Result> {
    this.end();
    this.onWait?.();
    return await work;
  }

  /** The whole body on another thread, if `start` finds one. */
  elsewhere<Result>(start: (caller: JobCaller) => Promise<Result> | undefined): Promise<Result> | undefined {
    const work = start(this.caller);
    return work && this.wait(work);
  }

  /** A call on another thread, whose time counts as this one's. A few at once. */
  async call<Result>(start: (caller: JobCaller) => Promise<Result>): Promise<Result> {
    this.end();
    this.onWait?.();
    if (this.calls >= MAX_CALLS_AT_ONCE) await new Promise<void>((go) => this.callsWaiting.push(go));
    this.calls++;
    try {
      this.check(this.now());
      return await start(this.caller);
    } finally {
      this.calls--;
      this.callsWaiting.shift()?.();
    }
  }

  /** What began last has no turn: it waits for something else. */
  get isWaiting(): boolean {
    return this.since === undefined;
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
    this.isFull ||= !this.tryHold(answer);
    return !this.isFull;
  }

  /** Whether this answer, of several, fits. After one that did not, shorter ones may. */
  tryHold(answer: string): boolean {
    const bytes = answer.length < SHORT ? answer.length : Buffer.byteLength(answer);
    if (bytes > this.bytesLeft || !this.client.hold(bytes)) return false;
    this.bytesLeft -= bytes;
    return true;
  }

  private begin(): void {
    this.time = this.now();
    this.since = this.time;
    this.check(this.time);
  }

  private check(now: number): void {
    if (this.client.isGone()) throw new ClientGone();
    if (this.isFull) throw responseTooLarge(this.limits.answerBytes);
    const { workMilliseconds } = this.limits;
    const own = this.since === undefined ? 0 : now - this.since;
    if (this.spent + own >= workMilliseconds) {
      throw new RpcError(REFUSED, `a request, or a batch, gets ${workMilliseconds} ms of work: ask for less`, {
        code: "RPC_BUDGET",
      });
    }
  }
}

export function responseTooLarge(most: number): RpcError {
  return new RpcError(REFUSED, `response too large: an answer has at most ${most} bytes: ask for less`, {
    code: "RESPONSE_TOO_LARGE",
  });
}
