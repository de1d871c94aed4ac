import { expect, it } from "vitest";
import { ServingBudget } from "../../../chain/runtime/serving-budget.ts";

const PER_PEER = { perSecond: 10, burst: 20 };
const ALL = { perSecond: 15, burst: 30 };

it("gives each peer its share, and all together no more than theirs", () => {
  const budget = new ServingBudget(0, PER_PEER, ALL);
  expect(budget.allows("a", 20, 0)).toBe(true);
  expect(budget.allows("a", 1, 0)).toBe(false);
  expect(budget.allows("b", 10, 0)).toBe(true);
  expect(budget.allows("b", 1, 0)).toBe(false);
});

it("fills again with time", () => {
  const budget = new ServingBudget(0, PER_PEER, ALL);
  expect(budget.allows("a", 20, 0)).toBe(true);
  expect(budget.allows("a", 10, 999)).toBe(false);
  expect(budget.allows("a", 10, 1_000)).toBe(true);
});
