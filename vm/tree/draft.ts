/** Pages that an update is making: the shape is known, the ids of changed children are not yet. */
import { criticalBit } from "./keys.ts";
import { copyId, ID_WORDS, idWords, KEY_BITS, keyBytes, leafTag } from "./node-id.ts";
import { entryTag, newPage, pageLimit, pageTag } from "./page.ts";
import type { NodeId, Page, TreeKey } from "./types.ts";

export class Draft {
  readonly page: Page;
  readonly number: number;
  /** The tag that the page's root will have. */
  readonly tag: number;
  /** Drafts of children, with their place in `page`. Their ids are written there once they are hashed. */
  readonly pending: Draft[] = [];
  /** True when the page is new or has another number of entries than before. */
  readonly resized: boolean;
  parent: Draft | undefined;
  slot = 0;
  /** False when the draft was merged into another or collapsed. */
  live = true;

  /** `tag` is given when the page's only entry is a draft, whose id is not known. */
  constructor(page: Page, number: number, resized: boolean, tag: number = pageTag(page)) {
    this.page = page;
    this.number = number;
    this.tag = tag;
    this.resized = resized;
  }

  adopt(child: Draft, slot: number): void {
    child.parent = this;
    child.slot = slot;
    this.pending.push(child);
  }
}

/** One entry on its way into a page. */
export interface Item {
  readonly key: Uint8Array;
  readonly keyAt: number;
  readonly keyLength: number;
  readonly tag: number;
  readonly ids: Uint32Array;
  readonly idAt: number;
  /** 0 at level 0. */
  readonly child: number;
  readonly draft: Draft | undefined;
}

const NO_ID = new Uint32Array(ID_WORDS);

/** A page's own entry as an item. */
export function itemOf(page: Page, index: number, draft?: Draft): Item {
  const tag = draft?.tag ?? entryTag(page, index);
  const { keys, ids, stride } = page;
  const keyLength = Math.min(keyBytes(tag), stride);
  const child = page.children[index] ?? 0;
  return { key: keys, keyAt: index * stride, keyLength, tag, ids, idAt: index * ID_WORDS, child, draft };
}

/** A new leaf. */
export function itemOfLeaf(key: TreeKey, leaf: NodeId): Item {
  const tag = leafTag(key.length);
  return { key, keyAt: 0, keyLength: key.length, tag, ids: idWords(leaf), idAt: 0, child: 0, draft: undefined };
}

/** The entry that stands for a child page in its parent. */
export function itemOfDraft(draft: Draft): Item {
  const { keys, stride } = draft.page;
  const key = prefix(keys, stride, draft.tag);
  return { key, keyAt: 0, keyLength: key.length, tag: draft.tag, ids: NO_ID, idAt: 0, child: draft.number, draft };
}

/** The bits of a key that a subtree with this tag shares, in as many bytes as a page keeps. */
export function prefix(key: Uint8Array, available: number, tag: number): Uint8Array {
  const bytes = key.slice(0, Math.min(keyBytes(tag), available));
  const spare = tag & 7;
  const last = (tag - 1) >> 3;
  if (tag < KEY_BITS && spare !== 0 && last < bytes.length) bytes[last] = (bytes[last] as number) & ~(0xff >> spare);
  return bytes;
}

/** All entries of a draft or page. */
export function itemsOf(page: Page, pending: readonly Draft[] = []): Item[] {
  const drafts = new Map(pending.map((draft) => [draft.slot, draft]));
  return Array.from({ length: page.count }, (_, i) => itemOf(page, i, drafts.get(i)));
}

/** The depth at which each item parts from the one before; the first is 0. */
export function gapsOf(items: readonly Item[]): Uint16Array {
  const gaps = new Uint16Array(items.length);
  for (let i = 1; i < items.length; i++) gaps[i] = gapBetween(items[i - 1] as Item, items[i] as Item);
  return gaps;
}

/** The depth at which two neighbours part. */
export function gapBetween(a: Item, b: Item): number {
  return criticalBit(a.key, a.keyAt, a.keyLength, b.key, b.keyAt, b.keyLength);
}

/** Cuts a subtree into complete subtrees of at most `limit` items: each is [start, end). */
export function cut(gaps: Uint16Array, limit: number): readonly (readonly [number, number])[] {
  const pieces: [number, number][] = [];
  const rest: [number, number][] = [[0, gaps.length]];
  for (let range = rest.pop(); range !== undefined; range = rest.pop()) {
    const [start, end] = range;
    if (end - start <= limit) {
      pieces.push(range);
      continue;
    }
    const middle = rootGap(gaps, start, end);
    rest.push([middle, end], [start, middle]);
  }
  return pieces;
}

/** Where the root of the subtree [start, end) parts it: the least of its gaps. */
export function rootGap(gaps: Uint16Array, start: number, end: number): number {
  let least = start + 1;
  for (let i = start + 2; i < end; i++) if ((gaps[i] as number) < (gaps[least] as number)) least = i;
  return least;
}

/** A page of the items [start, end). */
export function draftPage(
  level: number,
  items: readonly Item[],
  gaps: Uint16Array,
  start: number,
  end: number,
  number: number,
): Draft {
  const part = items.slice(start, end);
  let stride = 0;
  for (const { keyLength } of part) if (keyLength > stride) stride = keyLength;
  const page = newPage(level, part.length, stride, level === 0 ? [] : part.map(({ child }) => child));
  for (const [i, { key, keyAt, keyLength, ids, idAt }] of part.entries()) {
    for (let j = 0; j < keyLength; j++) page.keys[i * stride + j] = key[keyAt + j] as number;
    copyId(ids, idAt, page.ids, i * ID_WORDS);
    if (i > 0) page.gaps[i] = gaps[start + i] as number;
  }
  const only = part.length === 1 ? part[0] : undefined;
  const draft = new Draft(page, number, true, only?.tag);
  for (const [i, { draft: child }] of part.entries()) if (child !== undefined) draft.adopt(child, i);
  return draft;
}

/** At or below this, a page that shrank looks for a sibling to merge with. */
export function isSmall(draft: Draft): boolean {
  return draft.resized && draft.page.count * 4 <= pageLimit(draft.page.level);
}
