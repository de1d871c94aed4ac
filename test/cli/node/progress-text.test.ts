import { describe, expect, it } from "vitest";
import type { SyncProgress } from "../../../chain/sync/events.ts";
import { bar, blocksText, duration, snapshotText } from "../../../cli/node/progress-text.ts";

const STATE: SyncProgress = {
  ...{ phase: "state", height: 1024, peers: 3, share: 0.5, leaves: 10, bytes: 1000 },
  ...{ bytesPerSecond: 12_340_000, secondsLeft: 75 },
};

describe("progress for people", () => {
  it("is a bar with the part that is done", () => {
    expect(bar(0)).toBe(`[${"-".repeat(24)}] 0%`);
    expect(bar(0.5)).toBe(`[${"#".repeat(12)}${"-".repeat(12)}] 50%`);
    expect(bar(1)).toBe(`[${"#".repeat(24)}] 100%`);
  });

  it("tells time in minutes, and in hours when it takes some", () => {
    expect(duration(5)).toBe("0:05");
    expect(duration(3_723)).toBe("1:02:03");
  });

  it("says of a snapshot how fast it comes and how long it takes", () => {
    expect(snapshotText(STATE)).toBe(`state of block 1024 from 3 peers ${bar(0.5)} 12.3 MB/s, 1:15 left`);
    expect(snapshotText({ ...STATE, secondsLeft: undefined })).toMatch(/MB\/s$/);
    expect(snapshotText({ ...STATE, phase: "offers" })).toBe("looking for a snapshot among 3 peers");
    expect(snapshotText({ ...STATE, phase: "done" })).toBe("");
  });

  it("says of blocks how many are left, and no time while none come", () => {
    expect(blocksText({ height: 50, target: 100, blocksPerSecond: 10 })).toMatch(
      /^block 50 of 100 .* 10 blocks\/s, 0:05 left$/,
    );
    expect(blocksText({ height: 50, target: 100, blocksPerSecond: 0 })).toMatch(/ 0 blocks\/s$/);
  });
});
