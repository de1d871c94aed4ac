/**
 * A page is its bytes:
 *
 *   format 1 | level 1 | count 2 | ids 32 each | gaps 2 each | children 5 each (above level 0) | keys
 *
 * Integers are big-endian. An entry's gap is the depth at which it parts from the entry before it; the first has 0.
 * An entry's key is, at level 0, the leaf's key, and above, the bits that all keys of its subtree share. Its length
 * follows from the entry's tag. Of each key only the bytes from the one that holds its gap's bit are written: those
 * before are the bytes of the key before it, with zeros after that key's end.
 */
import { assert } from "../../base/errors.ts";
import { copyBytes, ID_BYTES, KEY_BITS, keyBytes } from "./node-id.ts";
import type { NodeId, Page, TreeKey } from "./types.ts";

/**
 * The most entries of a page. Chosen by measurement (docs/adr/0001-state-tree.md): a change rewrites one leaf page
 * and, in a large state, about one page of the level above.
 */
export const LEAF_PAGE_LIMIT = 8;
export const INNER_PAGE_LIMIT = 32;

export function pageLimit(level: number): number {
  return level === 0 ? LEAF_PAGE_LIMIT : INNER_PAGE_LIMIT;
}

export const PAGE_FORMAT = 1;
export const HEADER_BYTES = 4;
export const GAP_BYTES = 2;
export const CHILD_BYTES = 5;

/** One entry on its way into a page. Arrays are shared, not copied: a key and an id lie at an offset. */
export interface Entry {
  readonly key: Uint8Array;
  readonly keyAt: number;
  readonly tag: number;
  readonly id: Uint8Array;
  readonly idAt: number;
  /** The page number of the child; 0 at level 0. */
  readonly child: number;
}

/** A page of the entries [start, end); `gaps` are those of all entries. */
export function makePage(
  level: number,
  entries: readonly Entry[],
  gaps: Uint16Array,
  start: number,
  end: number,
): Page {
  const count = end - start;
  const bytes = allocate(keysAt(level, count) + keysLength(entries, gaps, start, end));
  bytes[0] = PAGE_FORMAT;
  bytes[1] = level;
  bytes[2] = count >> 8;
  bytes[3] = count;
  let at = keysAt(level, count);
  for (let i = 0; i < count; i++) {
    const { key, keyAt, tag, id, idAt, child } = entries[start + i] as Entry;
    const gap = i === 0 ? 0 : (gaps[start + i] as number);
    copyBytes(id, idAt, bytes, idOffset(i), ID_BYTES);
    bytes[gapsAt(count) + i * GAP_BYTES] = gap >> 8;
    bytes[gapsAt(count) + i * GAP_BYTES + 1] = gap;
    if (level > 0) writeChild(bytes, childOffset(count, i), child);
    const skipped = gap >> 3;
    const length = keyBytes(tag) - skipped;
    copyBytes(key, keyAt + skipped, bytes, at, length);
    at += length;
  }
  return { level, count, bytes };
}

/**
 * Pages are cut from slabs: an ArrayBuffer for each page took more time, mostly the collector's, than hashing it
 * (measured). A slab lives as long as any of its pages, so it is small; an update's pages grow old together.
 */
const SLAB_BYTES = 1 << 15;
let slab = new ArrayBuffer(SLAB_BYTES);
let slabUsed = 0;

function allocate(length: number): Uint8Array {
  if (length > SLAB_BYTES >> 2) return new Uint8Array(length);
  if (slabUsed + length > SLAB_BYTES) {
    slab = new ArrayBuffer(SLAB_BYTES);
    slabUsed = 0;
  }
  const bytes = new Uint8Array(slab, slabUsed, length);
  slabUsed += length;
  return bytes;
}

function keysLength(entries: readonly Entry[], gaps: Uint16Array, start: number, end: number): number {
  let length = 0;
  for (let i = start; i < end; i++) {
    length += keyBytes((entries[i] as Entry).tag) - (i === start ? 0 : (gaps[i] as number) >> 3);
  }
  return length;
}

function writeChild(bytes: Uint8Array, at: number, child: number): void {
  assert(child > 0 && child < 2 ** 40, "page numbers have 40 bits");
  bytes[at] = Math.floor(child / 2 ** 32);
  bytes[at + 1] = child >>> 24;
  bytes[at + 2] = child >>> 16;
  bytes[at + 3] = child >>> 8;
  bytes[at + 4] = child;
}

/** A copy whose ids may be set before anybody else sees it. */
export function copyPage({ level, count, bytes }: Page): Page {
  // Not `slice`, which does not copy when the store gives a Buffer.
  const copy = allocate(bytes.length);
  copy.set(bytes);
  return { level, count, bytes: copy };
}

export function idOffset(index: number): number {
  return HEADER_BYTES + index * ID_BYTES;
}

export function gapsAt(count: number): number {
  return HEADER_BYTES + count * ID_BYTES;
}

function childOffset(count: number, index: number): number {
  return HEADER_BYTES + count * (ID_BYTES + GAP_BYTES) + index * CHILD_BYTES;
}

export function keysAt(level: number, count: number): number {
  return HEADER_BYTES + count * (ID_BYTES + GAP_BYTES + (level === 0 ? 0 : CHILD_BYTES));
}

/** The tag of an entry's node id. */
export function entryTag({ bytes }: Page, index: number): number {
  const at = HEADER_BYTES + index * ID_BYTES;
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

/** A copy of an entry's node id. */
export function entryId({ bytes }: Page, index: number): NodeId {
  const id = new Uint8Array(ID_BYTES);
  copyBytes(bytes, idOffset(index), id, 0, ID_BYTES);
  return id;
}

export function entryHasId({ bytes }: Page, index: number, id: NodeId): boolean {
  const at = idOffset(index);
  for (let i = 0; i < ID_BYTES; i++) if (bytes[at + i] !== id[i]) return false;
  return true;
}

/** Only for a page that nobody else has seen. */
export function setEntryId({ bytes }: Page, index: number, id: Uint8Array, idAt: number): void {
  copyBytes(id, idAt, bytes, idOffset(index), ID_BYTES);
}

/** The depth at which an entry parts from the one before it; 0 for the first. */
export function entryGap({ bytes, count }: Page, index: number): number {
  const at = gapsAt(count) + index * GAP_BYTES;
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

/** The page number of an entry's child; above level 0 only. */
export function entryChild({ bytes, count }: Page, index: number): number {
  const at = childOffset(count, index);
  const high = (bytes[at] as number) * 256 + (bytes[at + 1] as number);
  const low = ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 8) | (bytes[at + 4] as number);
  return high * 2 ** 24 + low;
}

/** All entries, with their keys written out. */
export function pageEntries(page: Page): Entry[] {
  const { bytes, count, level } = page;
  let stride = 0;
  for (let i = 0; i < count; i++) stride = Math.max(stride, keyBytes(entryTag(page, i)));
  const keys = new Uint8Array(count * stride);
  const entries: Entry[] = [];
  let at = keysAt(level, count);
  for (let i = 0; i < count; i++) {
    const tag = entryTag(page, i);
    const shared = entryGap(page, i) >> 3;
    const keyAt = i * stride;
    const rest = keyBytes(tag) - shared;
    if (shared > 0) copyBytes(keys, keyAt - stride, keys, keyAt, shared);
    copyBytes(bytes, at, keys, keyAt + shared, rest);
    at += rest;
    const child = level === 0 ? 0 : entryChild(page, i);
    entries.push({ key: keys, keyAt, tag, id: bytes, idAt: idOffset(i), child });
  }
  return entries;
}

/** A copy of an entry's key, without zeros after its end. */
export function keyOf({ key, keyAt, tag }: Entry): TreeKey {
  const copy = new Uint8Array(keyBytes(tag));
  copyBytes(key, keyAt, copy, 0, copy.length);
  return copy;
}

/** The tag of a page's root: of its only entry, or the least depth of its inner nodes. */
export function pageTag(page: Page): number {
  if (page.count === 1) return entryTag(page, 0);
  let depth = KEY_BITS;
  for (let i = 1; i < page.count; i++) depth = Math.min(depth, entryGap(page, i));
  return depth;
}

/** The bits that all keys of a page share, given its root's tag, in as many bytes as its parent keeps. */
export function pagePrefix(page: Page, tag: number): Uint8Array {
  const { level, count, bytes } = page;
  const prefix = new Uint8Array(keyBytes(tag));
  // An account's key may be shorter than what it shares with its slots: zeros follow it.
  const length = Math.min(prefix.length, keyBytes(entryTag(page, 0)));
  copyBytes(bytes, keysAt(level, count), prefix, 0, length);
  const spare = tag & 7;
  if (tag < KEY_BITS && spare !== 0) {
    const last = prefix.length - 1;
    prefix[last] = (prefix[last] as number) & ~(0xff >> spare);
  }
  return prefix;
}
