import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenBucket } from "../../../base/token-bucket.ts";
import { RateLimits } from "../../../chain/network/rate-limits.ts";

describe("a token bucket", () => {
  it("lets a burst through, then as much as its rate", () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 5 }, 0);
    for (let i = 0; i < 5; i++) expect(bucket.take(1, 0)).toBe(true);
    expect(bucket.take(1, 0)).toBe(false);
    expect(bucket.take(1, 100)).toBe(true);
    expect(bucket.take(1, 100)).toBe(false);
  });

  it("never gives more than the burst and the rate allow, whatever the times", () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: -50, max: 500 }), fc.integer({ min: 1, max: 5 })), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(steps, (all) => {
        const bucket = new TokenBucket({ perSecond: 20, burst: 10 }, 0);
        let now = 0;
        let latest = 0;
        let taken = 0;
        for (const [step, amount] of all) {
          now += step;
          latest = Math.max(latest, now);
          if (bucket.take(amount, now)) taken += amount;
        }
        expect(taken).toBeLessThanOrEqual(10 + (latest * 20) / 1000 + 1e-6);
      }),
    );
  });
});

describe("the rates of a peer", () => {
  it("are those of each kind of message", () => {
    const rates = new RateLimits();
    let votes = 0;
    while (rates.allows("vote", 150, 0)) votes++;
    expect(votes).toBe(5_000);
    expect(rates.allows("proposal", 8_000_000, 0)).toBe(true);
  });

  it("bound bytes too", () => {
    const rates = new RateLimits();
    let proposals = 0;
    while (rates.allows("proposal", 8_000_000, 0)) proposals++;
    expect(proposals).toBeLessThan(40);
  });
});
