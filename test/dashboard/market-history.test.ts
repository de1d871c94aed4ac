import { describe, expect, it } from "vitest";
import { pricesOf, SHOWN_MINUTES, unitsByMinute } from "../../dashboard/pages/network/market-history.ts";

describe("the market by the minute", () => {
  it("has what was settled in its minute, the present one last, and nothing of before", () => {
    const now = 6_000_030;
    const minutes = unitsByMinute(
      [
        { seconds: now - 3600, computeUnits: 1000n },
        { seconds: now - 60, computeUnits: 3n },
        { seconds: now - 31, computeUnits: 4n },
        { seconds: now - 30, computeUnits: 5n },
        { seconds: now, computeUnits: 6n },
      ],
      now,
    );
    expect(minutes).toHaveLength(SHOWN_MINUTES);
    expect(minutes.slice(-2).map(({ units }) => units)).toEqual([7n, 11n]);
    expect(minutes.reduce((sum, { units }) => sum + units, 0n)).toBe(18n);
  });

  it("shows a tier's price from its changes to now, and a level line where it never changed", () => {
    const changes = [
      { seconds: 10, tier: 1, price: 5n },
      { seconds: 20, tier: 2, price: 9n },
    ];
    expect(pricesOf(changes, 1, 6n, 100).map(({ seconds, price }) => [seconds, price])).toEqual([
      [10, 5n],
      [100, 6n],
    ]);
    expect(pricesOf(changes, 3, 7n, 100).map(({ price }) => price)).toEqual([7n, 7n]);
  });

  it("has a price from an earlier time to now, also where the only change is of this second", () => {
    const [before, last, ...more] = pricesOf([{ seconds: 100, tier: 1, price: 5n }], 1, 5n, 100);
    expect(more).toEqual([]);
    expect(last?.seconds).toBe(100);
    expect(before?.seconds).toBeLessThan(100);
  });
});
