import { describe, expect, it } from "vitest";
import { runHistory } from "../support/market-history.ts";

describe("a history of the market", () => {
  it.each(["first", "second"])("conserves value, ends every job and leaves nothing behind: %s", (seed) => {
    const { done } = runHistory(seed, 120);
    for (const name of ["submitTask", "postJob", "commitSealed", "reveal", "bid", "revealBid"]) {
      expect(done.get(name) ?? 0, name).toBeGreaterThan(2);
    }
  });
});
