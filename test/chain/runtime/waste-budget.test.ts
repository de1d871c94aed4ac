import fc from "fast-check";
import { expect, it } from "vitest";
import { WasteBudget } from "../../../chain/runtime/waste-budget.ts";

const RATE = { perSecond: 10, burst: 100 };

it("gives back what was of use, and the rest with time, for each peer alone", () => {
  const budget = new WasteBudget(RATE);
  expect(budget.take("a", 100, 0)).toBe(true);
  expect(budget.take("a", 1, 0)).toBe(false);
  expect(budget.take("b", 100, 0)).toBe(true);
  budget.giveBack("a", 40, 0);
  expect(budget.take("a", 41, 0)).toBe(false);
  expect(budget.take("a", 40, 0)).toBe(true);
  expect(budget.take("a", 10, 999)).toBe(false);
  expect(budget.take("a", 10, 1_000)).toBe(true);
});

it("never lets more through than the burst and the rate, whatever the times", () => {
  const step = fc.record({ amount: fc.nat(60), wait: fc.integer({ min: -500, max: 2_000 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
      const budget = new WasteBudget(RATE);
      budget.take("a", 0, 0);
      let now = 0;
      let latest = 0;
      let taken = 0;
      for (const { amount, wait } of steps) {
        now += wait;
        latest = Math.max(latest, now);
        if (budget.take("a", amount, now)) taken += amount;
      }
      expect(taken).toBeLessThanOrEqual(RATE.burst + (latest * RATE.perSecond) / 1000 + 1e-6);
    }),
  );
});
