import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareBytes } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { decodeLeaves, type LeafRecord, LeafWriter } from "../../../chain/sync/leaf-codec.ts";
import { anyKey } from "../../vm/tree/arbitraries.ts";

const anyLeaves: fc.Arbitrary<LeafRecord[]> = fc
  .array(fc.record({ key: anyKey, value: fc.uint8Array({ maxLength: 74 }) }), { maxLength: 30 })
  .map((leaves) => leaves.sort((a, b) => compareBytes(a.key, b.key)));

function encoded(leaves: readonly LeafRecord[], limit = 65_536): Uint8Array {
  const writer = new LeafWriter(limit);
  for (const leaf of leaves) if (!writer.add(leaf)) break;
  return writer.finish();
}

describe("leaves as bytes", () => {
  it("come back as they were", () => {
    fc.assert(
      fc.property(anyLeaves, (leaves) => {
        expect(decodeLeaves(encoded(leaves))).toEqual(leaves);
      }),
    );
  });

  it("have one encoding: what decodes encodes to the same bytes, and anything else is SYNC_INVALID", () => {
    const anyBytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.tuple(anyLeaves, fc.nat(), fc.nat(255)).map(([leaves, at, byte]) => {
        const bytes = encoded(leaves);
        if (bytes.length > 0) bytes[at % bytes.length] = byte;
        return bytes;
      }),
    );
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        let leaves: LeafRecord[];
        try {
          leaves = decodeLeaves(bytes);
        } catch (error) {
          expect(isCoded(error, "SYNC_INVALID")).toBe(true);
          return;
        }
        expect(encoded(leaves)).toEqual(bytes);
      }),
    );
  });

  it("stop at the limit, and say which leaf was the last", () => {
    const leaves = Array.from({ length: 10 }, (_, i) => ({
      key: new Uint8Array(32).fill(i),
      value: new Uint8Array(16).fill(1),
    }));
    const writer = new LeafWriter(160);
    expect(leaves.map((leaf) => writer.add(leaf)).filter(Boolean)).toHaveLength(3);
    expect(writer.last).toEqual(leaves[2]?.key);
    expect(decodeLeaves(writer.finish())).toEqual(leaves.slice(0, 3));
  });
});
