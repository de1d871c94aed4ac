import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isCoded } from "../../../base/errors.ts";
import { encodeRlp } from "../../../base/rlp.ts";
import { decodeBlock, encodeBlock } from "../../../chain/blocks/block.ts";
import { encodeHeader } from "../../../chain/blocks/header.ts";
import { MAX_BLOCK_BYTES, MAX_BLOCK_TRANSACTIONS } from "../../../chain/blocks/limits.ts";
import { anyHeader, HEADER } from "./support.ts";

const anyTransactions = fc.array(fc.uint8Array({ minLength: 1, maxLength: 150 }), { maxLength: 20 });

describe("a block", () => {
  it("decodes to what was encoded, and has one encoding", () => {
    fc.assert(
      fc.property(anyHeader, anyTransactions, (header, transactions) => {
        const bytes = encodeBlock({ header, transactions });
        expect(decodeBlock(bytes)).toEqual({ header, transactions });
        expect(encodeBlock(decodeBlock(bytes))).toEqual(bytes);
      }),
      { numRuns: 50 },
    );
  });

  it("from arbitrary bytes is a block or a coded error", () => {
    const valid = encodeBlock({ header: HEADER, transactions: [new Uint8Array([1, 2, 3]), new Uint8Array(100)] });
    const mutated = fc
      .tuple(fc.nat(valid.length - 1), fc.nat(255))
      .map(([at, byte]) => valid.map((old, i) => (i === at ? byte : old)));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 1000 }), mutated), (bytes) => {
        try {
          expect(encodeBlock(decodeBlock(bytes))).toEqual(bytes);
        } catch (error) {
          expect(isCoded(error, "BLOCK_MALFORMED", "BLOCK_VERSION_UNKNOWN", "BLOCK_TOO_LARGE")).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("with more bytes or transactions than allowed is refused", () => {
    expect(() => decodeBlock(new Uint8Array(MAX_BLOCK_BYTES + 1))).toThrow(
      expect.objectContaining({ code: "BLOCK_TOO_LARGE" }),
    );
    const many = new Array<Uint8Array>(MAX_BLOCK_TRANSACTIONS + 1).fill(new Uint8Array([1]));
    const crowded = encodeBlock({ header: HEADER, transactions: many });
    expect(() => decodeBlock(crowded)).toThrow(expect.objectContaining({ code: "BLOCK_TOO_LARGE" }));
  });

  it("with an empty transaction or a transaction that is a list is refused", () => {
    for (const transactions of [[new Uint8Array(0)], [[new Uint8Array([1])]]]) {
      const bytes = encodeRlp([encodeHeader(HEADER), transactions]);
      expect(() => decodeBlock(bytes)).toThrow(expect.objectContaining({ code: "BLOCK_MALFORMED" }));
    }
  });
});
