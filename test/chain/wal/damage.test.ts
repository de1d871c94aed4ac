import { describe, expect, it } from "vitest";
import { ConsensusLog, createLog } from "../../../chain/wal/consensus-log.ts";
import { encodeFrame, FRAME_KINDS } from "../../../chain/wal/frame.ts";
import { LOG_NAME } from "../../../chain/wal/log-file.ts";
import { MemoryDisk } from "./support/memory-disk.ts";
import { IDENTITY, sampleCodec, voteRecord } from "./support/sample-records.ts";

const OPTIONS = { codec: sampleCodec(0), identity: IDENTITY, onFailure: (): void => undefined };
const FRAMES = 4;

/** A log of several frames with one vote each, and where each ends. */
async function sampleLog(): Promise<{ readonly bytes: Uint8Array; readonly ends: readonly number[] }> {
  const disk = new MemoryDisk();
  await createLog(disk, IDENTITY);
  const { log } = await ConsensusLog.openOn(disk, OPTIONS);
  const ends = [((await disk.read(LOG_NAME)) as Uint8Array).length];
  for (let view = 1; view <= FRAMES; view++) {
    const durable = new Promise<void>((resolve) => log.onSynced(() => resolve()));
    log.append([voteRecord(view)], view);
    await durable;
    ends.push(((await disk.read(LOG_NAME)) as Uint8Array).length);
  }
  return { bytes: (await disk.read(LOG_NAME)) as Uint8Array, ends };
}

/** The number of records, or the code of the error. */
async function outcome(bytes: Uint8Array): Promise<number | string> {
  try {
    return (await ConsensusLog.openOn(MemoryDisk.with(LOG_NAME, bytes), OPTIONS)).records.length;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe("a log that is cut off", () => {
  it("at any byte gives every whole frame before, and is damaged only within its header", async () => {
    const { bytes, ends } = await sampleLog();
    for (let length = 0; length <= bytes.length; length++) {
      const whole = ends.filter((end) => end <= length).length - 1;
      expect(await outcome(bytes.subarray(0, length)), `${length}`).toBe(whole < 0 ? "WAL_DAMAGED" : whole);
    }
  });

  it("goes on behind the last whole frame", async () => {
    const { bytes, ends } = await sampleLog();
    const disk = MemoryDisk.with(LOG_NAME, bytes.subarray(0, (ends[2] as number) + 9));
    const { log } = await ConsensusLog.openOn(disk, OPTIONS);
    log.append([voteRecord(9)], 1);
    await log.close();
    const { records } = await ConsensusLog.openOn(disk.afterKill(), OPTIONS);
    expect(records).toEqual([voteRecord(1), voteRecord(2), voteRecord(9)]);
  });

  it("whose last write has holes of zeros is a torn one", async () => {
    const { bytes, ends } = await sampleLog();
    const zeros = bytes.slice();
    zeros.fill(0, ends[FRAMES - 1]);
    expect(await outcome(zeros)).toBe(FRAMES - 1);
  });
});

describe("a log that was changed after it was written", () => {
  it("is damaged, whichever bit it is: no vote is forgotten in silence", async () => {
    const { bytes } = await sampleLog();
    for (let at = 0; at < bytes.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = bytes.slice();
        changed[at] = (changed[at] as number) ^ (1 << bit);
        expect(await outcome(changed), `bit ${bit} of byte ${at}`).toBe("WAL_DAMAGED");
      }
    }
  });

  it("is damaged when a frame in the middle is zeros, or gone in part", async () => {
    const { bytes, ends } = await sampleLog();
    const [, start, end] = ends as [number, number, number];
    const zeros = bytes.slice();
    zeros.fill(0, start, end);
    expect(await outcome(zeros)).toBe("WAL_DAMAGED");
    const shorter = new Uint8Array([...bytes.subarray(0, start + 30), ...bytes.subarray(end)]);
    expect(await outcome(shorter)).toBe("WAL_DAMAGED");
  });

  it("keeps damaged content as it is", async () => {
    const { bytes } = await sampleLog();
    const changed = bytes.slice();
    changed[100] = (changed[100] as number) ^ 1;
    const disk = MemoryDisk.with(LOG_NAME, changed);
    await expect(ConsensusLog.openOn(disk, OPTIONS)).rejects.toMatchObject({ code: "WAL_DAMAGED" });
    expect(await disk.read(LOG_NAME)).toEqual(changed);
  });

  it("is damaged when a record does not decode", async () => {
    const { bytes } = await sampleLog();
    const mark = bytes.slice(8, 16);
    const frame = encodeFrame(mark, { kind: FRAME_KINDS.records, items: [new Uint8Array([1, 2, 3])] });
    expect(await outcome(new Uint8Array([...bytes, ...frame]))).toBe("WAL_DAMAGED");
  });

  it("does not take what a record holds for a frame, unless it has the file's mark", async () => {
    const { bytes } = await sampleLog();
    const foreign = encodeFrame(new Uint8Array(8), { kind: FRAME_KINDS.records, items: [] });
    const frame = encodeFrame(bytes.slice(8, 16), { kind: FRAME_KINDS.records, items: [foreign, foreign] });
    const torn = new Uint8Array([...bytes, ...frame.subarray(0, frame.length - 1)]);
    expect(await outcome(torn)).toBe(FRAMES);
  });
});
