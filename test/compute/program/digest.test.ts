import { createHash } from "node:crypto";
import { type Hex, stringToHex, toRlp } from "viem";
import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { tileDigest, UNAVAILABLE } from "../../../compute/program/digest.ts";

function sha256(bytes: Uint8Array | string): Hex {
  return `0x${createHash("sha256").update(bytes).digest("hex")}`;
}

describe("the digest of a tile", () => {
  const address = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
  const tag = stringToHex("OpenGPU/TILE");

  it("is the hash of its place and its contents' addresses, in the order of buffers", () => {
    const addresses = new Map([
      [7, address(7)],
      [2, address(2)],
    ]);
    const list = [2, 7].map((buffer): Hex[] => [`0x0${buffer}`, bytesToHex(address(buffer))]);
    const expected = toRlp([tag, "0x012c", "0x05", "0x", list], "bytes");
    expect(bytesToHex(tileDigest(300, 5, { kind: "done", addresses }))).toBe(sha256(expected));
  });

  it("says of a trap only where it is", () => {
    const expected = toRlp([tag, "0x03", "0x", "0x01"], "bytes");
    expect(bytesToHex(tileDigest(3, 0, { kind: "trap" }))).toBe(sha256(expected));
  });

  it("of what nobody could get is one for all", () => {
    expect(bytesToHex(UNAVAILABLE)).toBe(sha256("OpenGPU/UNAVAILABLE"));
  });
});
