/**
 * JSON-RPC over one WebSocket that comes back by itself. Requests made while it is away wait for it, up to a bound and a
 * time; subscriptions are made anew. It is an EIP-1193 provider, so viem takes it as a transport.
 */
import { MAX_WAITING_REQUESTS, REQUEST_MILLISECONDS, RETRY_MILLISECONDS } from "./limits.ts";

export type ConnectionState = "connecting" | "open" | "lost";

/** The part of a WebSocket that is used: tests have one of their own. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onclose: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
}

export interface ConnectionOptions {
  readonly open: () => Socket;
  readonly setTimer: (run: () => void, milliseconds: number) => unknown;
  readonly clearTimer: (timer: unknown) => void;
}

interface Waiting {
  readonly text: string;
  /** Sending it twice is no harm. */
  readonly isRepeatable: boolean;
  isSent: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: unknown;
}

interface Subscription {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly onMessage: (result: unknown) => void;
  id: string | undefined;
}

/** As EIP-1193 has it: what the node answered, with its code. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(message: string, code: number, data?: unknown) {
    super(message);
    this.name = "RpcFailure";
    this.code = code;
    this.data = data;
  }
}

const DISCONNECTED = 4900;

export class RpcConnection {
  private readonly options: ConnectionOptions;
  private readonly waiting = new Map<number, Waiting>();
  private readonly subscriptions = new Set<Subscription>();
  private readonly listeners = new Set<(state: ConnectionState) => void>();
  private socket: Socket | undefined;
  private current: ConnectionState = "connecting";
  private attempt = 0;
  private nextId = 1;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.connect();
  }

  get state(): ConnectionState {
    return this.current;
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  request(call: { readonly method: string; readonly params?: unknown }): Promise<unknown> {
    if (this.waiting.size >= MAX_WAITING_REQUESTS) {
      return Promise.reject(new RpcFailure("too many requests wait for the node", DISCONNECTED));
    }
    const id = this.nextId++;
    const text = JSON.stringify({ jsonrpc: "2.0", id, method: call.method, params: call.params ?? [] });
    return new Promise((resolve, reject) => {
      const timer = this.options.setTimer(() => {
        this.waiting.delete(id);
        reject(new RpcFailure(`the node did not answer ${call.method} in time`, DISCONNECTED));
      }, REQUEST_MILLISECONDS);
      const isRepeatable = !call.method.startsWith("eth_send");
      const waiting: Waiting = { text, resolve, reject, timer, isRepeatable, isSent: false };
      this.waiting.set(id, waiting);
      if (this.current === "open") this.send(waiting);
    });
  }

  /** Lasts over reconnections, until the function that it answers with is called. */
  subscribe(method: string, params: readonly unknown[], onMessage: (result: unknown) => void): () => void {
    const subscription: Subscription = { method, params, onMessage, id: undefined };
    this.subscriptions.add(subscription);
    if (this.current === "open") this.begin(subscription);
    return () => {
      this.subscriptions.delete(subscription);
      const { id } = subscription;
      if (id === undefined || this.current !== "open") return;
      this.request({ method: method.replace("subscribe", "unsubscribe"), params: [id] }).catch(() => undefined);
    };
  }

  /** At once, instead of when the time for the next attempt has come. */
  retry(): void {
    if (this.current === "lost") this.connect();
  }

  private connect(): void {
    const socket = this.options.open();
    this.socket = socket;
    socket.onopen = () => {
      this.attempt = 0;
      this.enter("open");
      for (const waiting of this.waiting.values()) this.send(waiting);
      for (const subscription of this.subscriptions) this.begin(subscription);
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = undefined;
      for (const subscription of this.subscriptions) subscription.id = undefined;
      this.giveUpSent();
      this.enter("lost");
      const delay = RETRY_MILLISECONDS[Math.min(this.attempt++, RETRY_MILLISECONDS.length - 1)] ?? 0;
      this.options.setTimer(() => {
        if (this.socket === undefined) this.connect();
      }, delay);
    };
    socket.onmessage = ({ data }) => this.hear(String(data));
  }

  private send(waiting: Waiting): void {
    waiting.isSent = true;
    this.socket?.send(waiting.text);
  }

  /** Nobody knows whether they arrived, and a second one would pay twice. */
  private giveUpSent(): void {
    for (const [id, { isRepeatable, isSent, reject, timer }] of this.waiting) {
      if (isRepeatable || !isSent) continue;
      this.waiting.delete(id);
      this.options.clearTimer(timer);
      reject(
        new RpcFailure(
          "the connection was lost while sending: see whether it arrived before you send it again",
          DISCONNECTED,
        ),
      );
    }
  }

  private enter(state: ConnectionState): void {
    if (this.current === state) return;
    this.current = state;
    for (const listener of this.listeners) listener(state);
  }

  private begin(subscription: Subscription): void {
    const { method, params } = subscription;
    this.request({ method, params }).then(
      (id) => {
        if (this.subscriptions.has(subscription)) subscription.id = String(id);
      },
      // What the node does not offer stays silent; the page shows what it has.
      () => undefined,
    );
  }

  private hear(text: string): void {
    const message = JSON.parse(text) as {
      readonly id?: number;
      readonly result?: unknown;
      readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
      readonly params?: { readonly subscription: string; readonly result: unknown };
    };
    if (message.params !== undefined) {
      const { subscription: id, result } = message.params;
      for (const subscription of this.subscriptions) if (subscription.id === id) subscription.onMessage(result);
      return;
    }
    const waiting = message.id === undefined ? undefined : this.waiting.get(message.id);
    if (waiting === undefined || message.id === undefined) return;
    this.waiting.delete(message.id);
    this.options.clearTimer(waiting.timer);
    const { error } = message;
    if (error === undefined) waiting.resolve(message.result);
    else waiting.reject(new RpcFailure(error.message, error.code, error.data));
  }
}
