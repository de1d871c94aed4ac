/**
 * Everything that belongs to one snapshot and has to be fetched: the headers below it, the leaves of its state, and
 * their code. It hands out jobs, takes answers to them, and verifies each answer against the certified header.
 */
import { bytesToHex, equalBytes } from "../../base/bytes.ts";
import { isCoded } from "../../base/errors.ts";
import { keccak256 } from "../../base/keccak.ts";
import { decodeHeader } from "../blocks/header.ts";
import { CodeBoard } from "./code-board.ts";
import { invalid } from "./errors.ts";
import type { FetchedChunk, ResumedSync } from "./events.ts";
import { keyAt, placeOf, type Span } from "./key-space.ts";
import { ANCESTORS, MAX_CODES, MAX_HEADERS, type SyncLimits } from "./limits.ts";
import type { Chunk, Code, GetChunk, GetCode, GetHeaders, Headers } from "./messages.ts";
import { RangeBoard } from "./range-board.ts";
import type { SyncTarget } from "./seal-chain.ts";
import { verifyChunk } from "./verify-chunk.ts";

export type FetchJob =
  | { readonly kind: "headers"; readonly request: Omit<GetHeaders, "id"> }
  | { readonly kind: "chunk"; readonly request: Omit<GetChunk, "id">; readonly part: Span }
  | { readonly kind: "code"; readonly request: Omit<GetCode, "id"> };

export class TargetFetch {
  readonly target: SyncTarget;
  readonly #limits: SyncLimits;
  readonly #board: RangeBoard;
  readonly #codes: CodeBoard;
  /** The newest first. */
  readonly #headers: Uint8Array[] = [];
  readonly #headerCount: number;
  #nextHeader: { readonly height: number; readonly hash: Uint8Array };
  #headersAsked = false;
  leaves = 0;
  bytes = 0;

  constructor(target: SyncTarget, limits: SyncLimits, resumed?: Omit<ResumedSync, "target">) {
    this.target = target;
    this.#limits = limits;
    const chunks = resumed?.chunks ?? [];
    const spans = chunks.map(({ first, end }) => ({ first: placeOf(first), last: placeOf(end) }));
    this.#board = new RangeBoard(limits.parts, spans);
    this.#codes = new CodeBoard(resumed?.codes);
    for (const { leaves, bytes, codeHashes } of chunks) {
      this.leaves += leaves;
      this.bytes += bytes;
      this.#codes.want(codeHashes);
    }
    this.#headerCount = Math.min(ANCESTORS, target.height);
    this.#nextHeader = { height: target.height - 1, hash: target.header.parentHash };
    if (resumed?.headers !== undefined) this.#addHeaders(resumed.headers);
  }

  get isDone(): boolean {
    return this.#hasHeaders && this.#board.isDone && this.#codes.isDone;
  }

  /** Of the key space, from 0 to 1. */
  get share(): number {
    return this.#board.share;
  }

  /** The next thing to ask somebody for; whoever takes it gives it back or brings the answer. */
  take(): FetchJob | undefined {
    return this.#takeHeaders() ?? this.#takeCode(MAX_CODES) ?? this.#takeChunk() ?? this.#takeCode(1);
  }

  giveBack(job: FetchJob): void {
    if (job.kind === "headers") this.#headersAsked = false;
    else if (job.kind === "code") this.#codes.putBack(job.request.hashes);
    else this.#board.putBack(job.part);
  }

  /** Throws SYNC_INVALID, and the job is still to be given back. Returns the headers when they are complete. */
  takeHeaders({ headers }: Headers): readonly Uint8Array[] | undefined {
    if (headers.length === 0) throw invalid("no header was sent");
    this.#addHeaders(headers);
    this.#headersAsked = false;
    return this.#hasHeaders ? this.#headers : undefined;
  }

  /** Throws SYNC_INVALID, and the job is still to be given back. `parts`: so many are wanted at one time. */
  takeLeaves({ request, part }: FetchJob & { kind: "chunk" }, answer: Chunk, parts: number): FetchedChunk {
    const { leaves, codeHashes } = verifyChunk(request, answer);
    this.#board.fetched(part, placeOf(answer.end), parts);
    this.#codes.want(codeHashes);
    this.leaves += leaves;
    this.bytes += answer.leaves.length;
    return { first: request.first, end: answer.end, leaves: answer.leaves };
  }

  /** Throws SYNC_INVALID, and the job is still to be given back. */
  takeCodes({ request }: FetchJob & { kind: "code" }, { codes }: Code): readonly Uint8Array[] {
    const { hashes } = request;
    if (codes.length === 0 || codes.length > hashes.length) throw invalid("the wrong number of codes was sent");
    for (const [i, code] of codes.entries()) {
      if (bytesToHex(keccak256(code)) !== hashes[i]) throw invalid("code is not that of its hash");
    }
    for (const { length } of codes) this.bytes += length;
    this.#codes.fetched(hashes.slice(0, codes.length));
    this.#codes.putBack(hashes.slice(codes.length));
    return codes;
  }

  get #hasHeaders(): boolean {
    return this.#headers.length >= this.#headerCount;
  }

  #takeHeaders(): FetchJob | undefined {
    if (this.#headersAsked || this.#hasHeaders) return undefined;
    this.#headersAsked = true;
    const count = Math.min(MAX_HEADERS, this.#headerCount - this.#headers.length);
    return { kind: "headers", request: { type: "get-headers", height: this.#nextHeader.height, count } };
  }

  #takeChunk(): FetchJob | undefined {
    const part = this.#board.take();
    if (part === undefined) return undefined;
    const { root } = this.target;
    const limit = this.#limits.chunkBytes;
    const request = { type: "get-chunk", root, first: keyAt(part.first), last: keyAt(part.last), limit } as const;
    return { kind: "chunk", request, part };
  }

  /** Code waits until there is a message full of it, or nothing else to do. */
  #takeCode(least: number): FetchJob | undefined {
    if (this.#codes.idle < least) return undefined;
    return { kind: "code", request: { type: "get-code", hashes: this.#codes.take(MAX_CODES) } };
  }

  /** Each has to be the parent of the one before. */
  #addHeaders(headers: readonly Uint8Array[]): void {
    let next = this.#nextHeader;
    if (headers.length > this.#headerCount - this.#headers.length) throw invalid("too many headers were sent");
    for (const bytes of headers) {
      if (!equalBytes(keccak256(bytes), next.hash)) throw invalid("a header is not the parent of the one above");
      next = { height: next.height - 1, hash: parentHashOf(bytes) };
    }
    this.#nextHeader = next;
    this.#headers.push(...headers);
  }
}

function parentHashOf(header: Uint8Array): Uint8Array {
  try {
    return decodeHeader(header).parentHash;
  } catch (error) {
    if (isCoded(error)) throw invalid(`a header is malformed: ${error.message}`);
    throw error;
  }
}
