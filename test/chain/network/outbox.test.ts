import type { Stream } from "@libp2p/interface";
import { describe, expect, it } from "vitest";
import { Outbox } from "../../../chain/network/outbox.ts";
import { OutgoingBytes } from "../../../chain/network/outgoing-bytes.ts";

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

interface Scene {
  readonly outbox: Outbox;
  readonly stream: SlowStream;
  readonly time: { now: number };
  readonly all: OutgoingBytes;
}

function scene(maxBytes: number, all: OutgoingBytes = new OutgoingBytes()): Scene {
  const time = { now: 0 };
  const outbox = new Outbox(maxBytes, () => time.now, all);
  const stream = new SlowStream();
  outbox.attach(stream as unknown as Stream);
  return { outbox, stream, time, all };
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

  it("counts once for all peers that wait for the same frame, until the last has taken it", async () => {
    const all = new OutgoingBytes();
    const [first, second] = [scene(1_000, all), scene(1_000, all)];
    const shared = frame(1, 100);
    for (const { outbox } of [first, second]) expect(outbox.push(shared, false)).toBe(true);
    expect(all.bytes).toBe(100);
    first.outbox.push(frame(2), true);
    expect(all.bytes).toBe(110);
    first.stream.writeBufferLength = 110;
    await first.stream.drain();
    expect(all.bytes).toBe(110);
    first.outbox.close();
    expect(all.bytes).toBe(100);
    second.outbox.close();
    expect(all.bytes).toBe(0);
  });

  it("is counted while the stream has it, and no longer", async () => {
    const { outbox, stream, all } = scene(1_000);
    outbox.push(frame(1, 100), false);
    const send = stream.send.bind(stream);
    stream.send = (bytes) => {
      stream.writeBufferLength = bytes.length;
      return send(bytes);
    };
    await stream.drain();
    expect(stream.sent).toHaveLength(1);
    expect(all.bytes).toBe(100);
    stream.writeBufferLength = 0;
    stream.dispatchEvent(new Event("idle"));
    await Promise.resolve();
    expect(all.bytes).toBe(0);
  });

  it("gives back what it counted for votes that it drops", () => {
    const { outbox, all } = scene(50);
    for (let vote = 0; vote < 20; vote++) outbox.push(frame(vote), true);
    expect(all.bytes).toBe(50);
    outbox.close();
    expect(all.bytes).toBe(0);
  });
});
