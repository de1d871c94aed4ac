/**
 * Finds a key in a page without writing out the page's keys: the gaps tell how far each key agrees with the one
 * before, so the bytes of a key are looked at only where the answer is not known yet.
 */
import { bitAt } from "./keys.ts";
import { ID_BYTES, KEY_BITS, keyBytes, sharedBits } from "./node-id.ts";
import { GAP_BYTES, gapsAt, HEADER_BYTES, keysAt } from "./page.ts";
import type { Page, TreeKey } from "./types.ts";

/** Where a key belongs in a page. Reused by the next call: read it at once. */
export interface Place {
  /** The last entry whose key is at most the one asked for; -1 when there is none. */
  entry: number;
  /** True when the key lies in that entry's subtree; of a leaf, when it is its key. */
  covered: boolean;
  /** The first bit in which the key differs from that entry's (if not covered). */
  gapBefore: number;
}

const place: Place = { entry: -1, covered: false, gapBefore: 0 };

export function findEntry(page: Page, key: TreeKey): Readonly<Place> {
  const { bytes, count } = page;
  let tagAt = HEADER_BYTES;
  let gapAt = gapsAt(count);
  let suffixAt = keysAt(page.level, count);
  let found = -1;
  let foundTag = 0;
  // The first bit in which `key` differs from entry `found`, which is smaller; 0 before the first entry.
  let agreed = 0;
  for (let i = 0; i < count; i++, tagAt += ID_BYTES, gapAt += GAP_BYTES) {
    const tag = ((bytes[tagAt] as number) << 8) | (bytes[tagAt + 1] as number);
    const gap = ((bytes[gapAt] as number) << 8) | (bytes[gapAt + 1] as number);
    // This entry turns right where `key` and the last one both turned left.
    if (gap < agreed) break;
    const suffixLength = keyBytes(tag) - (gap >> 3);
    if (gap === agreed) {
      const bit = differingBit(bytes, suffixAt, suffixLength, key, gap >> 3);
      if (bit < KEY_BITS && bitAt(key, bit) === 0) break;
      agreed = bit;
    }
    suffixAt += suffixLength;
    found = i;
    foundTag = tag;
  }
  place.entry = found;
  place.covered = found >= 0 && agreed >= sharedBits(foundTag);
  place.gapBefore = agreed;
  return place;
}

/** The first bit in which `key` differs from another whose bytes from `from` on are given; zeros follow both. */
function differingBit(bytes: Uint8Array, at: number, length: number, key: TreeKey, from: number): number {
  const end = from + length > key.length ? from + length : key.length;
  for (let i = from; i < end; i++) {
    const mine = i < key.length ? (key[i] as number) : 0;
    const other = i < from + length ? (bytes[at + i - from] as number) : 0;
    if (mine !== other) return i * 8 + Math.clz32(mine ^ other) - 24;
  }
  return KEY_BITS;
}
