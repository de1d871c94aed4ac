/** Pages in memory: making them, and reading single entries. */
import { criticalBit } from "./keys.ts";
import { copyId, ID_BYTES, ID_WORDS, KEY_BITS, keyBytes, sharedBits, wordTag } from "./node-id.ts";
import type { NodeId, Page, TreeKey } from "./types.ts";

/**
 * The most entries of a page. Chosen by measurement (docs/adr/0001-state-tree.md): a change rewrites one leaf page
 * and, in a large state, about one page of the level above.
 */
export const LEAF_PAGE_LIMIT = 32;
export const INNER_PAGE_LIMIT = 64;

export function pageLimit(level: number): number {
  return level === 0 ? LEAF_PAGE_LIMIT : INNER_PAGE_LIMIT;
}

/** A page of zeros, to be filled before anybody else sees it. Its arrays share one buffer: one allocation. */
export function newPage(level: number, count: number, stride: number, children: readonly number[]): Page {
  return pageOver(new ArrayBuffer(count * (ID_BYTES + 2 + stride)), level, count, stride, children);
}

/** A copy whose ids and children may be changed before anybody else sees it. */
export function copyPage(page: Page): Page {
  const buffer = page.ids.buffer.slice(0) as ArrayBuffer;
  return pageOver(buffer, page.level, page.count, page.stride, page.children);
}

function pageOver(
  buffer: ArrayBuffer,
  level: number,
  count: number,
  stride: number,
  children: readonly number[],
): Page {
  const ids = new Uint32Array(buffer, 0, count * ID_WORDS);
  const gaps = new Uint16Array(buffer, count * ID_BYTES, count);
  const keys = new Uint8Array(buffer, count * (ID_BYTES + 2), count * stride);
  return { level, count, stride, keys, ids, gaps, children };
}

/** The tag of an entry's node id. */
export function entryTag(page: Page, index: number): number {
  return wordTag(page.ids[index * ID_WORDS] as number);
}

/** A copy of an entry's node id. */
export function entryId(page: Page, index: number): NodeId {
  const bytes = new Uint8Array(page.ids.buffer, page.ids.byteOffset, page.ids.byteLength);
  return bytes.slice(index * ID_BYTES, (index + 1) * ID_BYTES);
}

export function entryHasId(page: Page, index: number, id: NodeId): boolean {
  idBytes.set(id);
  for (let i = 0; i < ID_WORDS; i++) if (page.ids[index * ID_WORDS + i] !== idScratch[i]) return false;
  return true;
}

/** Only for a page that nobody else has seen. */
export function setEntryId(page: Page, index: number, id: NodeId): void {
  idBytes.set(id);
  copyId(idScratch, 0, page.ids, index * ID_WORDS);
}

const idScratch = new Uint32Array(ID_WORDS);
const idBytes = new Uint8Array(idScratch.buffer);

/** A copy of an entry's key: of a leaf its whole key, else the bits that its subtree shares. */
export function entryKey(page: Page, index: number): TreeKey {
  const start = index * page.stride;
  return page.keys.slice(start, start + keyBytes(entryTag(page, index)));
}

/** The last entry whose key is at most `key`, -1 when there is none. */
export function findEntry(page: Page, key: TreeKey): number {
  let low = -1;
  let high = page.count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (entryPrecedes(page, middle, key)) low = middle;
    else high = middle;
  }
  return low;
}

/** True when the entry's key, padded with zeros, is at most `key`. */
function entryPrecedes(page: Page, index: number, key: TreeKey): boolean {
  const { keys, stride } = page;
  const start = index * stride;
  const common = stride < key.length ? stride : key.length;
  for (let i = 0; i < common; i++) {
    const difference = (keys[start + i] as number) - (key[i] as number);
    if (difference !== 0) return difference < 0;
  }
  for (let i = common; i < stride; i++) if (keys[start + i] !== 0) return false;
  return true;
}

/** True when the key lies in the subtree of the entry: of a leaf, when it is its key. */
export function entryCovers(page: Page, index: number, key: TreeKey): boolean {
  const shared = sharedBits(entryTag(page, index));
  return entryCriticalBit(page, index, key) >= shared;
}

/** The first bit in which `key` differs from the entry's key; meaningful below the entry's depth. */
export function entryCriticalBit(page: Page, index: number, key: TreeKey): number {
  return criticalBit(page.keys, index * page.stride, page.stride, key, 0, key.length);
}

/** The tag of a page's root: of its only entry, or the least depth of its inner nodes. */
export function pageTag(page: Page): number {
  if (page.count === 1) return entryTag(page, 0);
  let depth = KEY_BITS;
  for (let i = 1; i < page.count; i++) {
    const gap = page.gaps[i] as number;
    if (gap < depth) depth = gap;
  }
  return depth;
}
