import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LaneReader, LaneWriter, laneMemory, type Portion } from "../../../rpc/thread/lane.ts";
import { LoopReader } from "../../../rpc/thread/loop-reader.ts";

const LANE = new URL("../../../dist/rpc/thread/lane.js", import.meta.url).href;

function lane(bytes = 256): { readonly writer: LaneWriter; readonly reader: LaneReader } {
  const memory = laneMemory(bytes);
  return { writer: new LaneWriter(memory), reader: new LaneReader(memory) };
}

function notes(reader: LaneReader, portion?: Portion): [number, number[]][] {
  const read: [number, number[]][] = [];
  reader.read((id, bytes) => read.push([id, [...bytes]]), portion);
  return read;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a lane between threads", () => {
  it("brings notes whole and in order, whatever is written and read when", () => {
    const step = fc.oneof(
      fc.record({ parts: fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 3 }) }),
      fc.record({ atMost: fc.integer({ min: 1, max: 5 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { writer, reader } = lane(256);
        const waiting: [number, number[]][] = [];
        let id = 0xffff_fff0;
        for (const next of steps) {
          if ("atMost" in next) expect(notes(reader, { notes: next.atMost })).toEqual(waiting.splice(0, next.atMost));
          else if (writer.write(id, ...next.parts)) {
            waiting.push([id, next.parts.flatMap((part) => [...part])]);
            id = (id + 1) >>> 0;
          }
        }
        expect(notes(reader)).toEqual(waiting);
      }),
    );
  });

  it("has room again for what was read, and none for more than it holds", () => {
    const { writer, reader } = lane(64);
    for (let round = 0; round < 100; round++) {
      expect(writer.write(round, new Uint8Array(16))).toBe(true);
      expect(writer.write(round, new Uint8Array(16))).toBe(true);
      expect(writer.write(round, new Uint8Array(16))).toBe(false);
      expect(notes(reader).map(([id]) => id)).toEqual([round, round]);
    }
    expect(writer.write(0, new Uint8Array(57))).toBe(false);
    expect(() => laneMemory(100)).toThrow(RangeError);
  });

  it("wakes the reader once, and only when it sleeps", () => {
    const { writer, reader } = lane();
    writer.write(1);
    // Nobody has read yet.
    expect([writer.takesWaking(), writer.takesWaking()]).toEqual([true, false]);
    expect(reader.sleep()).toBe(false);
    expect(writer.takesWaking()).toBe(false);
    notes(reader);
    expect(reader.sleep()).toBe(true);
    writer.write(2);
    expect([writer.takesWaking(), writer.takesWaking()]).toEqual([true, false]);
  });

  it("goes past a note whose reader fails", () => {
    const { writer, reader } = lane();
    writer.write(1);
    writer.write(2);
    expect(() =>
      reader.read((id) => {
        throw new Error(`note ${id}`);
      }),
    ).toThrow("note 1");
    expect(notes(reader)).toEqual([[2, []]]);
  });

  it("loses nothing between two threads that sleep and wake each other", async () => {
    const [there, back] = [laneMemory(1024), laneMemory(1024)];
    const program = `
      const { workerData: { there, back } } = require("node:worker_threads");
      import(${JSON.stringify(LANE)}).then(({ LaneReader, LaneWriter }) => {
        const [reader, writer] = [new LaneReader(there), new LaneWriter(back)];
        for (let left = 20000; left > 0; ) {
          reader.wait();
          left -= reader.read((id, bytes) => {
            while (!writer.write(id, bytes.slice()));
            writer.wake();
          });
        }
      });`;
    const worker = new Worker(program, { eval: true, workerData: { there, back } });
    const [writer, reader] = [new LaneWriter(there), new LaneReader(back)];
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    await new Promise((resolve) => worker.once("online", resolve));
    let [sent, heard] = [0, 0];
    while (heard < 20_000) {
      // Now one at a time, so that both sleep, now as many as there is room for.
      const burst = sent % 7 === 0 ? 1 : 40;
      for (let i = 0; i < burst && sent < 20_000; i++, sent++) {
        if (!writer.write(sent, Uint8Array.of(sent & 0xff, sent >> 8))) break;
        writer.wake();
      }
      if (!reader.wait(10_000)) throw new Error(`nothing came after ${heard} of ${sent}`);
      reader.read((id, bytes) => {
        if (id !== heard || bytes[0] !== (id & 0xff) || bytes[1] !== id >> 8) throw new Error(`${id} after ${heard}`);
        heard++;
      });
    }
    await ended;
    expect([sent, heard]).toEqual([20_000, 20_000]);
  });
});

describe("the reader of a lane on an event loop", () => {
  it("looks in every turn until one brings nothing, and is then to be woken", async () => {
    const { writer, reader } = lane();
    const read: number[] = [];
    const loop = new LoopReader(reader, (id) => read.push(id));
    writer.write(1);
    expect(writer.takesWaking()).toBe(true);
    loop.look();
    writer.write(2);
    expect(writer.takesWaking()).toBe(false);
    await turn();
    expect(read).toEqual([1, 2]);
    await turn();
    writer.write(3);
    expect(writer.takesWaking()).toBe(true);
    loop.look();
    expect(read).toEqual([1, 2, 3]);
  });

  it("lets others have their turn after some, and reads nothing once it is closed", async () => {
    const { writer, reader } = lane();
    const read: number[] = [];
    const loop = new LoopReader(
      reader,
      (id) => read.push(id),
      () => ({ notes: 2 }),
    );
    for (let id = 0; id < 5; id++) writer.write(id);
    loop.look();
    expect(read).toEqual([0, 1]);
    await turn();
    expect(read).toEqual([0, 1, 2, 3]);
    loop.close();
    await turn();
    expect(read).toEqual([0, 1, 2, 3]);
  });
});
