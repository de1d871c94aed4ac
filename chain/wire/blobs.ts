/**
 * How nodes ask each other for blobs, which they know by address alone. A blob goes in parts of 256 KiB, each with the
 * hashes that lead from it to the address; what they mean is checked where blobs are kept (compute/agent/blobs).
 */
import type { Hex } from "../../base/bytes.ts";
import { MAX_BLOB_SIBLINGS, MAX_COUNT, MAX_PART_BYTES } from "./limits.ts";
import { bytes, hash, integer, list, record, type Schema, union } from "./schema.ts";

export type BlobRequest =
  | { readonly type: "find-blob"; readonly id: number; readonly address: Hex }
  | { readonly type: "get-part"; readonly id: number; readonly address: Hex; readonly part: number };

export type BlobAnswer =
  | { readonly type: "blob-found"; readonly id: number; readonly length: number }
  | {
      readonly type: "blob-part";
      readonly id: number;
      readonly bytes: Uint8Array;
      readonly siblings: readonly Uint8Array[];
    }
  /** It is not here. */
  | { readonly type: "blob-none"; readonly id: number }
  /** Too much is asked at a time: later. */
  | { readonly type: "blob-busy"; readonly id: number };

export type BlobMessage = BlobRequest | BlobAnswer;

/** Never reused. */
export const BLOB_NUMBERS = {
  "find-blob": 1,
  "get-part": 2,
  "blob-found": 3,
  "blob-part": 4,
  "blob-none": 5,
  "blob-busy": 6,
} as const;

const id = integer(0xffff_ffff);
const count = integer(MAX_COUNT);

export const blobMessage: Schema<BlobMessage> = union<BlobMessage>({
  "find-blob": [BLOB_NUMBERS["find-blob"], record({ id, address: hash })],
  "get-part": [BLOB_NUMBERS["get-part"], record({ id, address: hash, part: count })],
  "blob-found": [BLOB_NUMBERS["blob-found"], record({ id, length: count })],
  "blob-part": [
    BLOB_NUMBERS["blob-part"],
    record({ id, bytes: bytes(MAX_PART_BYTES), siblings: list(bytes(32, 32), MAX_BLOB_SIBLINGS) }),
  ],
  "blob-none": [BLOB_NUMBERS["blob-none"], record({ id })],
  "blob-busy": [BLOB_NUMBERS["blob-busy"], record({ id })],
});

export function isBlobMessage(message: { readonly type: string }): message is BlobMessage {
  return message.type in BLOB_NUMBERS;
}

export function isBlobRequest(message: BlobMessage): message is BlobRequest {
  return message.type === "find-blob" || message.type === "get-part";
}
