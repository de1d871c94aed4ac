import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_CLAIM } from "../../../chain/senders/claim.ts";
import { batchesOf, decodeTransactions, encodeTransactions } from "../../../chain/wire/gossip.ts";
import {
  MAX_BATCH_TRANSACTIONS,
  MAX_TRANSACTION_BYTES,
  MAX_TRANSACTIONS_BYTES,
  TRANSACTION_BATCH_BYTES,
} from "../../../chain/wire/limits.ts";

describe("batches of transactions", () => {
  it("hold all transactions in order, each within the limits", () => {
    const sizes = fc.array(
      fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: MAX_TRANSACTION_BYTES })),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(sizes, (lengths) => {
        const raws = lengths.map((length, index) => ({ raw: new Uint8Array(length), claim: BigInt(index) << 58n }));
        const batches = batchesOf(raws);
        const all = batches.flat();
        expect(all.length).toBe(raws.length);
        expect(all.every((raw, index) => raw === raws[index])).toBe(true);
        for (const batch of batches) {
          const encoded = encodeTransactions(batch);
          expect(encoded.length).toBeLessThanOrEqual(
            batch.length === 1 ? MAX_TRANSACTIONS_BYTES : TRANSACTION_BATCH_BYTES,
          );
          expect(decodeTransactions(encoded).map(({ raw, claim }) => [raw.length, claim])).toEqual(
            batch.map(({ raw, claim }) => [raw.length, claim ?? NO_CLAIM]),
          );
        }
      }),
      { numRuns: 30 },
    );
  });

  it("are as full as they can be", () => {
    expect(batchesOf(Array.from({ length: 999 }, () => ({ raw: new Uint8Array(87) }))).length).toBe(1);
    expect(
      batchesOf(Array.from({ length: MAX_BATCH_TRANSACTIONS + 1 }, () => ({ raw: new Uint8Array(1) }))).length,
    ).toBe(2);
    expect(batchesOf([])).toEqual([]);
  });

  it.each([
    ["none", []],
    ["an empty one", [{ raw: new Uint8Array() }]],
  ])("are refused with %s", (_, raws) => {
    expect(() => encodeTransactions(raws)).toThrow("invariant");
  });
});
