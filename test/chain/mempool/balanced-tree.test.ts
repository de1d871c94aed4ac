import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BalancedTree, type TreeNode } from "../../../chain/mempool/balanced-tree.ts";

function sums(): BalancedTree<number, number> {
  return new BalancedTree<number, number>({
    compare: (a, b) => a - b,
    summaryOf: (item) => item,
    join: (a, b) => a + b,
  });
}

/** Its height, having checked that no side is more than one higher than the other. */
function checkedHeight(node: TreeNode<number, number> | undefined): number {
  if (node === undefined) return 0;
  const [left, right] = [checkedHeight(node.left), checkedHeight(node.right)];
  expect(Math.abs(left - right)).toBeLessThanOrEqual(1);
  expect(node.height).toBe(1 + Math.max(left, right));
  return node.height;
}

describe("BalancedTree", () => {
  it("keeps order, ranks and sums of prefixes, and stays balanced, whatever comes and goes", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60), { maxLength: 200 }), fc.nat(2_000), (toggles, bound) => {
        const tree = sums();
        const present = new Set<number>();
        for (const item of toggles) {
          if (present.delete(item)) tree.remove(item);
          else {
            present.add(item);
            tree.insert(item);
          }
        }
        const items = [...present].sort((a, b) => a - b);
        const sumOf = (count: number): number => items.slice(0, count).reduce((a, b) => a + b, 0);
        checkedHeight(tree.root);
        expect(tree.size).toBe(items.length);
        expect([...items.keys(), items.length, -1].map((rank) => tree.at(rank))).toEqual([
          ...items,
          undefined,
          undefined,
        ]);
        for (const count of items.keys()) expect(tree.prefix(count) ?? 0).toBe(sumOf(count));
        const covered = tree.countWhile((item, rank, before = 0) => {
          expect([items[rank], sumOf(rank)]).toEqual([item, before]);
          return before + item <= bound;
        });
        expect(covered).toBe(items.filter((_, i) => sumOf(i + 1) <= bound).length);
      }),
    );
  });

  it("gives the first ones away, few or nearly all, and goes on as before", () => {
    const some = fc.uniqueArray(fc.nat(500), { maxLength: 100 });
    fc.assert(
      fc.property(some, some, fc.nat(120), (before, after, wanted) => {
        const tree = sums();
        for (const item of before) tree.insert(item);
        const items = [...before].sort((a, b) => a - b);
        expect(tree.removeFirst(wanted)).toEqual(items.slice(0, wanted));
        const kept = items.slice(wanted);
        const all = [...kept, ...after.filter((item) => !kept.includes(item))];
        for (const item of all.slice(kept.length)) tree.insert(item);
        all.sort((a, b) => a - b);
        checkedHeight(tree.root);
        expect(all.map((_, rank) => tree.at(rank))).toEqual(all);
        expect(tree.size).toBe(all.length);
        expect(tree.root?.summary ?? 0).toBe(all.reduce((a, b) => a + b, 0));
      }),
    );
  });

  it("has logarithmic height when everything comes in order", () => {
    const tree = sums();
    for (let item = 0; item < 10_000; item++) tree.insert(item);
    expect(checkedHeight(tree.root)).toBeLessThanOrEqual(14);
    for (let item = 0; item < 9_000; item++) tree.remove(item);
    expect(checkedHeight(tree.root)).toBeLessThanOrEqual(14);
  });

  it("knows two items at one place, and the removal of what is not there, for bugs of ours", () => {
    const tree = sums();
    tree.insert(1);
    expect(() => tree.insert(1)).toThrow("invariant");
    expect(() => tree.remove(2)).toThrow("invariant");
  });
});
