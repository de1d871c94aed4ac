import { describe, expect, it } from "vitest";
import { caseNames, loadCase } from "../../bench/find-cases.ts";

/** The benchmarks at their small sizes: that they run and agree with their peers, never how fast they are. */
describe.each(await caseNames())("benchmark %s at its smoke size", (name) => {
  it("gives sane figures and agrees with its peer", async () => {
    const found = await loadCase(name);
    const { measurements, comparisons, agreed } = await found.run(found.sizes.smoke);
    expect(found.description).not.toBe("");
    expect(measurements.length).toBeGreaterThan(0);
    expect(comparisons.length).toBeGreaterThan(0);
    for (const { name: what, value } of measurements) expect(value, what).toSatisfy(isPositive);
    for (const { name: what, ratio } of comparisons) expect(ratio, what).toSatisfy(isPositive);
    expect(agreed, "ours and the peer computed different results").not.toBe(false);
  });
});

function isPositive(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}
