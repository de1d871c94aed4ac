/** The same as market-history.test.ts, for long enough that every way in which a job can end or go on has been seen. */
import { describe, expect, it } from "vitest";
import { REASON } from "../../../vm/modules/market/numbers.ts";
import { runHistory } from "../support/market-history.ts";
import { CATCHER } from "../support/market-people.ts";

/** Not met by these people: their jobs always have verifiers' fees left. */
const UNMET: readonly number[] = [REASON.none, REASON.verificationSpent];

describe("long histories of the market", () => {
  const reasons = new Set<number>();
  const catchers = new Set<string>();

  it.each(Array.from({ length: 8 }, (_, seed) => `long ${seed}`))("conserve value to their end: %s", (seed) => {
    const { books } = runHistory(seed, 400);
    for (const reason of books.reasons) reasons.add(reason);
    for (const catcher of books.caught.keys()) catchers.add(catcher);
    expect(reasons.size).toBeGreaterThan(10);
  });

  it("have seen every reason", () => {
    expect(Object.values(REASON).filter((reason) => !reasons.has(reason) && !UNMET.includes(reason))).toEqual([]);
  });

  it("have paid catchers, and clients that proved their own worker wrong", () => {
    expect(catchers).toContain(CATCHER.address);
    expect(catchers.size).toBeGreaterThan(1);
  });
});
