import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { concatBytes } from "../../../base/bytes.ts";
import { CodedError } from "../../../base/errors.ts";
import { FrameReader, frameOf } from "../../../chain/network/frames.ts";

describe("frames", () => {
  it("come out whole however they were cut", () => {
    const messages = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 10 });
    const cuts = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(messages, cuts, (sent, sizes) => {
        const bytes = concatBytes(...sent.map(frameOf));
        const reader = new FrameReader(300);
        const received: Uint8Array[] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          received.push(...reader.push(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(received).toEqual(sent);
        expect(reader.buffered).toBe(0);
      }),
    );
  });

  it.each([0, 301, 0xffff_ffff])("of length %d are refused, before their bytes come", (length) => {
    const header = new Uint8Array(4);
    new DataView(header.buffer).setUint32(0, length);
    const read = () => [...new FrameReader(300).push(header)];
    expect(read).toThrow(CodedError);
    expect(read).toThrow("impossible length");
  });

  it("keep what came of them, byte by byte", () => {
    const reader = new FrameReader(10_000_000);
    const frame = frameOf(new Uint8Array(9_000_000));
    for (let i = 0; i < 5_000; i++) expect([...reader.push(frame.subarray(i, i + 1))]).toEqual([]);
    expect(reader.buffered).toBe(5_000);
  });

  it("have memory of their own, of their own length", () => {
    const chunk = concatBytes(frameOf(Uint8Array.of(1, 2)), new Uint8Array(100_000));
    const [message] = new FrameReader(200_000).push(chunk.subarray(0, 6));
    expect(message?.buffer.byteLength).toBe(2);
    chunk.fill(9);
    expect(message).toEqual(Uint8Array.of(1, 2));
  });
});
