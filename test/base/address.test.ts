import fc from "fast-check";
import { getContractAddress, getAddress as referenceChecksum } from "viem";
import { describe, expect, it } from "vitest";
import { checksumAddress, create2Address, createAddress, parseAddress } from "../../base/address.ts";
import { bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { codeOf } from "./support/code-of.ts";

const address = fc.uint8Array({ minLength: 20, maxLength: 20 });
const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
/** The first example of EIP-55. */
const EXAMPLE = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

describe("checksumAddress and parseAddress", () => {
  it("agree with viem and with each other", () => {
    fc.assert(
      fc.property(address, (bytes) => {
        const text = checksumAddress(bytes);
        expect(text).toBe(referenceChecksum(bytesToHex(bytes)));
        expect(parseAddress(text)).toEqual(bytes);
      }),
    );
  });

  it("accept one case throughout as an address without a checksum", () => {
    const digits = EXAMPLE.slice(2);
    expect(checksumAddress(parseAddress(`0x${digits.toLowerCase()}`))).toBe(EXAMPLE);
    expect(checksumAddress(parseAddress(`0x${digits.toUpperCase()}`))).toBe(EXAMPLE);
  });

  it("refuse a checksum with any one letter in the other case", () => {
    for (let i = 2; i < EXAMPLE.length; i++) {
      const character = EXAMPLE.charAt(i);
      const other = character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();
      if (other === character) continue;
      const mistyped = EXAMPLE.slice(0, i) + other + EXAMPLE.slice(i + 1);
      expect(codeOf(() => parseAddress(mistyped))).toBe("BAD_ADDRESS");
    }
  });

  for (const text of [
    "",
    "0x",
    EXAMPLE.slice(2),
    EXAMPLE.slice(0, 41),
    `${EXAMPLE}0`,
    `${EXAMPLE.slice(0, 41)}g`,
    ` ${EXAMPLE}`,
    `${EXAMPLE}\n`,
  ]) {
    it(`refuse ${JSON.stringify(text)}`, () => expect(codeOf(() => parseAddress(text))).toBe("BAD_ADDRESS"));
  }
});

describe("addresses of new contracts", () => {
  it("agree with viem for CREATE", () => {
    fc.assert(
      fc.property(address, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (from, nonce) => {
        const expected = getContractAddress({ opcode: "CREATE", from: bytesToHex(from), nonce });
        expect(checksumAddress(createAddress(from, nonce))).toBe(expected);
      }),
    );
  });

  it("agree with viem for CREATE2", () => {
    fc.assert(
      fc.property(address, word, word, (from, salt, bytecodeHash) => {
        const expected = getContractAddress({
          opcode: "CREATE2",
          from: bytesToHex(from),
          salt,
          bytecodeHash: bytesToHex(bytecodeHash),
        });
        expect(checksumAddress(create2Address(from, salt, bytecodeHash))).toBe(expected);
      }),
    );
  });

  it("pin one known contract of each kind", () => {
    const sender = hexToBytes("0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0");
    expect(bytesToHex(createAddress(sender, 0n))).toBe("0xcd234a471b72ba2f1ccf0a70fcaba648a5eecd8d");
    // The second example of EIP-1014.
    const deployer = hexToBytes("0xdeadbeef00000000000000000000000000000000");
    const codeHash = hexToBytes("0xbc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a");
    expect(checksumAddress(create2Address(deployer, new Uint8Array(32), codeHash))).toBe(
      "0xB928f69Bb1D91Cd65274e3c79d8986362984fDA3",
    );
  });
});
