/**
 * Questions, answers and news between two threads. Waking a thread costs more than most of what is said (50 to 100 us), so
 * what one turn of the event loop says goes in one message; in a long turn, what has waited for a while goes at once, so
 * that the other thread need not wait for the end of it. Questions that wait for an answer are bounded.
 */
import { CodedError } from "../../base/errors.ts";
import type { Now } from "../turns.ts";
import { fromWire, toWire, type WireError } from "./wire-error.ts";

/** The end of a MessagePort or a Worker that is used here. */
export interface Port {
  postMessage(value: unknown): void;
  on(event: "message", listener: (value: Frame[]) => void): unknown;
}

export type Frame =
  | readonly [kind: "ask", id: number, name: string, request: unknown]
  | readonly [kind: "answer", id: number, result: unknown]
  | readonly [kind: "failure", id: number, error: WireError]
  | readonly [kind: "tell", name: string, news: unknown];

// biome-ignore lint/suspicious/noExplicitAny: what a handler takes is agreed on between the two ends, by name.
export type Handlers = Readonly<Record<string, (request: any) => unknown>>;

/** Milliseconds that something to say waits for more of the same turn. */
const PATIENCE = 0.2;

interface Pending {
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

export interface ChannelOptions {
  /** What the other end asks. */
  readonly answers: Handlers;
  /** What the other end tells. */
  readonly hears: Handlers;
  /** Questions of this end that are not answered yet, at most. */
  readonly maxQuestions: number;
  readonly now?: Now;
}

export class Channel {
  readonly #port: Port;
  readonly #options: ChannelOptions;
  readonly #now: Now;
  readonly #pending = new Map<number, Pending>();
  #outgoing: Frame[] = [];
  /** When the first of them was said. */
  #since = 0;
  #isFlushing = false;
  #nextId = 0;
  #closed: Error | undefined;

  constructor(port: Port, options: ChannelOptions) {
    this.#port = port;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    port.on("message", (frames) => {
      for (const frame of frames) this.#receive(frame);
    });
  }

  /** Rejects with what the other end throws, with RPC_BUSY, or with the reason for which the channel was closed. */
  ask<Result>(name: string, request: unknown): Promise<Result> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (this.#pending.size >= this.#options.maxQuestions) {
      return Promise.reject(new CodedError("RPC_BUSY", "too many requests wait for the node: try again later"));
    }
    return new Promise<Result>((resolve, reject) => {
      const id = this.#nextId++;
      this.#pending.set(id, { resolve: resolve as (result: never) => void, reject });
      this.#send(["ask", id, name, request]);
    });
  }

  tell(name: string, news: unknown): void {
    if (this.#closed === undefined) this.#send(["tell", name, news]);
  }

  /** The other end is gone: nobody will answer any more. */
  close(reason: Error): void {
    this.#closed ??= reason;
    for (const { reject } of this.#pending.values()) reject(this.#closed);
    this.#pending.clear();
  }

  #send(frame: Frame): void {
    const isFirst = this.#outgoing.push(frame) === 1;
    if (frame[0] !== "ask") {
      this.#flushSoon();
      return;
    }
    const now = this.#now();
    if (isFirst) {
      this.#since = now;
      setImmediate(() => this.#flush());
    } else if (now - this.#since > PATIENCE) this.#flush();
  }

  /** Answers and news, after all that is said with them, but before the turn's other work: of that there may be milliseconds. */
  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    process.nextTick(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    const frames = this.#outgoing;
    if (frames.length === 0) return;
    this.#outgoing = [];
    try {
      this.#port.postMessage(frames);
    } catch {
      // One of them holds what cannot cross. The others shall.
      for (const frame of frames) this.#post(frame);
    }
  }

  #post(frame: Frame): void {
    try {
      this.#port.postMessage([frame]);
    } catch (error) {
      if (frame[0] === "answer" || frame[0] === "failure")
        this.#port.postMessage([["failure", frame[1], toWire(error)]]);
      else if (frame[0] === "ask") this.#settle(frame[1])?.reject(error);
    }
  }

  #receive(frame: Frame): void {
    switch (frame[0]) {
      case "ask":
        void this.#answer(frame[1], frame[2], frame[3]);
        break;
      case "answer":
        this.#settle(frame[1])?.resolve(frame[2] as never);
        break;
      case "failure":
        this.#settle(frame[1])?.reject(fromWire(frame[2]));
        break;
      case "tell":
        this.#options.hears[frame[1]]?.(frame[2]);
    }
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  async #answer(id: number, name: string, request: unknown): Promise<void> {
    try {
      const handler = this.#options.answers[name];
      if (handler === undefined) throw new Error(`nobody answers ${name}`);
      this.#send(["answer", id, await handler(request)]);
    } catch (error) {
      this.#send(["failure", id, toWire(error)]);
    }
  }
}
