/** Checks what must hold of a tree's pages, whatever updates made them. */
import { expect } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { criticalBitOf } from "../../../vm/tree/keys.ts";
import { tagOf } from "../../../vm/tree/node-id.ts";
import { type Entry, entryChild, entryId, keyOf, pageEntries, pageLimit } from "../../../vm/tree/page.ts";
import { decodePage, encodePage } from "../../../vm/tree/page-codec.ts";
import type { MemoryPages } from "../../../vm/tree/page-sources.ts";
import type { TreeHead } from "../../../vm/tree/types.ts";
import { type Leaves, naiveRoot } from "./naive-tree.ts";

interface Walk {
  readonly pages: MemoryPages;
  readonly seen: Set<number>;
  readonly found: Map<string, Uint8Array>;
}

/** The keys below a page; checks it against its own entries and its children. */
function walk(context: Walk, number: number, level: number | undefined): Uint8Array[] {
  const { pages, seen, found } = context;
  const page = pages.page(number);
  expect(seen.has(number), "a page has two parents").toBe(false);
  seen.add(number);
  if (level !== undefined) expect(page.level).toBe(level);
  expect(page.count).toBeGreaterThan(0);
  expect(page.count).toBeLessThanOrEqual(pageLimit(page.level));
  expect(decodePage(encodePage(page))).toEqual(page);
  const keys: Uint8Array[] = [];
  const entries = pageEntries(page);
  for (let i = 0; i < page.count; i++) {
    const key = keyOf(entries[i] as Entry);
    if (page.level === 0) {
      found.set(bytesToHex(key), entryId(page, i));
      keys.push(key);
      continue;
    }
    const below = walk(context, entryChild(page, i), page.level - 1);
    const id = entryId(page, i);
    const under = new Map(below.map((each) => [bytesToHex(each), found.get(bytesToHex(each)) as Uint8Array]));
    expect(bytesToHex(id), "an entry's id is not its subtree's root").toBe(bytesToHex(naiveRoot(under)));
    for (const each of below) {
      const shared = Math.min(tagOf(id), 512);
      expect(criticalBitOf(key, each), "an entry's key is not its subtree's prefix").toBeGreaterThanOrEqual(shared);
    }
    keys.push(...below);
  }
  return keys;
}

/** Every page reachable once, none left over, all within limits, each a complete subtree; the leaves are these. */
export function checkPages(head: TreeHead, pages: MemoryPages, leaves: Leaves): void {
  const context: Walk = { pages, seen: new Set(), found: new Map() };
  const keys = head.rootPage === 0 ? [] : walk(context, head.rootPage, undefined);
  expect([...context.seen].sort()).toEqual([...pages.numbers].sort());
  expect(Math.max(0, ...context.seen)).toBeLessThan(head.nextPage);
  const texts = keys.map(bytesToHex);
  expect(texts).toEqual([...texts].sort());
  expect(new Set(texts)).toEqual(new Set(leaves.keys()));
  for (const [key, id] of leaves) expect(context.found.get(key)).toEqual(id);
  expect(bytesToHex(head.root)).toBe(bytesToHex(naiveRoot(leaves)));
}
