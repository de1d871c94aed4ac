import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bigintToBytes,
  bytes32,
  bytesToBigint,
  bytesToHex,
  compareBytes,
  concatBytes,
  equalBytes,
  hexToBytes,
  padLeft,
  stripLeadingZeros,
  utf8,
} from "../../base/bytes.ts";
import { codeOf } from "./support/code-of.ts";

describe("hexadecimal text", () => {
  it("round-trips any bytes, in either case", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const hex = bytesToHex(bytes);
        expect(hex).toBe(`0x${Buffer.from(bytes).toString("hex")}`);
        expect(hexToBytes(hex)).toEqual(bytes);
        expect(hexToBytes(`0x${hex.slice(2).toUpperCase()}`)).toEqual(bytes);
      }),
    );
  });

  for (const text of [
    "",
    "0",
    "12",
    "0x1",
    "0xg0",
    "0x0g",
    "0X00",
    "0x 0",
    "0x/0",
    "0x:0",
    "0x@0",
    "0x`0",
    "0x\u0661\u0661",
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(codeOf(() => hexToBytes(text))).toBe("BAD_HEX"));
  }
});

describe("integers as bytes", () => {
  it("round-trip in their shortest form", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 300n }), (value) => {
        const bytes = bigintToBytes(value);
        expect(bytesToBigint(bytes)).toBe(value);
        expect(bytes[0]).not.toBe(0);
        expect(bytesToBigint(concatBytes(new Uint8Array(3), bytes))).toBe(value);
      }),
    );
  });

  it("take every length from 0 to 33 bytes", () => {
    for (let length = 0; length <= 33; length++) {
      expect(bytesToBigint(new Uint8Array(length).fill(0xff))).toBe(256n ** BigInt(length) - 1n);
    }
  });

  it("fill 32 bytes, and refuse what does not fit", () => {
    expect(bytesToHex(bytes32(1n))).toBe(`0x${"00".repeat(31)}01`);
    expect(codeOf(() => bytes32(2n ** 256n))).toBe("TOO_LONG");
    expect(codeOf(() => padLeft(new Uint8Array(5), 4))).toBe("TOO_LONG");
    expect(stripLeadingZeros(bytes32(258n))).toEqual(new Uint8Array([1, 2]));
    expect(stripLeadingZeros(new Uint8Array(4))).toHaveLength(0);
  });
});

describe("comparison", () => {
  it("orders as Buffer.compare does", () => {
    const short = fc.uint8Array({ maxLength: 4, max: 3 });
    fc.assert(
      fc.property(short, short, (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(a, b));
        expect(equalBytes(a, b)).toBe(Buffer.compare(a, b) === 0);
      }),
    );
  });

  it("encodes text as UTF-8", () => {
    expect(bytesToHex(utf8("oGPU €"))).toBe("0x6f47505520e282ac");
  });
});
