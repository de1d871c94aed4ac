import { describe, expect, it } from "vitest";
import { targetMet, targetText } from "../../bench/case.ts";

describe("a target", () => {
  it("of at least is met from that ratio on, of at most up to it", () => {
    const faster = (ratio: number): boolean => targetMet({ name: "", ratio, target: { atLeast: 5 } });
    expect([4.99, 5, 5.01].map(faster)).toEqual([false, true, true]);
    const growth = (ratio: number): boolean => targetMet({ name: "", ratio, target: { atMost: 2 } });
    expect([1.99, 2, 2.01].map(growth)).toEqual([true, true, false]);
  });

  it("is not met by a figure that is no number", () => {
    expect(targetMet({ name: "", ratio: Number.NaN, target: { atLeast: 1 } })).toBe(false);
    expect(targetMet({ name: "", ratio: Number.NaN, target: { atMost: 1 } })).toBe(false);
  });

  it("is told in words", () => {
    expect(targetText({ atLeast: 0.9 })).toBe("at least 0.9x");
    expect(targetText({ atMost: 2 })).toBe("at most 2x");
  });
});
