/**
 * Pages as bytes, for the disk:
 *
 *   level 1 | count 2 | ids 32 each | keys | children 5 each (above level 0)
 *
 * Keys are front-coded: a byte says how many leading bytes are those of the key before, the rest follows. How long a
 * key is follows from its entry's tag. Integers are big-endian. Each page has one encoding, and decoding refuses
 * every other: what LevelDB gives back after a crash or a bad disk must not become a wrong state.
 */
import { CodedError } from "../../base/errors.ts";
import type { TreeErrorCode } from "./error-codes.ts";
import { ID_BYTES, isLeafTag, KEY_BITS, keyBytes, sharedBits } from "./node-id.ts";
import { entryTag, newPage } from "./page.ts";
import type { Page } from "./types.ts";

const HEADER_BYTES = 3;
const CHILD_BYTES = 5;
const MAX_LEVEL = 63;

/** More than any limit of ours, so that limits can change without a new format. */
const MAX_COUNT = 1024;

/** Large enough for any page; a page is built here and copied out at its exact length. */
const scratch = new Uint8Array(HEADER_BYTES + MAX_COUNT * (ID_BYTES + 65 + CHILD_BYTES));

export function encodePage(page: Page): Uint8Array {
  const { level, count, ids } = page;
  scratch[0] = level;
  scratch[1] = count >> 8;
  scratch[2] = count & 0xff;
  scratch.set(new Uint8Array(ids.buffer, ids.byteOffset, count * ID_BYTES), HEADER_BYTES);
  let at = HEADER_BYTES + count * ID_BYTES;
  let previousLength = 0;
  for (let i = 0; i < count; i++) {
    const length = keyBytes(entryTag(page, i));
    at = encodeKey(page, i, length, previousLength, at);
    previousLength = length;
  }
  for (const child of page.children) {
    const high = Math.floor(child / 0x1_0000_0000);
    scratch[at] = high;
    scratch[at + 1] = child >>> 24;
    scratch[at + 2] = child >>> 16;
    scratch[at + 3] = child >>> 8;
    scratch[at + 4] = child;
    at += CHILD_BYTES;
  }
  return scratch.slice(0, at);
}

function encodeKey(page: Page, index: number, length: number, previousLength: number, at: number): number {
  const { keys, stride } = page;
  const start = index * stride;
  const common = previousLength < length ? previousLength : length;
  let shared = 0;
  while (shared < common && keys[start + shared] === keys[start - stride + shared]) shared++;
  scratch[at++] = shared;
  for (let i = shared; i < length; i++) scratch[at++] = keys[start + i] as number;
  return at;
}

function damaged(reason: string): never {
  throw new CodedError<TreeErrorCode>(
    "PAGE_DAMAGED",
    `a page of the state tree is damaged (${reason}); restore the database from a snapshot or sync it again`,
    { reason },
  );
}

/** Throws PAGE_DAMAGED for everything that `encodePage` does not write. */
export function decodePage(bytes: Uint8Array): Page {
  if (bytes.length < HEADER_BYTES + ID_BYTES) damaged("too short");
  const level = bytes[0] as number;
  const count = ((bytes[1] as number) << 8) | (bytes[2] as number);
  if (level > MAX_LEVEL) damaged("no such level");
  if (count === 0 || count > MAX_COUNT) damaged("no such count");
  const keysAt = HEADER_BYTES + count * ID_BYTES;
  const childrenAt = level === 0 ? bytes.length : bytes.length - count * CHILD_BYTES;
  if (childrenAt < keysAt) damaged("too short");
  const stride = longestKey(bytes, level, count);
  const children = level === 0 ? [] : decodeChildren(bytes, childrenAt, count);
  const page = newPage(level, count, stride, children);
  const { ids } = page;
  new Uint8Array(ids.buffer, 0, count * ID_BYTES).set(bytes.subarray(HEADER_BYTES, keysAt));
  decodeKeys(bytes, keysAt, childrenAt, page);
  checkGaps(page);
  return page;
}

/** Also checks the tags: leaves at level 0; above, depths and single leaves. */
function longestKey(bytes: Uint8Array, level: number, count: number): number {
  let longest = 0;
  for (let i = 0; i < count; i++) {
    const at = HEADER_BYTES + i * ID_BYTES;
    const tag = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
    if (!isLeafTag(tag) && (level === 0 || tag >= KEY_BITS)) damaged("no such tag");
    const length = keyBytes(tag);
    if (length > longest) longest = length;
  }
  return longest;
}

function decodeChildren(bytes: Uint8Array, start: number, count: number): number[] {
  const children: number[] = [];
  for (let at = start; at < start + count * CHILD_BYTES; at += CHILD_BYTES) {
    const low =
      ((bytes[at + 1] as number) << 24) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 8) |
      (bytes[at + 4] as number);
    const child = (bytes[at] as number) * 0x1_0000_0000 + (low >>> 0);
    if (child === 0) damaged("no such child");
    children.push(child);
  }
  return children;
}

function decodeKeys(bytes: Uint8Array, start: number, end: number, page: Page): void {
  const { keys, gaps, stride, count } = page;
  let at = start;
  let previousLength = 0;
  for (let i = 0; i < count; i++) {
    const tag = entryTag(page, i);
    const length = keyBytes(tag);
    const shared = at < end ? (bytes[at++] as number) : damaged("too short");
    if (shared > length || shared > previousLength) damaged("a key shares more than there is");
    if (at + length - shared > end) damaged("too short");
    const to = i * stride;
    for (let j = 0; j < shared; j++) keys[to + j] = keys[to - stride + j] as number;
    for (let j = shared; j < length; j++) keys[to + j] = bytes[at++] as number;
    if (tag < KEY_BITS && (tag & 7) !== 0 && ((keys[to + length - 1] as number) & (0xff >> (tag & 7))) !== 0) {
      damaged("a key is longer than its depth");
    }
    if (i > 0) gaps[i] = gapAfter(page, i, shared, previousLength < length ? previousLength : length);
    previousLength = length;
  }
  if (at !== end) damaged("too long");
}

/** The depth at which entry `index` parts from the one before; that one must be smaller. */
function gapAfter(page: Page, index: number, shared: number, common: number): number {
  const { keys, stride } = page;
  let at = shared;
  const start = index * stride;
  // Past the shorter key there are zeros, so an account's key parts from its first slot's key further on.
  if (shared === common) while (at < stride && keys[start + at] === keys[start - stride + at]) at++;
  if (at === stride) damaged("a key is there twice");
  const byte = keys[start + at] as number;
  const before = keys[start - stride + at] as number;
  if (byte <= before) damaged("keys are not in order, or share more than they say");
  return at * 8 + Math.clz32(byte ^ before) - 24;
}

/** Subtrees of entries must not contain each other, and each node parts exactly two. */
function checkGaps(page: Page): void {
  const { gaps, count, level } = page;
  if (level === 0) return;
  for (let i = 1; i < count; i++) {
    const gap = gaps[i] as number;
    if (gap >= sharedBits(entryTag(page, i)) || gap >= sharedBits(entryTag(page, i - 1))) {
      damaged("an entry lies within another");
    }
  }
}
