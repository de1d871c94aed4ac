/** Reads leaves in the order of their keys, and what an account has below it. */
import { compareBytes } from "../../base/bytes.ts";
import { findEntry } from "./find-entry.ts";
import { ACCOUNT_KEY_BYTES, criticalBit, SLOT_KEY_BYTES } from "./keys.ts";
import { EMPTY_ROOT, isLeafTag, keyBytes, SLOT_TAG, sharedBits } from "./node-id.ts";
import { type Entry, entryChild, entryId, entryTag, keyOf, pageEntries } from "./page.ts";
import { nodeRow, rootsOf } from "./prove.ts";
import type { NodeId, PageSource, TreeHead, TreeKey } from "./types.ts";

const ACCOUNT_BITS = ACCOUNT_KEY_BYTES * 8;

export interface Leaf {
  readonly key: TreeKey;
  readonly leaf: NodeId;
}

/** All leaves from a key on, itself included. */
export function* leavesFrom(head: TreeHead, source: PageSource, first: TreeKey): Generator<Leaf> {
  if (head.rootPage !== 0) yield* pageLeavesFrom(source, head.rootPage, first);
}

function* pageLeavesFrom(source: PageSource, number: number, first: TreeKey | undefined): Generator<Leaf> {
  const page = source.page(number);
  // The last entry at or before the key may hold it, or keys after it.
  const start = first === undefined ? 0 : Math.max(0, findEntry(page, first).entry);
  if (page.level > 0) {
    for (let i = start; i < page.count; i++) {
      yield* pageLeavesFrom(source, entryChild(page, i), i === start ? first : undefined);
    }
    return;
  }
  for (const [i, entry] of pageEntries(page).entries()) {
    if (i < start) continue;
    const key = keyOf(entry);
    if (first === undefined || compareBytes(key, first) >= 0) yield { key, leaf: entryId(page, i) };
  }
}

/** The last leaf before a key. */
export function leafBefore(head: TreeHead, source: PageSource, key: TreeKey): Leaf | undefined {
  return head.rootPage === 0 ? undefined : pageLeafBefore(source, head.rootPage, key);
}

function pageLeafBefore(source: PageSource, number: number, key: TreeKey | undefined): Leaf | undefined {
  const page = source.page(number);
  const place = key === undefined ? { entry: page.count - 1, covered: false } : { ...findEntry(page, key) };
  for (let i = place.entry; i >= 0; i--) {
    // An entry that covers the key may hold leaves before it; those before the entry all do.
    const isCovering = place.covered && i === place.entry;
    if (page.level > 0) {
      const found = pageLeafBefore(source, entryChild(page, i), isCovering ? key : undefined);
      if (found !== undefined) return found;
    } else if (!isCovering) {
      return { key: keyOf(pageEntries(page)[i] as Entry), leaf: entryId(page, i) };
    }
  }
  return undefined;
}

/** True when the account has a slot: the last leaf that is not above all its possible slots is one. */
export function hasPrefix(head: TreeHead, source: PageSource, account: TreeKey): boolean {
  const last = new Uint8Array(SLOT_KEY_BYTES).fill(0xff);
  last.set(account);
  for (let number = head.rootPage; number !== 0; ) {
    const page = source.page(number);
    const { entry, gapBefore } = findEntry(page, last);
    if (entry < 0) return false;
    if (page.level === 0) return gapBefore >= ACCOUNT_BITS && entryTag(page, entry) === SLOT_TAG;
    number = entryChild(page, entry);
  }
  return false;
}

/**
 * The root of the tree that has the account's slots and nothing else, 32 zero bytes when it has none. The account's
 * own leaf, which lies in front of them, is left out: so it changes when, and only when, the storage does.
 */
export function subtreeId(head: TreeHead, source: PageSource, account: TreeKey): NodeId {
  const nodes: Entry[] = [];
  if (head.rootPage !== 0) collectSlots(source, head.rootPage, account, nodes);
  if (nodes.length === 0) return EMPTY_ROOT;
  const gaps = nodes.map((node, i) => (i === 0 ? 0 : partingBit(nodes[i - 1] as Entry, node)));
  const ids = nodes.map(({ id, idAt }) => id.subarray(idAt, idAt + 32));
  return rootsOf([nodeRow(ids, gaps)])[0] as NodeId;
}

/** The largest subtrees that hold slots of the account alone, in order. */
function collectSlots(source: PageSource, number: number, account: TreeKey, nodes: Entry[]): void {
  const page = source.page(number);
  for (const entry of pageEntries(page)) {
    const { tag } = entry;
    const agreed = criticalBit(entry.key, entry.keyAt, keyBytes(tag), account, 0, account.length);
    if (agreed < Math.min(sharedBits(tag), ACCOUNT_BITS)) continue;
    const mayHaveOthers = sharedBits(tag) < ACCOUNT_BITS || agreed >= sharedBits(tag);
    if (!mayHaveOthers) nodes.push(entry);
    else if (!isLeafTag(tag)) collectSlots(source, entry.child, account, nodes);
  }
}

function partingBit(a: Entry, b: Entry): number {
  return criticalBit(a.key, a.keyAt, keyBytes(a.tag), b.key, b.keyAt, keyBytes(b.tag));
}

/**
 * Reads the pages above the leaves' pages, from the top, at most `limit` of them; returns how many. For a source that
 * keeps what it has read: they are 4% of the tree, and with them in memory a leaf is one read away.
 */
export function readInnerPages(head: TreeHead, source: PageSource, limit: number): number {
  let level = head.rootPage === 0 ? [] : [source.page(head.rootPage)];
  let pages = 0;
  while (level[0] !== undefined && level[0].level > 0) {
    pages += level.length;
    const below = level.flatMap((page) => Array.from({ length: page.count }, (_, i) => entryChild(page, i)));
    const isAboveLeaves = level[0].level === 1;
    level = isAboveLeaves ? [] : below.slice(0, Math.max(0, limit - pages)).map((number) => source.page(number));
  }
  return pages;
}
