import { describe, expect, test as it } from "vitest";
import { concatBytes } from "../../../base/bytes.ts";
import { FrameGatherer } from "../../../chain/network/frame-gatherer.ts";
import { MAX_GATHERED_BYTES, MAX_STREAMS, WINDOW_STEP } from "../../../chain/network/limits.ts";

const DATA = 0;
const WINDOW_UPDATE = 1;
const PING = 2;
const FIN = 4;

/** A frame as yamux's specification has it. */
function frame(type: number, flags: number, stream: number, length: number): Uint8Array {
  const bytes = new Uint8Array(12 + (type === DATA ? length : 0)).fill(stream);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, type);
  view.setUint16(2, flags);
  view.setUint32(4, stream);
  view.setUint32(8, length);
  return bytes;
}

/** What was written, and the end of the turn. */
function connection(hasRoom = true) {
  const written: Uint8Array[] = [];
  const turn: (() => void)[] = [];
  const gatherer = new FrameGatherer({
    write: (frames) => {
      written.push(frames);
      return hasRoom;
    },
    later: (flush) => turn.push(flush),
  });
  const endTurn = (): void => {
    for (const flush of turn.splice(0)) flush();
  };
  return { gatherer, written, endTurn };
}

describe("frames of one turn", () => {
  it("with data go out in one write, in order", () => {
    const { gatherer, written, endTurn } = connection();
    const frames = [frame(DATA, 0, 1, 100), frame(DATA, 0, 3, 5), frame(DATA, 0, 1, 7)];
    for (const each of frames) expect(gatherer.send(each)).toBe(true);
    expect(written).toEqual([]);
    endTurn();
    expect(written).toEqual([concatBytes(...frames)]);
    endTurn();
    gatherer.send(frame(DATA, 0, 5, 1));
    endTurn();
    expect(written).toHaveLength(2);
  });

  it("that open or close something go out at once, after what waits", () => {
    for (const urgent of [
      frame(DATA, 1, 1, 3),
      frame(WINDOW_UPDATE, FIN, 1, 0),
      frame(PING, 1, 0, 9),
      frame(3, 0, 0, 0),
    ]) {
      const { gatherer, written, endTurn } = connection();
      const before = frame(DATA, 0, 1, 10);
      gatherer.send(before);
      gatherer.send(urgent);
      expect(written).toEqual([concatBytes(before, urgent)]);
      endTurn();
      expect(written).toHaveLength(1);
    }
  });

  it("do not wait beyond the bound, and then it shows that the connection is full", () => {
    const { gatherer, written } = connection(false);
    expect(gatherer.send(frame(DATA, 0, 1, 100))).toBe(true);
    expect(gatherer.send(frame(DATA, 0, 1, MAX_GATHERED_BYTES))).toBe(false);
    expect(written).toHaveLength(1);
  });
});

describe("openings of a window", () => {
  const opening = (stream: number, bytes: number): Uint8Array => frame(WINDOW_UPDATE, 0, stream, bytes);

  it("are added up by stream, and none is lost", () => {
    const { gatherer, written, endTurn } = connection();
    const given = new Map<number, number>();
    for (let i = 0; i < 10_000; i++) {
      const stream = 1 + (i % 3);
      const bytes = 1 + ((i * 7_919) % 500);
      given.set(stream, (given.get(stream) ?? 0) + bytes);
      gatherer.send(opening(stream, bytes));
      endTurn();
    }
    const told = new Map<number, number>();
    for (const bytes of written) {
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      expect([bytes.length, view.getUint8(1), view.getUint16(2)]).toEqual([12, WINDOW_UPDATE, 0]);
      expect(view.getUint32(8)).toBeGreaterThanOrEqual(WINDOW_STEP);
      told.set(view.getUint32(4), (told.get(view.getUint32(4)) ?? 0) + view.getUint32(8));
    }
    for (const [stream, bytes] of given) {
      const missing = bytes - (told.get(stream) ?? 0);
      expect(missing).toBeGreaterThanOrEqual(0);
      expect(missing).toBeLessThan(WINDOW_STEP);
    }
  });

  it("with a flag pass as they are", () => {
    const { gatherer, written } = connection();
    const accepted = frame(WINDOW_UPDATE, 2, 1, 10);
    gatherer.send(accepted);
    expect(written).toEqual([accepted]);
  });

  it("of streams beyond the bound are not held back, so that streams that vanish take no memory", () => {
    const { gatherer, written, endTurn } = connection();
    for (let stream = 1; stream <= 2 * MAX_STREAMS; stream++) gatherer.send(opening(stream, 1));
    endTurn();
    expect(written).toEqual([]);
    const beyond = opening(1_000, 1);
    gatherer.send(beyond);
    endTurn();
    expect(written).toEqual([beyond]);
    // A stream that ends makes room.
    gatherer.send(frame(WINDOW_UPDATE, FIN, 1, 0));
    gatherer.send(opening(1_001, 1));
    endTurn();
    expect(written).toHaveLength(2);
  });
});
