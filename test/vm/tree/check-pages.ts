/** Checks what must hold of a tree's pages, whatever updates made them. */
import { bytesToHex, equalBytes } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { criticalBitOf } from "../../../vm/tree/keys.ts";
import { sharedBits, tagOf } from "../../../vm/tree/node-id.ts";
import { type Entry, entryChild, entryId, keyOf, pageEntries, pageLimit } from "../../../vm/tree/page.ts";
import { decodePage, encodePage } from "../../../vm/tree/page-codec.ts";
import type { MemoryPages } from "../../../vm/tree/page-sources.ts";
import type { TreeHead } from "../../../vm/tree/types.ts";
import { type Leaves, naiveRoot } from "./naive-tree.ts";

class Walk {
  readonly #pages: MemoryPages;
  readonly seen = new Set<number>();
  readonly leaves = new Map<string, Uint8Array>();

  constructor(pages: MemoryPages) {
    this.#pages = pages;
  }

  /** The keys below a page; checks it against its own entries and its children. */
  walk(number: number, level?: number): Uint8Array[] {
    const page = this.#pages.page(number);
    assert(!this.seen.has(number), "a page has two parents");
    this.seen.add(number);
    assert(level === undefined || page.level === level, "a child is not one level below its parent");
    assert(page.count > 0 && page.count <= pageLimit(page.level), "a page is empty or over its limit");
    assert(equalBytes(encodePage(decodePage(encodePage(page))), page.bytes), "a page does not survive its encoding");
    return pageEntries(page).flatMap((entry, i) => {
      const key = keyOf(entry);
      if (page.level === 0) {
        this.leaves.set(bytesToHex(key), entryId(page, i));
        return [key];
      }
      const below = this.walk(entryChild(page, i), page.level - 1);
      this.#checkEntry(entry, entryId(page, i), below);
      return below;
    });
  }

  #checkEntry(entry: Entry, id: Uint8Array, below: readonly Uint8Array[]): void {
    const leaves = new Map(below.map((key) => [bytesToHex(key), this.leaves.get(bytesToHex(key)) as Uint8Array]));
    assert(equalBytes(id, naiveRoot(leaves)), "an entry's id is not the root of its subtree");
    const prefix = keyOf(entry);
    for (const key of below) {
      assert(criticalBitOf(prefix, key) >= sharedBits(tagOf(id)), "an entry's key is not shared by its subtree");
    }
  }
}

/** Every page reachable once, none left over, all within limits, each a complete subtree; the leaves are these. */
export function checkPages(head: TreeHead, pages: MemoryPages, leaves: Leaves): void {
  const tree = new Walk(pages);
  const keys = head.rootPage === 0 ? [] : tree.walk(head.rootPage).map(bytesToHex);
  assert(tree.seen.size === pages.numbers.length, "a page is not reachable");
  for (const number of tree.seen) assert(number > 0 && number < head.nextPage, "a page number was not handed out");
  assert(keys.join() === [...leaves.keys()].sort().join(), "the leaves are not these, or not in order");
  for (const [key, id] of leaves) assert(equalBytes(tree.leaves.get(key) ?? id, id), "a leaf has another id");
  assert(equalBytes(head.root, naiveRoot(leaves)), "the root is not the specification's");
}
