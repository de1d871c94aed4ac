import fc from "fast-check";
import { describe, expect, test as it } from "vitest";
import { bytesToHex, hexToBytes } from "../../../base/bytes.ts";
import { LEAF_PAGE_LIMIT } from "../../../vm/tree/page.ts";
import { EMPTY_HEAD, MemoryPages, OverlayPages } from "../../../vm/tree/page-sources.ts";
import type { LeafChange, TreeHead } from "../../../vm/tree/types.ts";
import { updateTree } from "../../../vm/tree/update.ts";
import { anyKey, anyStep, type Step } from "./arbitraries.ts";
import { checkPages } from "./check-pages.ts";
import { naiveRoot, someLeaf } from "./naive-tree.ts";

/** What a step changes, given the leaves before it; also changes the leaves. */
function changesOf(step: Step, leaves: Map<string, Uint8Array>): LeafChange[] {
  const changes = new Map<string, Uint8Array | undefined>();
  for (const key of step.removeAbsent) changes.set(bytesToHex(key), undefined);
  for (const [i, key] of [...leaves.keys()].entries()) {
    if (step.removeEvery > 0 && i % step.removeEvery === 0) changes.set(key, undefined);
  }
  for (const key of step.set) changes.set(bytesToHex(key), someLeaf(key, step.version));
  for (const [key, leaf] of changes) {
    if (leaf === undefined) leaves.delete(key);
    else leaves.set(key, leaf);
  }
  return [...changes].map(([key, leaf]) => ({ key: hexToBytes(key), leaf }));
}

function insert(keys: readonly Uint8Array[], version = 0): LeafChange[] {
  return keys.map((key) => ({ key, leaf: someLeaf(key, version) }));
}

function randomKey(seed: number): Uint8Array {
  return someLeaf(new Uint8Array(32).fill(1), 7).map(
    (byte, i) => (byte * (seed + 1) + i * seed * 31 + (seed >> (i % 13))) & 0xff,
  );
}

describe("updateTree", () => {
  it("gives the root of the specification after every batch of insertions, changes and removals", () => {
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 1, maxLength: 6 }), (steps) => {
        const pages = new MemoryPages();
        const leaves = new Map<string, Uint8Array>();
        let head = EMPTY_HEAD;
        for (const step of steps) {
          const update = updateTree(head, pages, changesOf(step, leaves));
          pages.apply(update);
          head = update.head;
          expect(bytesToHex(head.root)).toBe(bytesToHex(naiveRoot(leaves)));
        }
        checkPages(head, pages, leaves);
      }),
      { numRuns: 60 },
    );
  });

  it("does not let the root depend on how the changes were divided into batches", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyKey, { selector: bytesToHex, maxLength: 200, size: "max" }), (keys) => {
        const pages = new MemoryPages();
        let head: TreeHead = EMPTY_HEAD;
        for (const key of keys) {
          const update = updateTree(head, pages, insert([key]));
          pages.apply(update);
          head = update.head;
        }
        const leaves = new Map(keys.map((key) => [bytesToHex(key), someLeaf(key, 0)]));
        checkPages(head, pages, leaves);
        const atOnce = updateTree(EMPTY_HEAD, new MemoryPages(), insert(keys));
        expect(bytesToHex(atOnce.head.root)).toBe(bytesToHex(head.root));
      }),
      { numRuns: 40 },
    );
  });

  it("keeps a large tree of several levels whole while it grows and shrinks to nothing", () => {
    const keys = Array.from({ length: 6000 }, (_, i) => randomKey(i));
    const unique = [...new Map(keys.map((key) => [bytesToHex(key), key])).values()];
    const pages = new MemoryPages();
    const leaves = new Map<string, Uint8Array>();
    let head: TreeHead = EMPTY_HEAD;
    const run = (changes: readonly LeafChange[]): void => {
      const update = updateTree(head, pages, changes);
      pages.apply(update);
      head = update.head;
      for (const { key, leaf } of changes) {
        if (leaf === undefined) leaves.delete(bytesToHex(key));
        else leaves.set(bytesToHex(key), leaf);
      }
    };
    for (let i = 0; i < unique.length; i += 1500) run(insert(unique.slice(i, i + 1500)));
    checkPages(head, pages, leaves);
    expect(pages.page(head.rootPage).level).toBeGreaterThanOrEqual(2);
    for (let i = 0; i < unique.length; i += 2000) {
      run(unique.slice(i, i + 1990).map((key) => ({ key, leaf: undefined })));
    }
    checkPages(head, pages, leaves);
    expect(pages.numbers.length, "removals leave pages of dust").toBeLessThan(12);
    run([...leaves.keys()].map((key) => ({ key: hexToBytes(key), leaf: undefined })));
    expect(head.rootPage).toBe(0);
    expect(head.root).toEqual(new Uint8Array(32));
    expect(pages.numbers).toEqual([]);
  });

  it("writes nothing when the changes change nothing", () => {
    const keys = Array.from({ length: 100 }, (_, i) => randomKey(i));
    const pages = new MemoryPages();
    const first = updateTree(EMPTY_HEAD, pages, insert(keys.slice(0, 90)));
    pages.apply(first);
    const again = updateTree(first.head, pages, [
      ...insert(keys.slice(0, 90)),
      ...keys.slice(90).map((key) => ({ key, leaf: undefined })),
    ]);
    expect(again).toEqual({ head: first.head, written: new Map(), removed: [] });
  });

  it("writes one page per level for one changed leaf, under the numbers that the pages had", () => {
    const keys = Array.from({ length: LEAF_PAGE_LIMIT * 20 }, (_, i) => randomKey(i));
    const pages = new MemoryPages();
    const first = updateTree(EMPTY_HEAD, pages, insert(keys));
    pages.apply(first);
    const update = updateTree(first.head, pages, insert(keys.slice(7, 8), 1));
    const levels = [...update.written.values()].map((page) => page.level).sort();
    expect(levels).toEqual(levels.map((_, level) => level));
    expect(update.head.nextPage).toBe(first.head.nextPage);
    expect(update.removed).toEqual([]);
  });

  it("leaves the pages it read as they were, so that two blocks may build on one parent", () => {
    const keys = Array.from({ length: 300 }, (_, i) => randomKey(i));
    const pages = new MemoryPages();
    const parent = updateTree(EMPTY_HEAD, pages, insert(keys.slice(0, 200)));
    pages.apply(parent);
    const one = updateTree(parent.head, pages, insert(keys.slice(150, 300), 1));
    const other = updateTree(
      parent.head,
      pages,
      keys.slice(0, 120).map((key) => ({ key, leaf: undefined })),
    );
    const child = updateTree(one.head, new OverlayPages(pages, one), insert(keys.slice(100, 160), 2));
    const expected = (...versions: (readonly [number, number, number])[]): string => {
      const leaves = new Map<string, Uint8Array>();
      for (const [start, end, version] of versions) {
        for (const key of keys.slice(start, end)) leaves.set(bytesToHex(key), someLeaf(key, version));
      }
      return bytesToHex(naiveRoot(leaves));
    };
    expect(bytesToHex(parent.head.root)).toBe(expected([0, 200, 0]));
    expect(bytesToHex(one.head.root)).toBe(expected([0, 200, 0], [150, 300, 1]));
    expect(bytesToHex(other.head.root)).toBe(expected([120, 200, 0]));
    expect(bytesToHex(child.head.root)).toBe(expected([0, 200, 0], [150, 300, 1], [100, 160, 2]));
    checkPages(parent.head, pages, new Map(keys.slice(0, 200).map((key) => [bytesToHex(key), someLeaf(key, 0)])));
  });

  it("refuses changes that the caller must never make", () => {
    const key = randomKey(1);
    const run = (changes: readonly LeafChange[]) => () => updateTree(EMPTY_HEAD, new MemoryPages(), changes);
    expect(run([...insert([key]), { key, leaf: undefined }])).toThrow("changed twice");
    expect(run(insert([new Uint8Array(31)]))).toThrow("no key of the tree");
    expect(run(insert([new Uint8Array(64)]))).toThrow("no key of the tree");
    expect(run([{ key, leaf: someLeaf(new Uint8Array(64), 0) }])).toThrow("wrong kind of leaf");
  });
});
