/**
 * Blobs over HTTP: GET and HEAD with ranges, PUT that can be resumed. docs/blobs.md. It answers requests of any server
 * that hands them over, so a node's RPC port and a provider's own can both offer it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Hex } from "../../../base/bytes.ts";
import { agentError } from "../errors.ts";
import { blobAddress } from "./blob-address.ts";
import { type BlobStore, OPERATOR, OWN_PIN } from "./blob-store.ts";
import type { BlobUpload } from "./blob-upload.ts";
import { answerError, leaveBody, OPEN_HEADERS, Pace, sendPieces } from "./http-answers.ts";
import { type ByteRange, readContentRange, readRange, type UploadRange } from "./ranges.ts";

export interface BlobServiceOptions {
  /**
   * Whose quota an upload counts to, or undefined to refuse it. Without it that is the network address, so that anybody
   * may bring blobs.
   */
  readonly ownerOf?: (request: IncomingMessage) => string | undefined;
  /** Looks for a blob that is not here, and brings it: whether it is here then. */
  readonly search?: (address: Hex) => Promise<boolean>;
  /** For the log: what went wrong that was not the peer's fault. */
  readonly onFailure?: (error: unknown) => void;
}

const PREFIX = "/blobs/";

export class BlobService {
  readonly #store: BlobStore;
  readonly #options: BlobServiceOptions;
  /** Requests that are answered now, by network address. */
  readonly #underWay = new Map<string, number>();
  #count = 0;

  constructor(store: BlobStore, options: BlobServiceOptions = {}) {
    this.#store = store;
    this.#options = options;
  }

  /** Whether a request is one for blobs. */
  static isFor({ url = "" }: IncomingMessage): boolean {
    return url.startsWith(PREFIX);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    // Without it, a peer that is cut off would be an unhandled error.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    this.#admitted(request, response).catch((error: unknown) => {
      answerError(response, error);
      if (!(error instanceof Error && "code" in error)) this.#options.onFailure?.(error);
    });
  }

  async #admitted(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { requests, addressRequests } = this.#store.limits;
    const from = request.socket.remoteAddress ?? "";
    const here = this.#underWay.get(from) ?? 0;
    if (this.#count >= requests || here >= addressRequests)
      throw agentError("BLOB_BUSY", "too many requests at a time");
    this.#count++;
    this.#underWay.set(from, here + 1);
    try {
      await this.#answer(request, response);
    } finally {
      this.#count--;
      const left = (this.#underWay.get(from) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(from);
      else this.#underWay.set(from, left);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "" } = request;
    if (method === "OPTIONS") {
      response.writeHead(204, OPEN_HEADERS).end();
      return;
    }
    const address = blobAddress(url.slice(PREFIX.length));
    if (method === "GET" || method === "HEAD") await this.#send(request, response, address);
    else if (method === "PUT") await this.#take(request, response, address);
    else throw agentError("BLOB_REQUEST", "blobs know GET, HEAD and PUT");
  }

  async #send(request: IncomingMessage, response: ServerResponse, address: Hex): Promise<void> {
    const isHere = this.#store.has(address) || (await this.#options.search?.(address)) === true;
    const entry = isHere ? this.#store.entry(address) : undefined;
    if (entry === undefined) throw agentError("BLOB_ABSENT", `blob ${address} is not here`);
    const range = readRange(request.headers.range, entry.bytes);
    const headers = {
      ...OPEN_HEADERS,
      "content-type": "application/octet-stream",
      "accept-ranges": "bytes",
      // What an address names never changes.
      "cache-control": "public, max-age=31536000, immutable",
      etag: `"${address}"`,
    };
    if (range === "unsatisfiable") {
      response.writeHead(416, { ...OPEN_HEADERS, "content-range": `bytes */${entry.bytes}`, "content-length": "0" });
      response.end();
      return;
    }
    const { start, end } = range;
    const isPart = end - start < entry.bytes;
    const part = isPart ? { "content-range": `bytes ${start}-${end - 1}/${entry.bytes}` } : {};
    response.writeHead(isPart ? 206 : 200, { ...headers, ...part, "content-length": String(end - start) });
    if (request.method === "HEAD" || start === end) {
      response.end();
      return;
    }
    const { idleMilliseconds, idleBytes } = this.#store.limits;
    const pace = new Pace(response, idleMilliseconds, idleBytes);
    try {
      await sendPieces(response, this.#store.pieces(address, start, end), pace);
    } finally {
      pace.end();
    }
  }

  async #take(request: IncomingMessage, response: ServerResponse, address: Hex): Promise<void> {
    const owner = (this.#options.ownerOf ?? networkOwner)(request);
    if (owner === undefined) throw agentError("BLOB_REFUSED", "uploads are not for you");
    const { range, total } = uploadOf(request);
    if (this.#store.has(address)) {
      await this.#pinOwn(address, owner);
      done(response, 200, total);
      return;
    }
    const upload = await this.#store.upload(address, total, owner);
    try {
      await this.#receive(request, upload, range);
      if (!upload.isComplete) {
        await upload.suspend();
        done(response, 202, upload.offset);
        return;
      }
      await upload.finish();
      await this.#pinOwn(address, owner);
      done(response, 201, total);
    } catch (error) {
      await upload.suspend();
      throw error;
    }
  }

  /** What the operator's own workers bring is kept as what the agent itself puts. */
  async #pinOwn(address: Hex, owner: string): Promise<void> {
    if (owner === OPERATOR) await this.#store.pin(address, OWN_PIN);
  }

  async #receive(request: IncomingMessage, upload: BlobUpload, range: ByteRange | undefined): Promise<void> {
    if (range === undefined) return;
    if (range.start !== upload.offset) {
      if (range.start !== 0) {
        throw agentError("BLOB_OFFSET", `the upload goes on at byte ${upload.offset}`, { offset: upload.offset });
      }
      await upload.restart();
    }
    const { idleMilliseconds, idleBytes } = this.#store.limits;
    const pace = new Pace(request, idleMilliseconds, idleBytes);
    try {
      let left = range.end - range.start;
      for await (const piece of request as AsyncIterable<Uint8Array>) {
        left -= piece.length;
        if (left < 0) throw agentError("BLOB_TOO_LARGE", "more bytes than the headers announce");
        await upload.write(piece);
        pace.moved(piece.length);
      }
      if (left > 0) throw agentError("BLOB_REQUEST", "fewer bytes than the headers announce");
    } finally {
      pace.end();
    }
  }
}

function networkOwner({ socket }: IncomingMessage): string | undefined {
  return `ip:${socket.remoteAddress ?? ""}`;
}

/** Without `Content-Range` the body is the whole. */
function uploadOf({ headers }: IncomingMessage): UploadRange {
  const header = headers["content-range"];
  const length = headers["content-length"];
  if (header !== undefined) {
    const upload = readContentRange(header);
    if (upload === undefined)
      throw agentError("BLOB_RANGE", "expected Content-Range: bytes first-last/total, or */total");
    return upload;
  }
  if (length === undefined || !/^\d{1,15}$/.test(length)) {
    throw agentError("BLOB_REQUEST", "an upload says its length, by Content-Length or Content-Range");
  }
  return { range: { start: 0, end: Number(length) }, total: Number(length) };
}

function done(response: ServerResponse, status: number, offset: number): void {
  response.writeHead(status, {
    ...OPEN_HEADERS,
    ...leaveBody(response),
    "upload-offset": String(offset),
    "content-length": "0",
  });
  response.end();
}
