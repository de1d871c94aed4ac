import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isCoded } from "../../../base/errors.ts";
import { encodeRlp, type RlpItem } from "../../../base/rlp.ts";
import { decodeBlock, encodeBlock } from "../../../chain/blocks/block.ts";
import { encodeHeader } from "../../../chain/blocks/header.ts";
import {
  MAX_BLOCK_BYTES,
  MAX_BLOCK_TRANSACTIONS,
  MAX_NEXT_VALIDATORS_BYTES,
  MAX_VALIDATORS,
} from "../../../chain/blocks/limits.ts";
import { anyHeader, HEADER, someValidators } from "./support.ts";

const anyTransactions = fc.array(fc.uint8Array({ minLength: 1, maxLength: 150 }), { maxLength: 20 });
const anyNextValidators = fc.option(someValidators, { nil: undefined });

describe("a block", () => {
  it("decodes to what was encoded, and has one encoding", () => {
    fc.assert(
      fc.property(anyHeader, anyTransactions, anyNextValidators, (header, transactions, nextValidators) => {
        const bytes = encodeBlock({ header, transactions, nextValidators });
        expect(decodeBlock(bytes)).toEqual({ header, transactions, nextValidators });
        expect(encodeBlock(decodeBlock(bytes))).toEqual(bytes);
      }),
      { numRuns: 50 },
    );
  });

  it("from arbitrary bytes is a block or a coded error", () => {
    const valid = encodeBlock({
      header: HEADER,
      transactions: [new Uint8Array([1, 2, 3]), new Uint8Array(100)],
      nextValidators: fc.sample(someValidators, { seed: 1, numRuns: 1 })[0],
    });
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
    const crowded = encodeBlock({ header: HEADER, transactions: many, nextValidators: undefined });
    expect(() => decodeBlock(crowded)).toThrow(expect.objectContaining({ code: "BLOCK_TOO_LARGE" }));
  });

  it("of millions of tiny items is refused before there is an object for each of them", () => {
    const tiny = new Uint8Array(MAX_BLOCK_BYTES - 64).fill(1);
    const payload = encodeRlp([new Uint8Array([1]), tiny, []]);
    // The long byte string becomes a list of single bytes: its prefix is the second item's.
    payload[5] = 0xfa;
    expect(() => decodeBlock(payload)).toThrow(
      expect.objectContaining({ code: "BLOCK_MALFORMED", message: expect.stringContaining("too many items") }),
    );
  });

  it("with an empty transaction or a transaction that is a list is refused", () => {
    for (const transactions of [[new Uint8Array(0)], [[new Uint8Array([1])]]]) {
      const bytes = encodeRlp([encodeHeader(HEADER), transactions, []]);
      expect(() => decodeBlock(bytes)).toThrow(expect.objectContaining({ code: "BLOCK_MALFORMED" }));
    }
  });

  const key = (byte: number, length = 48): Uint8Array => new Uint8Array(length).fill(byte);
  const weight = new Uint8Array([7]);
  const malformed: Readonly<Record<string, RlpItem>> = {
    "that are a byte string": key(1),
    "without a weight": [[key(1)]],
    "of weight zero": [[key(1), new Uint8Array(0)]],
    "of a weight with a leading zero": [[key(1), new Uint8Array([0, 7])]],
    "of a weight of 17 bytes": [[key(1), key(1, 17)]],
    "with a key of 47 bytes": [[key(1, 47), weight]],
    "of which one is there twice": [
      [key(1), weight],
      [key(1), weight],
    ],
    "that do not ascend": [
      [key(2), weight],
      [key(1), weight],
    ],
  };

  it.each(Object.keys(malformed))("with next validators %s is refused", (name) => {
    const bytes = encodeRlp([encodeHeader(HEADER), [], malformed[name] as RlpItem]);
    expect(() => decodeBlock(bytes)).toThrow(expect.objectContaining({ code: "BLOCK_MALFORMED" }));
  });

  it("with more next validators than there may be is refused", () => {
    const many = Array.from({ length: MAX_VALIDATORS + 1 }, () => [key(1), weight]);
    const bytes = encodeRlp([encodeHeader(HEADER), [], many]);
    expect(() => decodeBlock(bytes)).toThrow(expect.objectContaining({ code: "BLOCK_TOO_LARGE" }));
  });

  it("has room for the most validators that a seal may name, with the largest weights", () => {
    const most = Array.from({ length: MAX_VALIDATORS }, (_, index) => ({
      id: `0x${index.toString(16).padStart(96, "0")}` as const,
      stake: 2n ** 128n - 1n,
    }));
    const block = { header: HEADER, transactions: [], nextValidators: most };
    const bytes = encodeBlock(block);
    expect(bytes.length - encodeBlock({ ...block, nextValidators: undefined }).length).toBeLessThanOrEqual(
      MAX_NEXT_VALIDATORS_BYTES,
    );
    expect(decodeBlock(bytes)).toEqual(block);
  });
});
