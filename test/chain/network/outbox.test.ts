import type { Stream } from "@libp2p/interface";
import { describe, expect, it } from "vitest";
import { Outbox } from "../../../chain/network/outbox.ts";

/** A peer that takes what it is told to. */
class SlowStream extends EventTarget {
  readonly sent: Uint8Array[] = [];
  writeStatus = "writable";
  writableNeedsDrain = true;
  writeBufferLength = 0;

  send(bytes: Uint8Array): boolean {
    this.sent.push(bytes);
    this.writableNeedsDrain = true;
    return false;
  }

  async drain(): Promise<void> {
    this.writableNeedsDrain = false;
    this.dispatchEvent(new Event("drain"));
    await Promise.resolve();
  }
}

function scene(maxBytes: number): { outbox: Outbox; stream: SlowStream; time: { now: number } } {
  const time = { now: 0 };
  const outbox = new Outbox(maxBytes, () => time.now);
  const stream = new SlowStream();
  outbox.attach(stream as unknown as Stream);
  return { outbox, stream, time };
}

const frame = (first: number, length = 10) => new Uint8Array(length).fill(first);

describe("what waits for a peer", () => {
  it("loses its oldest votes for newer ones, never anything else", async () => {
    const { outbox, stream } = scene(50);
    expect(outbox.push(frame(1), true)).toBe(true);
    expect(outbox.push(frame(2), false)).toBe(true);
    for (let vote = 3; vote <= 9; vote++) expect(outbox.push(frame(vote), true)).toBe(true);
    expect(outbox.bytes).toBe(50);
    expect(outbox.dropped).toBe(4);
    await stream.drain();
    const [sent] = stream.sent;
    expect([...(sent ?? [])].filter((_, i) => i % 10 === 0)).toEqual([2, 6, 7, 8, 9]);
  });

  it("takes nothing more when only what cannot be dropped waits", () => {
    const { outbox } = scene(50);
    for (let i = 0; i < 5; i++) expect(outbox.push(frame(i), false)).toBe(true);
    expect(outbox.push(frame(9), false)).toBe(false);
    expect(outbox.push(frame(9), true)).toBe(false);
    expect(outbox.bytes).toBe(50);
  });

  it("leaves together when it is small, alone when it is large", async () => {
    const { outbox, stream } = scene(1_000_000);
    outbox.push(frame(1), true);
    outbox.push(frame(2), true);
    outbox.push(frame(3, 100_000), false);
    outbox.push(frame(4), true);
    for (let i = 0; i < 3; i++) await stream.drain();
    expect(stream.sent.map(({ length }) => length)).toEqual([20, 100_000, 10]);
    expect(outbox.bytes).toBe(0);
  });

  it("is stuck from the last time that the peer took something", async () => {
    const { outbox, stream, time } = scene(1_000_000);
    expect(outbox.stuckFor(5)).toBe(0);
    outbox.push(frame(1, 100_000), false);
    outbox.push(frame(2, 100_000), false);
    time.now = 100;
    expect(outbox.stuckFor(time.now)).toBe(100);
    await stream.drain();
    expect(outbox.stuckFor(time.now)).toBe(0);
    time.now = 250;
    expect(outbox.stuckFor(time.now)).toBe(150);
    await stream.drain();
    expect(outbox.stuckFor(time.now)).toBe(0);
  });
});
