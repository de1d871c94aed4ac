import { describe, expect, it } from "vitest";
import { type Contestant, interleave, interleaveMicro, median } from "../../bench/interleave.ts";

describe("median", () => {
  it("is the middle value, or the mean of the two middle ones", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(() => median([])).toThrow(RangeError);
  });
});

describe("interleave", () => {
  function recorder(calls: string[]): (name: string) => Contestant {
    return (name) => ({
      name,
      prepare: () => void calls.push(`prepare ${name}`),
      run: () => {
        calls.push(name);
        return 10;
      },
    });
  }

  it("runs everybody in each round, in alternating order, after one round that does not count", async () => {
    const calls: string[] = [];
    const contestant = recorder(calls);
    await interleave(2, [contestant("a"), contestant("b")]);
    const round = ["prepare a", "a", "prepare b", "b"];
    const reverse = ["prepare b", "b", "prepare a", "a"];
    expect(calls).toEqual([...round, ...reverse, ...round]);
  });

  it("gives rates, and ratios that are each other's inverse in every round", async () => {
    let operations = 0;
    const result = await interleave(5, [
      { name: "ours", run: () => 200 + operations++ },
      { name: "peer", run: async () => 100 },
    ]);
    expect(result.rate("ours")).toBeGreaterThan(0);
    expect(result.ratio("ours", "peer") * result.ratio("peer", "ours")).toBeCloseTo(1, 9);
    expect(result.ratio("ours", "ours")).toBe(1);
    expect(() => result.rate("nobody")).toThrow("nobody");
  });

  it("measures tiny operations, however short", async () => {
    let count = 0;
    const result = await interleaveMicro(1, 2, [
      { name: "nothing", run: () => undefined },
      { name: "count", run: () => count++ },
    ]);
    expect(count).toBeGreaterThan(100);
    expect(result.rate("nothing")).toBeGreaterThan(0);
    expect(Number.isFinite(result.ratio("nothing", "count"))).toBe(true);
  });

  it("lets a failure of a contestant through", async () => {
    const broken = (): never => {
      throw new Error("broken");
    };
    await expect(interleave(1, [{ name: "a", run: broken }])).rejects.toThrow("broken");
    await expect(interleaveMicro(1, 1, [{ name: "a", run: broken }])).rejects.toThrow("broken");
  });
});
