import { describe, expect, it } from "vitest";
import { bls } from "../../../base/bls.ts";
import { devnetSpec } from "../../../genesis/development-validators.ts";
import { expectedSeconds, type ScoredBid, scoreBid } from "../../../vm/modules/market/score.ts";

describe("the score of a bid", () => {
  const parameters = devnetSpec(1, bls).modules.market;
  const nothing = { accepted: 0n, rejected: 0n, late: 0n, computeUnits: 0n, busySeconds: 0n };
  const bid: ScoredBid = { price: 1_000_000n, seconds: 100n, isNear: true, reputation: nothing };
  const work = { computeUnits: 1_000n, seconds: 200n };
  const score = (change: Partial<ScoredBid>) => scoreBid({ ...bid, ...change }, work, parameters);
  const known = { ...nothing, accepted: 10n, computeUnits: 10_000n, busySeconds: 1_000n };

  it("is less for a lower price, less time, better history, and nearness", () => {
    expect(score({ price: 900_000n })).toBeLessThan(score({}));
    expect(score({ seconds: 50n })).toBeLessThan(score({}));
    expect(score({ reputation: known })).toBeLessThan(score({}));
    expect(score({ reputation: { ...known, late: 5n } })).toBeGreaterThan(score({ reputation: known }));
    expect(score({ isNear: false })).toBe((score({}) * 105n) / 100n);
  });

  it("expects what verified work took, not what the bidder says", () => {
    expect(expectedSeconds(bid, work, parameters)).toBe(125n);
    expect(expectedSeconds({ ...bid, reputation: known }, work, parameters)).toBe(100n);
    expect(expectedSeconds({ ...bid, seconds: 1n, reputation: known }, work, parameters)).toBe(100n);
    expect(expectedSeconds({ ...bid, seconds: 150n, reputation: known }, work, parameters)).toBe(150n);
  });

  it("is this number", () => {
    // 1,000,000 * (1 + 0.5 * 125 / 200) * 2 / 1
    expect(score({})).toBe(2_625_000n);
    // 1,000,000 * (1 + 0.5 * 100 / 200) * 12 / 11
    expect(score({ reputation: known })).toBe((1_250_000n * 12n) / 11n);
    expect(score({ price: 0n })).toBe(1n);
  });
});
