/**
 * Pages to and from the disk. Each page has one encoding, and decoding refuses every other: what a database gives
 * back after a crash or from a bad disk must not become a wrong state. (Whether the ids are those of the leaves is
 * shown by hashing, see audit.ts.)
 */
import { CodedError } from "../../base/errors.ts";
import type { TreeErrorCode } from "./error-codes.ts";
import { ID_BYTES, isLeafTag, KEY_BITS, keyBytes, sharedBits } from "./node-id.ts";
import { entryChild, GAP_BYTES, gapsAt, HEADER_BYTES, keysAt, PAGE_FORMAT } from "./page.ts";
import type { Page } from "./types.ts";

const MAX_LEVEL = 63;

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
  if (count === 0) damaged("no entries");
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

/** The key before, followed by zeros. Reused: decoding does not nest. */
const previous = new Uint8Array(KEY_BITS / 8);

/** Tags, gaps and keys must agree: keys ascend, part where the gaps say, and no entry lies within another. */
function checkEntries({ level, count, bytes }: Page): void {
  previous.fill(0);
  let at = keysAt(level, count);
  let previousLength = 0;
  let previousShared = 0;
  for (let i = 0; i < count; i++) {
    const tag = readShort(bytes, HEADER_BYTES + i * ID_BYTES);
    const gap = readShort(bytes, gapsAt(count) + i * GAP_BYTES);
    if (!isLeafTag(tag) && (level === 0 || tag >= KEY_BITS)) damaged("no such tag");
    const length = keyBytes(tag);
    const shared = sharedBits(tag);
    if (i === 0 ? gap !== 0 : gap >= previousShared || gap >= shared) damaged("an entry lies within another");
    if (at + length - (gap >> 3) > bytes.length) damaged("too short");
    if (i > 0 && !partsAt(gap, bytes[at] as number)) damaged("keys do not part where they say");
    for (let j = gap >> 3; j < length; j++) previous[j] = bytes[at++] as number;
    for (let j = length; j < previousLength; j++) previous[j] = 0;
    if (spareBits(tag, previous[length - 1]) !== 0) damaged("a key is longer than its depth");
    previousLength = length;
    previousShared = shared;
  }
  if (at !== bytes.length) damaged("too long");
}

function readShort(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

/** True when a key whose byte at the gap is `byte` is greater than the previous one, and first differs there. */
function partsAt(gap: number, byte: number): boolean {
  const before = previous[gap >> 3] as number;
  return byte > before && Math.clz32(byte ^ before) - 24 === (gap & 7);
}

/** The bits of a prefix's last byte that lie beyond its depth. */
function spareBits(tag: number, last: number | undefined): number {
  return tag < KEY_BITS && (tag & 7) !== 0 ? (last ?? 0) & (0xff >> (tag & 7)) : 0;
}
