/**
 * Pages to and from the disk. Each page has one encoding, and decoding refuses every other: what a database gives
 * back after a crash or from a bad disk must not become a wrong state. Whether the ids are those of the leaves
 * only hashing shows.
 */
import { CodedError } from "../../base/errors.ts";
import type { TreeErrorCode } from "./error-codes.ts";
import { ID_BYTES, isLeafTag, KEY_BITS, keyBytes, sharedBits } from "./node-id.ts";
import { entryChild, GAP_BYTES, gapsAt, HEADER_BYTES, keysAt, PAGE_FORMAT } from "./page.ts";
import type { Page } from "./types.ts";

const MAX_LEVEL = 63;

/** Well above any limit of ours, so that limits can change without a new format. */
const MAX_COUNT = 1024;

/** The page's own bytes: do not change them. */
export function encodePage(page: Page): Uint8Array {
  return page.bytes;
}

/** Keeps `bytes`: do not change them. Throws PAGE_DAMAGED for everything that is not a page. */
export function decodePage(bytes: Uint8Array): Page {
  if (bytes.length < HEADER_BYTES) damaged("too short");
  if (bytes[0] !== PAGE_FORMAT) damaged("unknown format");
  const level = bytes[1] as number;
  const count = ((bytes[2] as number) << 8) | (bytes[3] as number);
  if (level > MAX_LEVEL) damaged("no such level");
  if (count === 0 || count > MAX_COUNT) damaged("no such count");
  if (bytes.length < keysAt(level, count)) damaged("too short");
  const page = { level, count, bytes };
  checkEntries(page);
  for (let i = 0; level > 0 && i < count; i++) if (entryChild(page, i) === 0) damaged("no such child");
  return page;
}

function damaged(reason: string): never {
  throw new CodedError<TreeErrorCode>(
    "PAGE_DAMAGED",
    `a page of the state tree is damaged (${reason}); restore the database from a snapshot or sync it again`,
    { reason },
  );
}

/** Per entry, the first byte of its key that is written, and where. Reused: decoding does not nest. */
const firstByte = new Uint8Array(MAX_COUNT);
const writtenAt = new Uint32Array(MAX_COUNT + 1);

/** Tags, gaps and keys must agree: keys ascend, part where the gaps say, and no entry lies within another. */
function checkEntries({ level, count, bytes }: Page): void {
  let at = keysAt(level, count);
  let previousShared = 0;
  for (let i = 0; i < count; i++) {
    const tag = readShort(bytes, HEADER_BYTES + i * ID_BYTES);
    const gap = readShort(bytes, gapsAt(count) + i * GAP_BYTES);
    if (!isLeafTag(tag) && (level === 0 || tag >= KEY_BITS)) damaged("no such tag");
    const shared = sharedBits(tag);
    if (i === 0 ? gap !== 0 : gap >= previousShared || gap >= shared) damaged("an entry lies within another");
    // A key parts from the one before within its own bytes: an account's zeros after its key sort before any slot.
    if (gap >= 8 * keyBytes(tag) && i > 0) damaged("a key parts after its end");
    const end = at + keyBytes(tag) - (gap >> 3);
    if (end > bytes.length) damaged("too short");
    if (i > 0 && !partsAt(bytes, i, gap, bytes[at] as number)) damaged("keys do not part where they say");
    if (spareBits(tag, bytes[end - 1]) !== 0) damaged("a key is longer than its depth");
    firstByte[i] = gap >> 3;
    writtenAt[i] = at;
    writtenAt[i + 1] = end;
    at = end;
    previousShared = shared;
  }
  if (at !== bytes.length) damaged("too long");
}

function readShort(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

/** True when a key whose byte at the gap is `byte` is greater than the key before, and first differs there. */
function partsAt(bytes: Uint8Array, index: number, gap: number, byte: number): boolean {
  const position = gap >> 3;
  // The byte of the key before was written by the last entry that wrote so far forward.
  let writer = index - 1;
  while ((firstByte[writer] as number) > position) writer--;
  const at = (writtenAt[writer] as number) + position - (firstByte[writer] as number);
  const before = at < (writtenAt[writer + 1] as number) ? (bytes[at] as number) : 0;
  return byte > before && Math.clz32(byte ^ before) - 24 === (gap & 7);
}

/** The bits of a prefix's last byte that lie beyond its depth. */
function spareBits(tag: number, last: number | undefined): number {
  return tag < KEY_BITS && (tag & 7) !== 0 ? (last ?? 0) & (0xff >> (tag & 7)) : 0;
}
