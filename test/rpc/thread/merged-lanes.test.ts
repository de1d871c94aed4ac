import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LaneReader, LaneWriter, laneMemory, type Portion } from "../../../rpc/thread/lane.ts";
import { MergedLanes } from "../../../rpc/thread/merged-lanes.ts";

function lanes(count: number, bytes = 1024): { writers: LaneWriter[]; merged: MergedLanes } {
  const memories = Array.from({ length: count }, () => laneMemory(bytes));
  return {
    writers: memories.map((memory) => new LaneWriter(memory)),
    merged: new MergedLanes(memories.map((memory) => new LaneReader(memory))),
  };
}

function readAll(merged: MergedLanes, portion?: Portion): number[] {
  const ids: number[] = [];
  const notes = merged.read((id, bytes) => {
    expect([...bytes]).toEqual([id & 0xff]);
    ids.push(id);
  }, portion);
  expect(notes).toBe(ids.length);
  return ids;
}

const write = (writer: LaneWriter | undefined, id: number): boolean => writer?.write(id, Uint8Array.of(id)) === true;

describe("lanes that are numbered together", () => {
  it("are read in the order of the numbers, whatever the order of writing", () => {
    const dealing = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(dealing, fc.integer(), (dealt, salt) => {
        const { writers, merged } = lanes(3, 128);
        const queues: number[][] = [[], [], []];
        for (const [id, lane] of dealt.entries()) queues[lane]?.push(id);
        const seen: number[] = [];
        // Each writer keeps its own order; between writers, and with the reader, anything may come first.
        for (let step = 0; seen.length < dealt.length; step++) {
          const lane = Math.abs((salt ^ (step * 2_654_435_761)) >> 7) % 4;
          const queue = queues[lane];
          if (queue === undefined) seen.push(...readAll(merged, { notes: 1 + (step % 5) }));
          else if (queue.length > 0 && write(writers[lane], queue[0] as number)) queue.shift();
          if (step % 7 === 0) seen.push(...readAll(merged));
        }
        expect(seen).toEqual(dealt.map((_, id) => id));
      }),
    );
  });

  it("are asleep while what there is waits for another lane's, whose writer wakes the reader", () => {
    const { writers, merged } = lanes(2);
    expect(merged.sleep()).toBe(true);
    expect(write(writers[1], 1)).toBe(true);
    expect(writers[1]?.takesWaking()).toBe(true);
    expect(readAll(merged)).toEqual([]);
    expect(merged.sleep()).toBe(true);
    expect(write(writers[0], 0)).toBe(true);
    expect(writers[0]?.takesWaking()).toBe(true);
    expect(merged.sleep()).toBe(false);
    expect(readAll(merged)).toEqual([0, 1]);
    expect(merged.sleep()).toBe(true);
  });

  it("are read no further once enough bytes of them are", () => {
    const { writers, merged } = lanes(2);
    for (let id = 0; id < 10; id++) write(writers[id % 2], id);
    expect(readAll(merged, { bytes: 3 })).toEqual([0, 1, 2]);
    expect(readAll(merged, { bytes: 3, notes: 2 })).toEqual([3, 4]);
    expect(readAll(merged, { bytes: 100 })).toEqual([5, 6, 7, 8, 9]);
  });

  it("lose no number to a reader that throws", () => {
    const { writers, merged } = lanes(2);
    for (let id = 0; id < 4; id++) write(writers[id % 2], id);
    expect(() =>
      merged.read((id) => {
        if (id === 1) throw new Error("of 1");
      }),
    ).toThrow("of 1");
    expect(readAll(merged)).toEqual([2, 3]);
  });
});
