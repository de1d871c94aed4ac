/** Pages that an update is making: the shape is known, the ids of changed children are not yet. */
import { criticalBit } from "./keys.ts";
import { keyBytes, leafTag } from "./node-id.ts";
import { type Entry, makePage, pageEntries, pageLimit, pagePrefix, pageTag } from "./page.ts";
import type { NodeId, Page, TreeKey } from "./types.ts";

export class Draft {
  readonly page: Page;
  readonly number: number;
  /** The tag that the page's root will have. */
  readonly tag: number;
  /** True when the page is new or has another number of entries than before. */
  readonly resized: boolean;
  /** The draft that this one is a child of, and its place there, where its id is written once it is hashed. */
  parent: Draft | undefined = undefined;
  slot = 0;
  /** The next changed child of the same page, while that page is being worked on. A list without an array. */
  next: Draft | undefined = undefined;
  /** False when the draft was merged into another or collapsed. */
  live = true;

  constructor(page: Page, number: number, tag: number, resized: boolean) {
    this.page = page;
    this.number = number;
    this.tag = tag;
    this.resized = resized;
  }

  adopt(child: Draft, slot: number): void {
    child.parent = this;
    child.slot = slot;
  }
}

/** An entry that may stand for a draft, whose id is not known yet: then only its tag is. */
export interface Item extends Entry {
  readonly draft: Draft | undefined;
}

/** A new leaf. */
export function itemOfLeaf(key: TreeKey, leaf: NodeId): Item {
  return { key, keyAt: 0, tag: leafTag(key.length), id: leaf, idAt: 0, child: 0, draft: undefined };
}

/** The entry that stands for a child page in its parent. */
export function itemOfDraft(draft: Draft): Item {
  const { page, tag, number } = draft;
  // The tag must be in its place before the hash is: keys are as long as tags say.
  const id = new Uint8Array(32);
  id[0] = tag >> 8;
  id[1] = tag;
  return { key: pagePrefix(page, tag), keyAt: 0, tag, id, idAt: 0, child: number, draft };
}

/** All entries of a page; `pending` are the drafts among its children. */
export function itemsOf(page: Page, pending: readonly Draft[] = []): Item[] {
  const drafts: (Draft | undefined)[] = [];
  for (const draft of pending) drafts[draft.slot] = draft;
  return pageEntries(page).map((entry, i) => ({ ...entry, draft: drafts[i] }));
}

/** The depth at which each item parts from the one before; the first is 0. */
export function gapsOf(items: readonly Item[]): Uint16Array {
  const gaps = new Uint16Array(items.length);
  for (let i = 1; i < items.length; i++) gaps[i] = gapBetween(items[i - 1] as Item, items[i] as Item);
  return gaps;
}

/** The depth at which two neighbours part. */
export function gapBetween(a: Entry, b: Entry): number {
  return criticalBit(a.key, a.keyAt, keyBytes(a.tag), b.key, b.keyAt, keyBytes(b.tag));
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

/** A page of the items [start, end), which has another layout than any page before. */
export function draftPage(
  level: number,
  items: readonly Item[],
  gaps: Uint16Array,
  [start, end]: readonly [number, number],
  number: number,
): Draft {
  const page = makePage(level, items, gaps, start, end);
  const draft = new Draft(page, number, pageTag(page), true);
  for (let i = start; i < end; i++) {
    const child = (items[i] as Item).draft;
    if (child !== undefined) draft.adopt(child, i - start);
  }
  return draft;
}

/** True for a page so small that it looks for a sibling to merge with. */
export function isSmall({ resized, page }: Draft): boolean {
  return resized && page.count * 4 <= pageLimit(page.level);
}
