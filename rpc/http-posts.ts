/**
 * JSON-RPC over HTTP, taken from the server before fastify sees it: routing, hooks and replies cost it as much as all the
 * rest of a small request (measured: 7,700 requests per second against 12,400). Everything else is fastify's.
 */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Ticket } from "./admission.ts";
import { INTERNAL_ERROR, INVALID_REQUEST, REFUSED, type RpcErrorBody } from "./rpc-error.ts";
import type { TransportParts } from "./transport-parts.ts";

export const JSON_TYPE = "application/json; charset=utf-8";
/** And two older names of it, which Ethereum's nodes take as well. Pages can send none of them without asking first (CORS). */
export const JSON_BODY: RegExp = /^application\/json(-rpc|request)?\s*(;|$)/i;

/** Whatever follows the path: keys that a proxy asks for, and that it leaves there. */
export function isRoot(url = ""): boolean {
  return url === "/" || url.startsWith("/?");
}

/** Pieces of a body that are kept as they came. */
const MAX_CHUNKS = 1_024;

interface Refusal {
  readonly status: number;
  readonly error: RpcErrorBody;
}

export class HttpPosts {
  private readonly options: TransportParts;
  /** The server is stopping: connections are closed after their answers. */
  isClosing = false;

  constructor(options: TransportParts) {
    this.options = options;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { admission, limits, connections } = this.options;
    const { headers } = request;
    const connection = connections.of(request.socket);
    if (connection === undefined) {
      request.destroy();
      return;
    }
    // A body that does not say its length may have any that is allowed.
    const length = headers["content-length"] === undefined ? limits.bodyBytes : Number(headers["content-length"]);
    const refusal = this.refusalOf(headers, length);
    const ticket = refusal === undefined ? admission.admit(length, connection.address) : undefined;
    if (ticket === undefined) {
      this.refuse(request, response, refusal ?? { status: 503, error: BUSY });
      return;
    }
    connection.tickets.add(ticket);
    this.read(request, response, (body) => {
      // While somebody works on it, it counts, whatever becomes of the client: hanging up makes no room for the next.
      connection.tickets.delete(ticket);
      void this.answer(request, response, body, ticket).finally(() => {
        if (request.socket.destroyed || response.writableFinished) return ticket.end();
        // Until the last byte is sent the answer is in memory, and that has to come to an end.
        connection.tickets.add(ticket);
        const untaken = (1000 * response.writableLength) / limits.takenPerSecond;
        const timer = setTimeout(() => request.socket.destroy(), limits.requestMilliseconds + untaken).unref();
        response.once("close", () => {
          clearTimeout(timer);
          connection.tickets.delete(ticket);
          ticket.end();
        });
      });
    });
  }

  /** What is wrong with the request before its body is read. */
  private refusalOf(headers: IncomingHttpHeaders, length: number): Refusal | undefined {
    if (!this.options.access.isHostAllowed(headers.host)) return { status: 403, error: FOREIGN_HOST };
    if (!JSON_BODY.test(headers["content-type"] ?? "")) return { status: 415, error: WRONG_TYPE };
    return length > this.options.limits.bodyBytes ? this.tooLarge() : undefined;
  }

  /** Most bodies come in one piece. */
  private read(request: IncomingMessage, response: ServerResponse, done: (body: string) => void): void {
    const chunks: Buffer[] = [];
    let joined: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > this.options.limits.bodyBytes) return;
      chunks.push(chunk);
      // Each takes a hundred bytes besides its own, and a body may come byte by byte.
      if (chunks.length < MAX_CHUNKS) return;
      joined.push(Buffer.concat(chunks.splice(0)));
      if (joined.length === MAX_CHUNKS) joined = [Buffer.concat(joined)];
    });
    request.on("end", () => {
      if (bytes > this.options.limits.bodyBytes) this.refuse(request, response, this.tooLarge());
      else if (chunks.length === 1 && joined.length === 0) done((chunks[0] as Buffer).toString());
      else done(Buffer.concat([...joined, ...chunks]).toString());
    });
  }

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    body: string,
    ticket: Ticket,
  ): Promise<void> {
    const { rpc, addresses, connections, onBug } = this.options;
    const { socket } = request;
    const { address = "", number = 0 } = connections.of(socket) ?? {};
    try {
      const answer = await rpc.answer(body, {
        address,
        connection: number,
        isGone: () => socket.destroyed,
        hold: (bytes) => ticket.hold(bytes),
        charge: (requests) => addresses.charge(address, requests),
      });
      this.send(request, response, answer === undefined ? 204 : 200, answer);
    } catch (error) {
      onBug("POST /", error);
      this.refuse(request, response, { status: 500, error: { code: INTERNAL_ERROR, message: "internal error" } });
    }
  }

  private tooLarge(): Refusal {
    const message = `a request has at most ${this.options.limits.bodyBytes} bytes`;
    return { status: 413, error: { code: INVALID_REQUEST, message } };
  }

  private refuse(request: IncomingMessage, response: ServerResponse, { status, error }: Refusal): void {
    // What is left of so large a body is not worth reading; of others Node.js drops it.
    if (status === 413) response.setHeader("connection", "close");
    if (status === 503) response.setHeader("retry-after", "1");
    this.send(request, response, status, JSON.stringify({ jsonrpc: "2.0", id: null, error }));
  }

  private send({ headers }: IncomingMessage, response: ServerResponse, status: number, text: string | undefined): void {
    if (response.destroyed || response.headersSent) return;
    const origin = this.options.access.allowedOrigin(headers.origin);
    if (origin !== undefined) response.setHeader("access-control-allow-origin", origin);
    if (this.isClosing) response.setHeader("connection", "close");
    if (text === undefined) response.writeHead(status).end();
    else {
      response.writeHead(status, { "content-type": JSON_TYPE, "content-length": Buffer.byteLength(text) }).end(text);
    }
  }
}

export const BUSY: RpcErrorBody = {
  code: REFUSED,
  message: "the node has as many requests under way as it takes: try again later",
  data: { code: "RPC_BUSY" },
};
export const FOREIGN_HOST: RpcErrorBody = {
  code: INVALID_REQUEST,
  message: "this node is not asked under that name: see --rpc-hosts",
  data: { code: "RPC_HOST_REFUSED" },
};
const WRONG_TYPE: RpcErrorBody = {
  code: INVALID_REQUEST,
  message: "send the request with content-type: application/json",
};
