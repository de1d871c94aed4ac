import { concatHex, keccak256, numberToHex, stringToHex } from "viem";
import { describe, expect, it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import { fieldSlot, slotOf } from "../../../vm/modules/storage.ts";

const word = (value: bigint): Hex => numberToHex(value, { size: 32 });

describe("the slots of modules", () => {
  it("are the hash of the keys, each after its length", () => {
    const operator = "0x00112233445566778899aabbccddeeff00112233";
    const expected = keccak256(
      concatHex(["0x06", stringToHex("things"), "0x14", operator, "0x20", word(7n), "0x04", stringToHex("name")]),
    );
    expect(slotOf("things", operator, 7, "name")).toBe(expected);
    expect(slotOf("things", operator, 7n, "name")).toBe(expected);
  });

  it("are the same for long keys and after them", () => {
    const long: Hex = `0x${"ab".repeat(5_000)}`;
    const expected = keccak256(concatHex(["0x01", stringToHex("a"), numberToHex(5_000 % 256, { size: 1 }), long]));
    const short = slotOf("a", 1);
    expect(slotOf("a", long)).toBe(expected);
    expect(slotOf("a", 1)).toBe(short);
  });

  it("follow each other, whatever carries", () => {
    const bases = [0n, 1n, 2n ** 48n - 2n, 2n ** 48n - 1n, 2n ** 256n - 2n, 2n ** 200n + 2n ** 48n - 3n];
    for (const base of bases) {
      for (const offset of [0, 1, 2, 3, 40_000]) {
        expect(fieldSlot(word(base), offset)).toBe(word((base + BigInt(offset)) % 2n ** 256n));
      }
    }
  });
});
