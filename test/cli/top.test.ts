import { describe, expect, it } from "vitest";
import { COLOURED, PLAIN, visibleLength } from "../../cli/style.ts";
import { screenLines, sparkline } from "../../cli/top/screen.ts";
import { quantilesOf, type Snapshot } from "../../cli/top/snapshot.ts";

const OGPU = 10n ** 18n;
const NOW = 1_700_000_000_000;

const SNAPSHOT: Snapshot = {
  ...{ network: "devnet", role: "validator", height: 120, epoch: 2, view: 130, peers: 3, waiting: 7 },
  headMilliseconds: NOW - 2_500,
  baseFee: 1_500_000_000n,
  supply: { total: 5_250_000n * OGPU, cap: 21_000_000n * OGPU, staked: 400n * OGPU, burned: 0n },
  blocks: Array.from({ length: 64 }, (_, i) => ({
    ...{ number: 120 - i, hash: `0x${"ab".repeat(32)}` as const, milliseconds: NOW - 1000 * (i + 2), fullness: 0.25 },
    transactions: i,
    proposer: `0x${"cd".repeat(20)}` as const,
  })),
  counted: 100,
  validators: [100, 60, 20].map((signed) => ({ operator: `0x${"ef".repeat(20)}` as const, weight: OGPU, signed })),
  finality: { p50: 0.15, p95: Number.POSITIVE_INFINITY },
  ...{ memoryBytes: 200 * 2 ** 20, loopUse: 0.031 },
};

describe("the screen of ogpu top", () => {
  it("has exactly the lines of the terminal, and none is wider, in any size and with colours", () => {
    for (const style of [PLAIN, COLOURED]) {
      for (const columns of [10, 40, 80, 200]) {
        for (const rows of [3, 10, 24, 60]) {
          const lines = screenLines(SNAPSHOT, { columns, rows }, NOW, style);
          expect(lines).toHaveLength(rows);
          for (const line of lines) expect(visibleLength(line)).toBeLessThanOrEqual(columns);
        }
      }
    }
  });

  it("says what people want to know, in their units", () => {
    const text = screenLines(SNAPSHOT, { columns: 120, rows: 40 }, NOW, PLAIN).join("\n");
    for (const said of [
      "devnet · block 120  2.5 s ago",
      "validator, epoch 2, view 130, 3 peers, 200 MB, 3% of a core",
      "p50 under 150 ms, p95 longer",
      "7 transactions, base fee 1.500 gwei",
      "[#####---------------] 5,250,000 of 21,000,000 oGPU, 400 staked",
      "33.3%  100% signed",
      "33.3%  20% signed",
      "25.0% full",
      "q quits",
    ]) {
      expect(text).toContain(said);
    }
  });

  it("shows a block that is late as odd, and leaves out what was not measured", () => {
    const { memoryBytes: _memory, loopUse: _use, finality: _finality, ...rest } = SNAPSHOT;
    const bare = { ...rest, memoryBytes: undefined, loopUse: undefined, finality: undefined };
    const [first = "", second, third] = screenLines(bare, { columns: 120, rows: 20 }, NOW + 60_000, COLOURED);
    expect(first).toContain(COLOURED.warn("63 s ago"));
    expect(second).toMatch(/3 peers$/);
    expect(third).toContain("not measured here");
  });
});

describe("figures", () => {
  it("of blocks are drawn to the scale of the largest", () => {
    expect(sparkline([0, 4, 8])).toBe("▁▅█");
    expect(sparkline([0, 0])).toBe("▁▁");
  });

  it("of histograms are the edges of the buckets that the quantiles are in", () => {
    const metrics = ["0.1", "0.2", "0.5", "+Inf"]
      .map((edge, i) => `ogpu_x_bucket{le="${edge}"} ${[4, 6, 10, 10][i]}`)
      .join("\n");
    expect(quantilesOf(metrics, "ogpu_x")).toEqual({ p50: 0.2, p95: 0.5 });
    expect(quantilesOf("", "ogpu_x")).toBeUndefined();
  });
});
