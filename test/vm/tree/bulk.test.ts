import fc from "fast-check";
import { describe, expect, test as it } from "vitest";
import { bytesToHex, compareBytes } from "../../../base/bytes.ts";
import { TreeBuilder } from "../../../vm/tree/bulk.ts";
import { EMPTY_HEAD, MemoryPages } from "../../../vm/tree/page-sources.ts";
import type { TreeHead } from "../../../vm/tree/types.ts";
import { updateTree } from "../../../vm/tree/update.ts";
import { anyKey } from "./arbitraries.ts";
import { checkPages } from "./check-pages.ts";
import { someLeaf } from "./naive-tree.ts";
import { hashedKeys } from "./sample-tree.ts";

function build(keys: readonly Uint8Array[]): { head: TreeHead; pages: MemoryPages } {
  const pages = new MemoryPages();
  const builder = new TreeBuilder((number, page) => pages.put(number, page));
  for (const key of [...keys].sort(compareBytes)) builder.add(key, someLeaf(key, 3));
  return { head: builder.finish(), pages };
}

describe("TreeBuilder", () => {
  it("gives the same root as updateTree, in whole pages that an update accepts", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyKey, { selector: bytesToHex, maxLength: 400, size: "max" }),
        fc.uniqueArray(anyKey, { selector: bytesToHex, maxLength: 40 }),
        (keys, more) => {
          const { head, pages } = build(keys);
          const leaves = new Map(keys.map((key) => [bytesToHex(key), someLeaf(key, 3)]));
          checkPages(head, pages, leaves);
          const update = updateTree(
            head,
            pages,
            more.map((key) => ({ key, leaf: someLeaf(key, 4) })),
          );
          pages.apply(update);
          for (const key of more) leaves.set(bytesToHex(key), someLeaf(key, 4));
          checkPages(update.head, pages, leaves);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("builds several levels, more than one batch of pages at a time", () => {
    const keys = hashedKeys(30_000);
    const { head, pages } = build(keys);
    const grown = updateTree(
      EMPTY_HEAD,
      new MemoryPages(),
      keys.map((key) => ({ key, leaf: someLeaf(key, 3) })),
    );
    expect(bytesToHex(head.root)).toBe(bytesToHex(grown.head.root));
    expect(pages.numbers.length).toBe(grown.written.size);
    expect(pages.page(head.rootPage).level).toBeGreaterThanOrEqual(2);
  });

  it("gives the empty tree for no leaves, and starts at the page number it is told", () => {
    expect(new TreeBuilder(() => {}).finish()).toEqual(EMPTY_HEAD);
    const numbers: number[] = [];
    const builder = new TreeBuilder((number) => numbers.push(number), 77);
    const [key] = hashedKeys(1) as [Uint8Array];
    builder.add(key, someLeaf(key, 0));
    expect(builder.finish()).toEqual({ root: someLeaf(key, 0), rootPage: 77, nextPage: 78 });
    expect(numbers).toEqual([77]);
  });

  it("refuses leaves out of order", () => {
    const [small, large] = hashedKeys(2).sort(compareBytes) as [Uint8Array, Uint8Array];
    const builder = new TreeBuilder(() => {});
    builder.add(large, someLeaf(large, 0));
    expect(() => builder.add(small, someLeaf(small, 0))).toThrow("ascending");
    expect(() => builder.add(large, someLeaf(large, 0))).toThrow("ascending");
  });
});
