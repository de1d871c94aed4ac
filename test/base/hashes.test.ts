import { sha256 as referenceSha256 } from "@noble/hashes/sha2.js";
import { keccak_256 as referenceKeccak } from "@noble/hashes/sha3.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToHex, utf8 } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { Prng } from "../../base/prng.ts";
import { sha256 } from "../../base/sha256.ts";

const hashes = [
  { name: "keccak256", hash: keccak256, reference: referenceKeccak, block: 136 },
  { name: "sha256", hash: sha256, reference: referenceSha256, block: 64 },
];

for (const { name, hash, reference, block } of hashes) {
  describe(name, () => {
    it("agrees with noble on any bytes", () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
          expect(bytesToHex(hash(bytes))).toBe(bytesToHex(reference(bytes)));
        }),
        { numRuns: 1000 },
      );
    });

    it("agrees with noble around block ends and the size of its working memory", () => {
      const random = new Prng(name);
      for (const middle of [0, block, 2 * block, 16 * 1024, 32 * 1024, 1_000_000]) {
        for (let length = Math.max(0, middle - 2); length <= middle + 2; length++) {
          const bytes = random.bytes(length);
          expect(bytesToHex(hash(bytes))).toBe(bytesToHex(reference(bytes)));
        }
      }
    });

    it("gives a result that later calls do not change", () => {
      const first = hash(utf8("first"));
      const copy = first.slice();
      const second = hash(utf8("second"));
      expect(first).toEqual(copy);
      expect(second).not.toEqual(first);
      expect(first.buffer.byteLength).toBe(32);
    });

    it("hashes the part of a larger buffer that it is given", () => {
      const whole = new Prng("part").bytes(100);
      expect(hash(whole.subarray(7, 50))).toEqual(reference(whole.slice(7, 50)));
      expect(hash(Buffer.from(whole.buffer, 7, 43))).toEqual(reference(whole.slice(7, 50)));
    });

    it("is right again after a call that failed", () => {
      expect(() => hash(undefined as never)).toThrow();
      expect(hash(utf8("next"))).toEqual(reference(utf8("next")));
    });
  });
}

it("keccak256 of nothing is the hash of empty code", () => {
  expect(bytesToHex(keccak256(new Uint8Array(0)))).toBe(
    "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
  );
});
