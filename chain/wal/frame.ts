/**
 * The bytes of the log: frames that check themselves, and what to make of a file that a crash or a bad disk left.
 *
 *     file   = "OGPUWAL1" | mark 8 | frame...
 *     frame  = mark 8 | length of the body 4 | CRC-32 of mark and length 4 | CRC-32 of the body 4 | body
 *     body   = kind 1 | (length 4 | bytes)...
 *
 * Integers are big-endian. The mark is drawn at random for each file, so that nothing that peers put into a block can
 * look like a frame. A frame is written only when all before it are synced, so at most the last one can be unfinished,
 * and a frame after a bad one means that the bad one was good once.
 */
import { crc32 } from "node:zlib";
import { concatBytes, utf8 } from "../../base/bytes.ts";
import { damaged } from "./errors.ts";

export const FRAME_KINDS = { header: 0, records: 1, retired: 2 } as const;
export type FrameKind = (typeof FRAME_KINDS)[keyof typeof FRAME_KINDS];

export interface Frame {
  readonly kind: FrameKind;
  readonly items: readonly Uint8Array[];
}

export interface LogContent {
  readonly mark: Uint8Array;
  readonly frames: readonly Frame[];
  /** Where the last whole frame ends; what follows is an unfinished write. */
  readonly end: number;
}

export const MARK_BYTES = 8;
const MAGIC = utf8("OGPUWAL1");
const HEAD_BYTES = MARK_BYTES + 12;
/** The unit in which disks write, at the least. */
const SECTOR_BYTES = 512;

export function encodeStart(mark: Uint8Array): Uint8Array {
  return concatBytes(MAGIC, mark);
}

export function encodeFrame(mark: Uint8Array, { kind, items }: Frame): Uint8Array {
  const length = items.reduce((sum, item) => sum + 4 + item.length, 1);
  const bytes = new Uint8Array(HEAD_BYTES + length);
  const view = new DataView(bytes.buffer);
  let at = HEAD_BYTES;
  bytes[at++] = kind;
  for (const item of items) {
    view.setUint32(at, item.length);
    bytes.set(item, at + 4);
    at += 4 + item.length;
  }
  bytes.set(mark);
  view.setUint32(MARK_BYTES, length);
  view.setUint32(MARK_BYTES + 4, crc32(bytes.subarray(0, MARK_BYTES + 4)));
  view.setUint32(MARK_BYTES + 8, crc32(bytes.subarray(HEAD_BYTES)));
  return bytes;
}

/** Throws WAL_DAMAGED for anything that no interrupted write explains. */
export function readLog(bytes: Uint8Array): LogContent {
  const start = MAGIC.length + MARK_BYTES;
  if (bytes.length < start || !startsWith(bytes, 0, MAGIC)) throw damaged("it does not begin as a log");
  const mark = bytes.slice(MAGIC.length, start);
  const frames: Frame[] = [];
  let at = start;
  while (at < bytes.length) {
    const body = bodyAt(bytes, at, mark);
    if (body === undefined) {
      // The first frame is in place before the file gets its name.
      if (frames.length === 0) throw damaged("its first frame is not whole");
      refuseDamage(bytes, at, mark);
      break;
    }
    frames.push(decodeBody(body));
    at += HEAD_BYTES + body.length;
  }
  if (frames[0]?.kind !== FRAME_KINDS.header) throw damaged("it has no header");
  return { mark, frames, end: at };
}

function startsWith(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  return wanted.every((byte, index) => bytes[at + index] === byte);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function isHead(bytes: Uint8Array, at: number, mark: Uint8Array): boolean {
  if (at + HEAD_BYTES > bytes.length || !startsWith(bytes, at, mark)) return false;
  return crc32(bytes.subarray(at, at + MARK_BYTES + 4)) === viewOf(bytes).getUint32(at + MARK_BYTES + 4);
}

/** The body of the frame there, if the frame is whole and right. */
function bodyAt(bytes: Uint8Array, at: number, mark: Uint8Array): Uint8Array | undefined {
  if (!isHead(bytes, at, mark)) return undefined;
  const view = viewOf(bytes);
  const end = at + HEAD_BYTES + view.getUint32(at + MARK_BYTES);
  if (end > bytes.length) return undefined;
  const body = bytes.subarray(at + HEAD_BYTES, end);
  return crc32(body) === view.getUint32(at + MARK_BYTES + 8) ? body : undefined;
}

/**
 * An unfinished write ends too early, or has holes: sectors that never arrived, which read as zeros since the file was
 * shorter before. A frame without either, and yet wrong, was changed later, and one that others follow was synced.
 */
function refuseDamage(bytes: Uint8Array, at: number, mark: Uint8Array): void {
  for (let next = indexOf(bytes, mark, at + 1); next >= 0; next = indexOf(bytes, mark, next + 1)) {
    if (isHead(bytes, next, mark)) throw damaged(`the frame at byte ${at} is wrong, and others follow it`, { at });
  }
  if (bytes.length - at < HEAD_BYTES) {
    if (!isBeginning(bytes, at, mark)) throw damaged(`the frame at byte ${at} is wrong`, { at });
    return;
  }
  const end = at + HEAD_BYTES + viewOf(bytes).getUint32(at + MARK_BYTES);
  if (isHead(bytes, at, mark) && end > bytes.length) return;
  if (!hasHole(bytes, at)) throw damaged(`the frame at byte ${at} is wrong`, { at });
}

function isBeginning(bytes: Uint8Array, at: number, mark: Uint8Array): boolean {
  const part = Math.min(MARK_BYTES, bytes.length - at);
  return startsWith(bytes, at, mark.subarray(0, part)) || hasHole(bytes, at);
}

function hasHole(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < bytes.length; ) {
    const end = Math.min(bytes.length, (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES);
    if (bytes.subarray(at, end).every((byte) => byte === 0)) return true;
    at = end;
  }
  return false;
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(wanted, from);
}

/** The checksum was right, so anything else than the exact shape is a bug or another program. */
function decodeBody(body: Uint8Array): Frame {
  const kind = body[0] as FrameKind;
  if (!Object.values(FRAME_KINDS).includes(kind)) throw damaged(`it has a frame of unknown kind ${kind}`);
  const items: Uint8Array[] = [];
  const view = viewOf(body);
  let at = 1;
  while (at < body.length) {
    const start = at + 4;
    const end = start <= body.length ? start + view.getUint32(at) : Number.POSITIVE_INFINITY;
    if (end > body.length) throw damaged("a record ends outside its frame");
    items.push(body.subarray(start, end));
    at = end;
  }
  return { kind, items };
}
