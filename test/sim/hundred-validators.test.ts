import { describe, expect, it } from "vitest";
import { makeScenario } from "./scenario.ts";
import { simulate } from "./simulation.ts";

describe("a hundred validators all over the world", () => {
  it("finalise blocks of a second in less than a second", async () => {
    const scenario = makeScenario({ seed: "hundred", validators: 100, minutes: 0.3, faults: [], wideArea: true });
    const { violations, heights, finality } = await simulate(scenario);
    expect(violations).toEqual([]);
    expect(Math.min(...heights)).toBeGreaterThan(5);
    expect(finality.p95).toBeLessThan(1_000);
  });
});
