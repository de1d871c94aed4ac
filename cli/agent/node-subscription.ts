/** One subscription over a WebSocket that is opened again when it ends. */
import { WebSocket } from "ws";
import { MAX_NOTICE_BYTES, RECONNECT_MILLISECONDS } from "./limits.ts";

export interface SubscriptionOptions {
  readonly method: "eth_subscribe" | "ogpu_subscribe";
  readonly params: readonly unknown[];
  /** Without a word for so many milliseconds the connection counts as dead; for ever, if that is normal. */
  readonly silence?: number;
  /** What is told; `undefined` for what is no news, and whenever something may have been missed. */
  onMessage(result: unknown): void;
}

export class NodeSubscription {
  readonly #url: string;
  readonly #options: SubscriptionOptions;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `url` is of HTTP; the same port takes WebSockets. */
  constructor(url: string, options: SubscriptionOptions) {
    this.#url = url.replace(/^http/, "ws");
    this.#options = options;
    this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    this.#socket?.terminate();
  }

  #connect(): void {
    if (this.#isClosed) return;
    const { method, params, onMessage } = this.#options;
    const socket = new WebSocket(this.#url, { maxPayload: MAX_NOTICE_BYTES, perMessageDeflate: false });
    this.#socket = socket;
    socket.on("open", () => {
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
      onMessage(undefined);
    });
    socket.on("message", (data) => {
      this.#watchSilence(socket);
      onMessage(resultIn(String(data)));
    });
    // What follows is "close", where it is opened again.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(this.#silence);
      if (!this.#isClosed) this.#timer = setTimeout(() => this.#connect(), RECONNECT_MILLISECONDS);
    });
  }

  #watchSilence(socket: WebSocket): void {
    const { silence } = this.#options;
    if (silence === undefined) return;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => socket.terminate(), silence);
  }
}

function resultIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly params?: { readonly result?: unknown } }).params?.result;
  } catch {
    return undefined;
  }
}
