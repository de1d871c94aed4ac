import { sha256 } from "@noble/hashes/sha2.js";
import fc from "fast-check";
import { describe, expect, test as it } from "vitest";
import { concatBytes } from "../../base/bytes.ts";
import { hashPairs, hashPairsPortable } from "../../base/hash-pairs.ts";

const pairs = fc.nat(70).chain((count) => fc.uint8Array({ minLength: count * 64, maxLength: count * 64 }));

describe("hashPairs", () => {
  it("gives SHA-256 of each 64 bytes, by the native hasher as by the portable one", () => {
    fc.assert(
      fc.property(pairs, (input) => {
        const parts = Array.from({ length: input.length / 64 }, (_, i) => sha256(input.subarray(i * 64, i * 64 + 64)));
        const expected = concatBytes(...parts);
        expect(hashPairs(input)).toEqual(expected);
        expect(hashPairsPortable(input)).toEqual(expected);
      }),
    );
  });

  it("writes into the array it is given", () => {
    const output = new Uint8Array(64);
    expect(hashPairs(new Uint8Array(128), output)).toBe(output);
    expect(output.subarray(0, 32)).toEqual(sha256(new Uint8Array(64)));
  });

  it("refuses lengths that do not fit", () => {
    expect(() => hashPairs(new Uint8Array(65))).toThrow("64 bytes each");
    expect(() => hashPairs(new Uint8Array(64), new Uint8Array(31))).toThrow("64 bytes each");
  });
});
