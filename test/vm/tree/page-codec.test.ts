import fc from "fast-check";
import { describe, expect, test as it } from "vitest";
import { bytesToHex, equalBytes } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { findEntry } from "../../../vm/tree/find-entry.ts";
import { type Entry, entryGap, entryTag, keyOf, pageEntries } from "../../../vm/tree/page.ts";
import { decodePage, encodePage } from "../../../vm/tree/page-codec.ts";
import { EMPTY_HEAD, MemoryPages } from "../../../vm/tree/page-sources.ts";
import type { Page } from "../../../vm/tree/types.ts";
import { updateTree } from "../../../vm/tree/update.ts";
import { anyKey } from "./arbitraries.ts";
import { someLeaf } from "./naive-tree.ts";
import { hashedKeys, treeOf } from "./sample-tree.ts";

function pagesOf(keys: readonly Uint8Array[]): Page[] {
  const changes = keys.map((key) => ({ key, leaf: someLeaf(key, 0) }));
  return [...updateTree(EMPTY_HEAD, new MemoryPages(), changes).written.values()];
}

const anyPages = fc
  .uniqueArray(anyKey, { selector: bytesToHex, minLength: 1, maxLength: 120, size: "max" })
  .map(pagesOf);

/** The page, or `undefined` for PAGE_DAMAGED; anything else that is thrown is a bug. */
function decodeOrRefuse(bytes: Uint8Array): Page | undefined {
  try {
    return decodePage(bytes);
  } catch (error) {
    if (isCoded(error, "PAGE_DAMAGED")) return undefined;
    throw error;
  }
}

/** What must hold of whatever decoding accepts. */
function isWellFormed(page: Page): boolean {
  const keys = pageEntries(page).map((entry) => bytesToHex(keyOf(entry)).padEnd(130, "0"));
  const ascends = keys.every((key, i) => i === 0 || key > (keys[i - 1] as string));
  const parts = keys.every((key, i) => {
    if (i === 0) return entryGap(page, i) === 0;
    const bits = (hex: string): string => BigInt(hex).toString(2).padStart(512, "0");
    const [a, b] = [bits(key), bits(keys[i - 1] as string)];
    return [...a].findIndex((bit, at) => bit !== b[at]) === entryGap(page, i);
  });
  return ascends && parts;
}

describe("a page on disk", () => {
  it("comes back as it was", () => {
    fc.assert(
      fc.property(anyPages, (pages) => {
        for (const page of pages) {
          // A Buffer at an odd place, as a database may give it.
          const stored = Buffer.concat([new Uint8Array(3), encodePage(page)]).subarray(3);
          const decoded = decodePage(stored);
          expect([decoded.level, decoded.count]).toEqual([page.level, page.count]);
          expect(equalBytes(encodePage(decoded), encodePage(page))).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("is refused, or still a well-formed page, after any change; cut or extended it is refused", () => {
    fc.assert(
      fc.property(anyPages, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 }), (pages, which, where, flip) => {
        const bytes = encodePage(pages[which % pages.length] as Page);
        const changed = bytes.slice();
        const at = where % bytes.length;
        changed[at] = (changed[at] as number) ^ flip;
        const page = decodeOrRefuse(changed);
        if (page !== undefined) expect(isWellFormed(page)).toBe(true);
        expect(decodeOrRefuse(bytes.slice(0, at))).toBeUndefined();
        expect(decodeOrRefuse(new Uint8Array([...bytes, flip]))).toBeUndefined();
      }),
      { numRuns: 400 },
    );
  });

  it("is refused when it is noise", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (noise, withHeader) => {
        const bytes = withHeader ? new Uint8Array([1, 0, 0, 1, 0xff, 0xff, ...noise]) : noise;
        const page = decodeOrRefuse(bytes);
        // A header, a tag and exactly one key and id of any content are a page.
        if (page !== undefined) expect(page.count).toBe(1);
      }),
      { numRuns: 1000 },
    );
  });

  it("names what is wrong and what to do", () => {
    const [page] = pagesOf(hashedKeys(3)) as [Page];
    const bytes = encodePage(page).slice();
    bytes[0] = 9;
    expect(() => decodePage(bytes)).toThrow("restore the database from a snapshot");
  });
});

describe("finding a key in a page", () => {
  it("gives the last entry at or before it, and whether that entry covers it", () => {
    fc.assert(
      fc.property(anyPages, fc.array(anyKey, { maxLength: 20 }), (pages, others) => {
        for (const page of pages) {
          const entries = pageEntries(page);
          const padded = (key: Uint8Array): string => bytesToHex(key).padEnd(130, "0");
          for (const key of [...entries.map(keyOf), ...others]) {
            const expected = entries.findLastIndex((entry) => padded(keyOf(entry)) <= padded(key));
            const { entry, covered } = findEntry(page, key);
            expect(entry).toBe(expected);
            expect(covered).toBe(entry >= 0 && coversByBits(entries[entry] as Entry, entryTag(page, entry), key));
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it("finds every key of a large tree from its root", () => {
    const keys = hashedKeys(3000);
    const { head, pages } = treeOf(keys);
    for (const key of keys.slice(0, 200)) {
      let page = pages.page(head.rootPage);
      while (page.level > 0) {
        const { entry, covered } = findEntry(page, key);
        expect(covered).toBe(true);
        page = pages.page((pageEntries(page)[entry] as Entry).child);
      }
      expect(findEntry(page, key).covered).toBe(true);
    }
  });
});

function coversByBits(entry: Entry, tag: number, key: Uint8Array): boolean {
  const bits = (bytes: Uint8Array): string =>
    Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0"))
      .join("")
      .padEnd(512, "0");
  const depth = Math.min(tag, 512);
  return bits(keyOf(entry)).slice(0, depth) === bits(key).slice(0, depth);
}
