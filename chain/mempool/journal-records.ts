/**
 * The journal's bytes: a mark, then records of length (4 bytes), CRC-32 of length and transaction (4 bytes), transaction.
 * Numbers are big-endian.
 */
import { crc32 } from "node:zlib";
import { equalBytes } from "../../base/bytes.ts";
import { MAX_JOURNAL_RECORD_BYTES } from "./limits.ts";

/** "OGPUTXJ" and the version of the format. */
export const JOURNAL_MARK: Uint8Array = new Uint8Array([0x4f, 0x47, 0x50, 0x55, 0x54, 0x58, 0x4a, 0x01]);

const HEAD_BYTES = 8;

export function encodeRecords(raws: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(raws.reduce((sum, raw) => sum + HEAD_BYTES + raw.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const raw of raws) {
    view.setUint32(at, raw.length);
    view.setUint32(at + 4, checksum(bytes.subarray(at, at + 4), raw));
    bytes.set(raw, at + HEAD_BYTES);
    at += HEAD_BYTES + raw.length;
  }
  return bytes;
}

export interface ReadRecords {
  readonly raws: readonly Uint8Array[];
  /** Where the whole records end. What follows is the rest of a write that never finished. */
  readonly end: number;
}

/** A file without our mark has no whole record. */
export function readRecords(bytes: Uint8Array): ReadRecords {
  if (!equalBytes(bytes.subarray(0, JOURNAL_MARK.length), JOURNAL_MARK)) return { raws: [], end: 0 };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const raws: Uint8Array[] = [];
  let at = JOURNAL_MARK.length;
  while (at + HEAD_BYTES <= bytes.length) {
    const length = view.getUint32(at);
    const end = at + HEAD_BYTES + length;
    if (length > MAX_JOURNAL_RECORD_BYTES || end > bytes.length) break;
    const raw = bytes.subarray(at + HEAD_BYTES, end);
    if (view.getUint32(at + 4) !== checksum(bytes.subarray(at, at + 4), raw)) break;
    raws.push(raw);
    at = end;
  }
  return { raws, end: at };
}

function checksum(length: Uint8Array, raw: Uint8Array): number {
  return crc32(raw, crc32(length));
}
