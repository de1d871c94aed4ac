import fc from "fast-check";
import { decode as referenceDecode, encode as referenceEncode } from "rlp";
import { describe, expect, it } from "vitest";
import { bytesToHex, concatBytes, equalBytes, hexToBytes } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import {
  decodeRlp,
  encodeRlp,
  RLP_MAX_DEPTH,
  type RlpItem,
  rlpBytes,
  rlpInteger,
  rlpList,
  rlpOfInteger,
} from "../../base/rlp.ts";
import { codeOf } from "./support/code-of.ts";

const bytesOf = (hex: string): Uint8Array => hexToBytes(`0x${hex}`);

/** Byte strings of all the lengths where the encoding changes, and lists of lists. */
const itemArbitrary: fc.Arbitrary<RlpItem> = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.uint8Array({ minLength: 50, maxLength: 60 }),
      fc.uint8Array({ minLength: 250, maxLength: 260 }),
    ),
    fc.array(tie("item"), { maxLength: 6 }),
  ),
})).item;

function nested(depth: number): Uint8Array {
  let bytes: Uint8Array = new Uint8Array(0);
  for (let i = 0; i < depth; i++) {
    const length = bytes.length;
    const header = length < 56 ? [0xc0 + length] : length < 256 ? [0xf8, length] : [0xf9, length >> 8, length & 0xff];
    bytes = concatBytes(new Uint8Array(header), bytes);
  }
  return bytes;
}

describe("encodeRlp and decodeRlp", () => {
  it("give back what was encoded", () => {
    fc.assert(
      fc.property(itemArbitrary, (item) => {
        expect(decodeRlp(encodeRlp(item))).toEqual(item);
      }),
    );
  });

  it("agree with the rlp package", () => {
    fc.assert(
      fc.property(itemArbitrary, (item) => {
        const encoded = encodeRlp(item);
        expect(bytesToHex(encoded)).toBe(bytesToHex(referenceEncode(item as never)));
        expect(decodeRlp(encoded)).toEqual(referenceDecode(encoded));
      }),
    );
  });

  it("write the long forms at the lengths where they begin", () => {
    for (const length of [0, 1, 55, 56, 255, 256, 65_535, 65_536, 2 ** 24 - 1, 2 ** 24]) {
      const item = new Uint8Array(length).fill(0x80);
      const encoded = encodeRlp([item]);
      const [decoded] = rlpList(decodeRlp(encoded), 1);
      expect(rlpBytes(decoded as RlpItem, length).length).toBe(length);
      expect(bytesToHex(encoded.subarray(0, 12))).toBe(bytesToHex(referenceEncode([item]).subarray(0, 12)));
    }
  });

  it("either refuse mutated bytes or read them as their only encoding", () => {
    const mutation = fc.record({ at: fc.nat(), value: fc.integer({ min: 0, max: 255 }), cut: fc.nat({ max: 3 }) });
    let refused = 0;
    let accepted = 0;
    fc.assert(
      fc.property(itemArbitrary, fc.array(mutation, { minLength: 1, maxLength: 3 }), (item, mutations) => {
        let bytes = encodeRlp(item).slice();
        for (const { at, value, cut } of mutations) {
          if (bytes.length > 0) bytes[at % bytes.length] = value;
          bytes = bytes.slice(0, Math.max(0, bytes.length - cut));
        }
        const code = codeOf(() => decodeRlp(bytes));
        if (code === undefined) {
          accepted++;
          expect(equalBytes(encodeRlp(decodeRlp(bytes)), bytes)).toBe(true);
        } else {
          refused++;
          expect(code).toBe("RLP_INVALID");
        }
      }),
      { numRuns: 10_000 },
    );
    expect(refused).toBeGreaterThan(100);
    expect(accepted).toBeGreaterThan(100);
  });

  it("either refuse arbitrary short bytes or read them as their only encoding", () => {
    for (let value = 0; value < 0x1_0000; value++) {
      const bytes = new Uint8Array([value >> 8, value & 0xff]);
      if (codeOf(() => decodeRlp(bytes)) !== undefined) continue;
      if (!equalBytes(encodeRlp(decodeRlp(bytes)), bytes)) expect.fail(bytesToHex(bytes));
    }
  });
});

describe("decodeRlp", () => {
  const malformed: Readonly<Record<string, string>> = {
    "empty input": "",
    "bytes after the item": "8000",
    "bytes after a list": "c000",
    "a single byte below 0x80 with a prefix": "8100",
    "a single byte 0x7f with a prefix": "817f",
    "a short string in the long form": `b837${"00".repeat(55)}`,
    "a short list in the long form": `f837${"00".repeat(55)}`,
    "a length with a leading zero": `b90038${"00".repeat(56)}`,
    "a list length with a leading zero": `f90038${"00".repeat(56)}`,
    "a string that is cut off": "83aabb",
    "a list that is cut off": "c3aabb",
    "a string longer than the list that holds it": "c2830102",
    "a long string longer than the list that holds it": `f83ab83a${"00".repeat(56)}`,
    "a length that is cut off": "b9ff",
    "a list length that is cut off": "f9ff",
    "a prefix with no length at all": "bf",
    "a string of 2^31 bytes": "bb80000000",
    "a list of 2^31 bytes": "fb80000000",
    "a string of 2^32 bytes": "bc0100000000",
    "a string of 2^64 - 1 bytes": "bfffffffffffffffff",
    "a list of 2^64 - 1 bytes": "ffffffffffffffffff",
  };
  for (const [what, hex] of Object.entries(malformed)) {
    it(`refuses ${what}`, () => expect(codeOf(() => decodeRlp(bytesOf(hex)))).toBe("RLP_INVALID"));
  }

  it("reads lists up to the limit of depth and refuses one more", () => {
    expect(codeOf(() => decodeRlp(nested(RLP_MAX_DEPTH)))).toBeUndefined();
    expect(codeOf(() => decodeRlp(nested(RLP_MAX_DEPTH + 1)))).toBe("RLP_INVALID");
  });

  it("survives a megabyte of nested lists", () => {
    const hostile = new Uint8Array(1_000_000).fill(0xc1);
    hostile[hostile.length - 1] = 0xc0;
    expect(codeOf(() => decodeRlp(hostile))).toBe("RLP_INVALID");
    expect(codeOf(() => decodeRlp(nested(20_000)))).toBe("RLP_INVALID");
  });

  it("reads a very long list", () => {
    const long = encodeRlp(Array.from({ length: 200_000 }, () => new Uint8Array([1])));
    expect(rlpList(decodeRlp(long)).length).toBe(200_000);
  });

  it("gives views into the input, not copies", () => {
    const bytes = encodeRlp([new Uint8Array([0x81, 0x82])]);
    const view = rlpBytes(rlpList(decodeRlp(bytes))[0] as RlpItem);
    expect(view.buffer).toBe(bytes.buffer);
  });

  it("gives plain Uint8Arrays for a Buffer, whose own views would not copy on slice()", () => {
    const item = rlpBytes(decodeRlp(Buffer.from("83010203", "hex")));
    expect(item.constructor).toBe(Uint8Array);
    expect(item).toEqual(new Uint8Array([1, 2, 3]));
  });

  it("reads the part of a larger buffer that it is given", () => {
    const part = new Uint8Array([9, 9, 0x82, 0x80, 0x81, 9]).subarray(2, 5);
    expect(decodeRlp(part)).toEqual(new Uint8Array([0x80, 0x81]));
  });
});

describe("the typed readers", () => {
  it("give lists and byte strings of the length asked for", () => {
    expect(rlpList([new Uint8Array(1)], 1)).toHaveLength(1);
    expect(rlpBytes(new Uint8Array(20), 20)).toHaveLength(20);
    expect(codeOf(() => rlpList([], 1))).toBe("RLP_INVALID");
    expect(codeOf(() => rlpList(new Uint8Array(1)))).toBe("RLP_INVALID");
    expect(codeOf(() => rlpBytes(new Uint8Array(19), 20))).toBe("RLP_INVALID");
    expect(codeOf(() => rlpBytes([]))).toBe("RLP_INVALID");
  });

  it("round-trip every unsigned integer", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
        expect(rlpInteger(rlpOfInteger(value), 32)).toBe(value);
      }),
    );
    expect(rlpOfInteger(0n)).toEqual(new Uint8Array(0));
    expect(rlpInteger(rlpOfInteger(2n ** 256n - 1n), 32)).toBe(2n ** 256n - 1n);
  });

  it("refuse integers with leading zeros, too long ones and lists", () => {
    expect(codeOf(() => rlpInteger(new Uint8Array([0]), 8))).toBe("RLP_INVALID");
    expect(codeOf(() => rlpInteger(new Uint8Array([0, 1]), 8))).toBe("RLP_INVALID");
    expect(codeOf(() => rlpInteger(new Uint8Array(9).fill(1), 8))).toBe("RLP_INVALID");
    expect(codeOf(() => rlpInteger([], 8))).toBe("RLP_INVALID");
  });

  it("say what they found in the error's data", () => {
    try {
      rlpInteger(new Uint8Array(9).fill(1), 8);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(CodedError);
      expect((error as CodedError).data).toEqual({ maxBytes: 8, found: 9 });
    }
  });
});

describe("encodeRlp", () => {
  it("does not write what decodeRlp would refuse", () => {
    let item: RlpItem = [];
    for (let i = 1; i < RLP_MAX_DEPTH; i++) item = [item];
    expect(decodeRlp(encodeRlp(item))).toEqual(item);
    expect(() => encodeRlp([item])).toThrow("invariant");
    expect(() => rlpOfInteger(-1n)).toThrow("invariant");
  });
});
