/**
 * What a node that catches up and its peers say to each other. Every request has a number, and its answer the same.
 * docs/spec/sync.md describes them.
 */
import type { Hex } from "../../base/bytes.ts";
import { MAX_CERTIFICATE_BYTES, MAX_HEADER_BYTES, MAX_VALIDATORS } from "../blocks/limits.ts";
import type { ValidatorStake } from "../consensus/validator-set.ts";
import { big, bytes, hash, hex, integer, list, record, type Schema, union, word } from "../wire/schema.ts";
import {
  ANCESTORS,
  MAX_CHUNK_BYTES,
  MAX_CODE_BYTES,
  MAX_CODES,
  MAX_HEADERS,
  MAX_OFFERS,
  MAX_PROOF_BYTES,
  MAX_SEALS,
} from "./limits.ts";

/** A snapshot that a peer can serve: a final block, by its header and the certificate that made it final. */
export interface Offer {
  readonly header: Uint8Array;
  readonly certificate: Uint8Array;
  /** About how large the state is, for people. */
  readonly bytes: number;
}

/** The last block of an epoch, which names the validators of the next one. */
export interface SealProof {
  readonly header: Uint8Array;
  readonly certificate: Uint8Array;
  readonly nextValidators: readonly ValidatorStake[];
}

interface Numbered {
  readonly id: number;
}

export interface GetOffers extends Numbered {
  readonly type: "get-offers";
}

/** The seals of that epoch and the following ones. */
export interface GetSeals extends Numbered {
  readonly type: "get-seals";
  readonly epoch: number;
}

/** The header at `height` and those before it, as many as `count`. */
export interface GetHeaders extends Numbered {
  readonly type: "get-headers";
  readonly height: number;
  readonly count: number;
}

/** All leaves from one key to the other, both included, or as many of the first ones as fit in `limit` bytes. */
export interface GetChunk extends Numbered {
  readonly type: "get-chunk";
  readonly root: Hex;
  readonly first: Uint8Array;
  readonly last: Uint8Array;
  readonly limit: number;
}

export interface GetCode extends Numbered {
  readonly type: "get-code";
  readonly hashes: readonly Hex[];
}

export interface Offers extends Numbered {
  readonly type: "offers";
  /** The peer's last final block; 0 also when it has none. */
  readonly height: number;
  readonly offers: readonly Offer[];
}

export interface Seals extends Numbered {
  readonly type: "seals";
  readonly seals: readonly SealProof[];
}

/** The newest first. */
export interface Headers extends Numbered {
  readonly type: "headers";
  readonly headers: readonly Uint8Array[];
}

export interface Chunk extends Numbered {
  readonly type: "chunk";
  /** These are all leaves up to here, which is the `last` of the request unless the limit came first. */
  readonly end: Uint8Array;
  /** See leaf-codec.ts. */
  readonly leaves: Uint8Array;
  /** See vm/tree/range-proof.ts. */
  readonly proof: Uint8Array;
}

/** In the order of the request; the first ones only when all would be too long. */
export interface Code extends Numbered {
  readonly type: "code";
  readonly codes: readonly Uint8Array[];
}

export type Refusal =
  /** Too many requests at one time: later. */
  | "busy"
  /** Not here: a snapshot that is gone, a seal or a header from before this node's first block. */
  | "unknown"
  | "invalid";

export interface Refused extends Numbered {
  readonly type: "refused";
  readonly reason: Refusal;
}

export type SyncRequest = GetOffers | GetSeals | GetHeaders | GetChunk | GetCode;
export type SyncAnswer = Offers | Seals | Headers | Chunk | Code | Refused;
export type SyncMessage = SyncRequest | SyncAnswer;

/** Each member of a union as it is before it gets its number. */
export type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;

const REQUEST_TYPES: ReadonlySet<string> = new Set<SyncRequest["type"]>([
  "get-offers",
  "get-seals",
  "get-headers",
  "get-chunk",
  "get-code",
]);

export function isSyncRequest(message: SyncMessage): message is SyncRequest {
  return REQUEST_TYPES.has(message.type);
}

const id = integer(0xffff_ffff);
const height = integer(2 ** 48 - 1);
const key = bytes(64, 32);
const certificate = bytes(MAX_CERTIFICATE_BYTES, 1);
const header = bytes(MAX_HEADER_BYTES, 1);
const stake: Schema<ValidatorStake> = record<ValidatorStake>({ id: hex(48), stake: big(16) });

const seal: Schema<SealProof> = record<SealProof>({
  header,
  certificate,
  nextValidators: list(stake, MAX_VALIDATORS, 1),
});

/** The schema of this folder's messages; numbers are never reused. */
export const syncMessage: Schema<SyncMessage> = union<SyncMessage>({
  "get-offers": [1, record<Omit<GetOffers, "type">>({ id })],
  "get-seals": [2, record<Omit<GetSeals, "type">>({ id, epoch: height })],
  "get-headers": [3, record<Omit<GetHeaders, "type">>({ id, height, count: integer(ANCESTORS, 1) })],
  "get-chunk": [
    4,
    record<Omit<GetChunk, "type">>({ id, root: hash, first: key, last: key, limit: integer(MAX_CHUNK_BYTES, 1) }),
  ],
  "get-code": [5, record<Omit<GetCode, "type">>({ id, hashes: list(hash, MAX_CODES, 1) })],
  offers: [
    6,
    record<Omit<Offers, "type">>({
      id,
      height,
      offers: list(record<Offer>({ header, certificate, bytes: integer() }), MAX_OFFERS),
    }),
  ],
  seals: [7, record<Omit<Seals, "type">>({ id, seals: list(seal, MAX_SEALS) })],
  headers: [8, record<Omit<Headers, "type">>({ id, headers: list(header, MAX_HEADERS) })],
  chunk: [
    9,
    record<Omit<Chunk, "type">>({
      id,
      end: key,
      leaves: bytes(MAX_CHUNK_BYTES),
      proof: bytes(MAX_PROOF_BYTES),
    }),
  ],
  code: [10, record<Omit<Code, "type">>({ id, codes: list(bytes(MAX_CODE_BYTES), MAX_CODES) })],
  refused: [11, record<Omit<Refused, "type">>({ id, reason: word<Refusal>({ busy: 1, unknown: 2, invalid: 3 }) })],
});
