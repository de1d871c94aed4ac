import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareBytes } from "../../../base/bytes.ts";
import { cutSpace, keyAt, LAST_PLACE, middleOf, placeOf, shareOf } from "../../../chain/sync/key-space.ts";
import { areComplete } from "../../../chain/sync/range-board.ts";
import { anyKey } from "../../vm/tree/arbitraries.ts";

describe("the space of keys", () => {
  it("has the order of the bytes, and every key its own place", () => {
    fc.assert(
      fc.property(anyKey, anyKey, (a, b) => {
        expect(keyAt(placeOf(a))).toEqual(a);
        const order = placeOf(a) < placeOf(b) ? -1 : placeOf(a) > placeOf(b) ? 1 : 0;
        expect(Math.sign(compareBytes(a, b))).toBe(order);
      }),
    );
  });

  it("is cut into parts without gap or overlap, whose shares add up to all of it", () => {
    for (const parts of [1, 2, 3, 7, 256]) {
      const spans = cutSpace(parts);
      expect(spans).toHaveLength(parts);
      expect(areComplete(spans)).toBe(true);
      expect(spans.reduce((sum, span) => sum + shareOf(span), 0)).toBeCloseTo(1, 9);
    }
  });

  it("is cut in the middle, but inside the storage of an account when a part begins there", () => {
    expect(middleOf({ first: 0n, last: 10n })).toBe(5n);
    expect(middleOf({ first: 7n, last: 7n })).toBeUndefined();
    const account = new Uint8Array(32).fill(0x12);
    const slot = new Uint8Array(64).fill(0x12).fill(0x40, 32);
    const middle = middleOf({ first: placeOf(slot), last: LAST_PLACE });
    const cut = keyAt(middle ?? 0n);
    expect(cut.subarray(0, 32)).toEqual(account);
    expect(cut[32]).toBe(0xa0);
  });
});
