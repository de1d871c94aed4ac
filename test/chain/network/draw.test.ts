import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { drawSome } from "../../../chain/network/draw.ts";

describe("drawing some of many", () => {
  it("gives all of few, and of many exactly so many, none twice", () => {
    const items = Array.from({ length: 20 }, (_, index) => index);
    expect(drawSome(items, 20)).toEqual(items);
    expect(drawSome(items, 100)).toEqual(items);
    const drawn = drawSome(items, 7);
    expect(new Set(drawn).size).toBe(7);
    expect(drawn.every((item) => items.includes(item))).toBe(true);
  });

  it("gives each the same chance", () => {
    const prng = new Prng("draws");
    const counts = new Array<number>(10).fill(0);
    const items = counts.map((_, index) => index);
    for (let i = 0; i < 10_000; i++) {
      for (const item of drawSome(items, 3, () => prng.uint32() / 2 ** 32)) counts[item] = (counts[item] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 3_000)).toBeLessThan(250);
  });
});
