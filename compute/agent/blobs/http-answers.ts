/** What agents' services answer over HTTP: bytes at a pace, and coded errors as JSON. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { CodedError, isCoded } from "../../../base/errors.ts";
import { agentError } from "../errors.ts";

const STATUS: Readonly<Record<string, number>> = {
  BLOB_ADDRESS: 400,
  BLOB_REQUEST: 400,
  TILE_MALFORMED: 400,
  BLOB_REFUSED: 403,
  TILE_REFUSED: 403,
  BLOB_ABSENT: 404,
  TILE_ABSENT: 404,
  BLOB_BUSY: 503,
  TILE_BUSY: 503,
  BLOB_OFFSET: 409,
  BLOB_TOO_LARGE: 413,
  BLOB_RANGE: 416,
  BLOB_MISMATCH: 422,
  BLOB_QUOTA: 507,
};

/** Pages of other origins may read and bring blobs: nothing here goes by cookies. */
export const OPEN_HEADERS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD, PUT, OPTIONS",
  "access-control-allow-headers": "content-type, content-range, range, authorization, x-ogpu-signature",
  "access-control-expose-headers": "content-range, upload-offset, etag",
};

/** Of a body that nobody reads, so much is let through; with more of it to come the connection ends. */
const LEFT_BYTES = 1 << 20;

/** Headers of an answer that does not wait for the request's body. */
export function leaveBody({ req }: ServerResponse): Readonly<Record<string, string>> {
  req.resume();
  return Number(req.headers["content-length"] ?? "0") <= LEFT_BYTES ? {} : { connection: "close" };
}

export function answerError(response: ServerResponse, error: unknown): void {
  // What went wrong inside is for the log, not for strangers.
  const { code, message, data } = isCoded(error) ? error : new CodedError("INTERNAL", "the service failed");
  const status = STATUS[code] ?? 500;
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const hint = typeof data["hint"] === "string" ? { hint: data["hint"] } : {};
  const offset = typeof data["offset"] === "number" ? { "upload-offset": String(data["offset"]) } : {};
  const headers = { ...OPEN_HEADERS, ...offset, "content-type": "application/json", ...leaveBody(response) };
  const busy = status === 503 ? { "retry-after": "1" } : {};
  response.writeHead(status, { ...headers, ...busy });
  response.end(JSON.stringify({ error: { code, message, ...hint } }));
}

/** Ends a connection on which too little moves: a peer that sends a byte now and then would hold its place for ever. */
export class Pace {
  readonly #timer: NodeJS.Timeout;
  #moved = 0;
  #last = 0;

  constructor(stream: IncomingMessage | ServerResponse, milliseconds: number, least: number) {
    this.#timer = setInterval(() => {
      if (this.#moved - this.#last < least) stream.destroy(agentError("BLOB_REQUEST", "the peer is too slow"));
      this.#last = this.#moved;
    }, milliseconds);
    this.#timer.unref();
  }

  moved(bytes: number): void {
    this.#moved += bytes;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/** Sends the pieces as fast as the peer takes them. Resolves early when the peer is gone. */
export async function sendPieces(
  response: ServerResponse,
  pieces: AsyncIterable<Uint8Array>,
  pace: Pace,
): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
    pace.moved(piece.length);
  }
  if (!response.destroyed) response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}
