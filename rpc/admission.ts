/** Counts the requests under way in the whole process and what they hold in memory, and admits no more than it has room for. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ANSWER_WEIGHT, BODY_WEIGHT, MAX_BODY_BYTES, MAX_BYTES_UNDER_WAY, MAX_REQUESTS_UNDER_WAY } from "./limits.ts";
import type { RpcClient } from "./request-budget.ts";

interface Admitted {
  bytes: number;
  isServed: boolean;
  isClosed: boolean;
}

export class Admission {
  private readonly maxRequests: number;
  private readonly maxBytes: number;
  private readonly admitted = new Map<IncomingMessage, Admitted>();
  private readonly ofSocket = new WeakMap<Socket, Set<IncomingMessage>>();
  private bytes = 0;

  constructor(maxRequests: number = MAX_REQUESTS_UNDER_WAY, maxBytes: number = MAX_BYTES_UNDER_WAY) {
    this.maxRequests = maxRequests;
    this.maxBytes = maxBytes;
  }

  /**
   * False: there is no room. Otherwise the request counts until its answer is sent or its connection closed, and until
   * nobody works on it any more: a client that hangs up does not make room for its next request.
   */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    const bytes = BODY_WEIGHT * bodyBytes(request);
    if (this.admitted.size >= this.maxRequests || this.bytes + bytes > this.maxBytes) return false;
    this.admitted.set(request, { bytes, isServed: false, isClosed: false });
    this.bytes += bytes;
    this.requestsOf(request.socket).add(request);
    response.once("close", () => this.close(request));
    return true;
  }

  /** Does the work on an admitted request. */
  async serve<Answer>(request: IncomingMessage, work: (client: RpcClient) => Promise<Answer>): Promise<Answer> {
    const own = this.admitted.get(request);
    if (own !== undefined) own.isServed = true;
    try {
      return await work({ isGone: () => request.socket.destroyed, hold: (bytes) => this.hold(request, bytes) });
    } finally {
      if (own !== undefined) own.isServed = false;
      if (own?.isClosed) this.end(request);
    }
  }

  private hold(request: IncomingMessage, answerBytes: number): boolean {
    const bytes = ANSWER_WEIGHT * answerBytes;
    const own = this.admitted.get(request);
    if (own === undefined || this.bytes + bytes > this.maxBytes) return false;
    own.bytes += bytes;
    this.bytes += bytes;
    return true;
  }

  /** An answer that waits behind others on a connection hears nothing when that closes, so we listen for all of them. */
  private requestsOf(socket: Socket): Set<IncomingMessage> {
    const known = this.ofSocket.get(socket);
    if (known !== undefined) return known;
    const requests = new Set<IncomingMessage>();
    this.ofSocket.set(socket, requests);
    socket.once("close", () => {
      for (const request of requests) this.close(request);
    });
    return requests;
  }

  private close(request: IncomingMessage): void {
    const own = this.admitted.get(request);
    if (own === undefined) return;
    own.isClosed = true;
    if (!own.isServed) this.end(request);
  }

  private end(request: IncomingMessage): void {
    this.bytes -= this.admitted.get(request)?.bytes ?? 0;
    this.admitted.delete(request);
    this.ofSocket.get(request.socket)?.delete(request);
  }
}

/** A body that does not say its length may have any that is allowed. */
function bodyBytes({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return MAX_BODY_BYTES;
  return Math.min(Number(headers["content-length"] ?? 0), MAX_BODY_BYTES);
}
