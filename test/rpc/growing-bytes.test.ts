import { expect, it } from "vitest";
import { Prng } from "../../base/prng.ts";
import { GrowingBytes } from "../../rpc/growing-bytes.ts";

it("holds what was added and not dropped, in whatever pieces it comes", () => {
  const prng = new Prng("pieces");
  const growing = new GrowingBytes();
  let expected = Buffer.alloc(0);
  for (let round = 0; round < 2_000; round++) {
    const piece = Buffer.from(Array.from({ length: prng.below(40) }, () => prng.below(256)));
    growing.add(Buffer.from(piece));
    expected = Buffer.concat([expected, piece]);
    if (prng.below(4) === 0) {
      const count = prng.below(expected.length + 1);
      growing.drop(count);
      expected = expected.subarray(count);
    }
    expect(growing.bytes.equals(expected)).toBe(true);
    expect(growing.length).toBe(expected.length);
  }
});

it("copies a body that comes byte by byte a few times, not once for each byte", () => {
  const growing = new GrowingBytes();
  const rooms = new Set<ArrayBufferLike>();
  for (let i = 0; i < 65_536; i++) {
    growing.add(Buffer.from([i & 0xff]));
    if (i > 0) rooms.add(growing.bytes.buffer);
  }
  expect(growing.bytes[65_535]).toBe(255);
  expect(rooms.size).toBeLessThan(20);
});

it("leaves a piece that it was given as it is", () => {
  const growing = new GrowingBytes();
  const piece = Buffer.from("abcdef");
  growing.add(piece.subarray(0, 3));
  growing.add(Buffer.from("xyz"));
  expect(piece.toString()).toBe("abcdef");
  expect(growing.bytes.toString()).toBe("abcxyz");
});
