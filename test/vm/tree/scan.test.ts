import fc from "fast-check";
import { describe, expect, test as it } from "vitest";
import { bytesToHex, compareBytes } from "../../../base/bytes.ts";
import { EMPTY_HEAD } from "../../../vm/tree/page-sources.ts";
import { hasPrefix, leafBefore, leavesFrom, readInnerPages, subtreeId } from "../../../vm/tree/scan.ts";
import type { Page, TreeKey } from "../../../vm/tree/types.ts";
import { anyKey } from "./arbitraries.ts";
import { naiveRoot } from "./naive-tree.ts";
import { anyState, type SampleState } from "./sample-state.ts";
import { hashedKeys, treeOf } from "./sample-tree.ts";

function slotsOf(state: SampleState, account: TreeKey): Map<string, Uint8Array> {
  const text = bytesToHex(account);
  const all = state.leaves.map(({ key, leaf }) => [bytesToHex(key), leaf] as const);
  return new Map(all.filter(([key]) => key.length > text.length && key.startsWith(text)));
}

describe("reading the tree in order", () => {
  it("gives all leaves from a key on, and the leaf before it", () => {
    fc.assert(
      fc.property(anyState, anyKey, (state, from) => {
        const { head, pages, leaves } = state;
        const expected = leaves.filter(({ key }) => compareBytes(key, from) >= 0);
        expect([...leavesFrom(head, pages, from)]).toEqual(expected);
        expect(leafBefore(head, pages, from)).toEqual(leaves.findLast(({ key }) => compareBytes(key, from) < 0));
        expect([...leavesFrom(head, pages, new Uint8Array(32))]).toEqual(leaves);
      }),
      { numRuns: 40 },
    );
  });

  it("tells whether an account has slots, and their root without the account", () => {
    fc.assert(
      fc.property(anyState, anyKey, (state, other) => {
        const { head, pages, leaves } = state;
        const accounts = new Map([other, ...leaves.map(({ key }) => key)].map((key) => [key.slice(0, 32).join(), key]));
        for (const key of accounts.values()) {
          const account = key.slice(0, 32);
          const slots = slotsOf(state, account);
          expect(hasPrefix(head, pages, account)).toBe(slots.size > 0);
          expect(bytesToHex(subtreeId(head, pages, account))).toBe(bytesToHex(naiveRoot(slots)));
        }
      }),
      { numRuns: 40 },
    );
  });

  it("reads the pages above the leaves' pages once each, from the top, up to a limit", () => {
    const { head, pages } = treeOf(hashedKeys(6000));
    const inner = pages.numbers.filter((number) => pages.page(number).level > 0);
    const read: number[] = [];
    const page = (number: number): Page => {
      read.push(number);
      return pages.page(number);
    };
    expect(readInnerPages(head, { page }, 1000)).toBe(inner.length);
    expect([...read].sort()).toEqual([...inner].sort());
    expect(read[0]).toBe(head.rootPage);
    const levels = read.map((number) => pages.page(number).level);
    expect(levels).toEqual([...levels].sort((a, b) => b - a));
    expect(readInnerPages(head, { page }, 3)).toBe(3);
    expect(readInnerPages(EMPTY_HEAD, { page }, 3)).toBe(0);
  });
});
