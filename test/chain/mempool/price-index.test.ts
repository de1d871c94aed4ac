import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PriceIndex } from "../../../chain/mempool/price-index.ts";
import { effectiveTip, type Priced } from "../../../chain/mempool/waiting.ts";

const fees = fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { minLength: 1, maxLength: 200 });

function priced(all: readonly (readonly [number, number])[]): Priced[] {
  return all.map(([tip, more], sequence) => ({ tip: BigInt(tip), maxFee: BigInt(tip + more), sequence }));
}

function sorted(items: readonly Priced[], baseFee: bigint): Priced[] {
  return [...items].sort((a, b) => {
    const difference = Number(effectiveTip(b, baseFee) - effectiveTip(a, baseFee));
    return difference === 0 ? a.sequence - b.sequence : difference;
  });
}

function walked(index: PriceIndex<Priced>, baseFee: bigint): Priced[] {
  const walk = index.walk(baseFee);
  const all: Priced[] = [];
  for (let item = walk.pop(); item !== undefined; item = walk.pop()) all.push(item);
  return all;
}

describe("effectiveTip", () => {
  it("is the tip as far as the maximal fee covers it and the base fee, and negative below the base fee", () => {
    const tips = [80n, 90n, 95n, 100n, 101n].map((baseFee) => effectiveTip({ tip: 10n, maxFee: 100n }, baseFee));
    expect(tips).toEqual([10n, 10n, 5n, 0n, -1n]);
  });
});

describe("PriceIndex", () => {
  it("is in the order of effective tips at any base fee, whatever was put in and taken out", () => {
    fc.assert(
      fc.property(fees, fc.array(fc.nat(199)), fc.array(fc.nat(45)), (all, removed, baseFees) => {
        const index = new PriceIndex<Priced>();
        const items = priced(all);
        for (const item of items) index.insert(item);
        const gone = new Set(removed);
        const left = items.filter(({ sequence }) => !gone.has(sequence));
        for (const item of items) if (gone.has(item.sequence)) index.remove(item);
        expect(index.size).toBe(left.length);
        for (const baseFee of baseFees.map(BigInt)) {
          expect(walked(index, baseFee)).toEqual(sorted(left, baseFee));
        }
      }),
    );
  });

  it("tells apart fees that are the same as numbers", () => {
    const index = new PriceIndex<Priced>();
    const huge = 2n ** 200n;
    const items = [0n, 2n, 1n].map((more, sequence) => ({ tip: huge + more, maxFee: 2n * huge + 3n * more, sequence }));
    for (const item of items) index.insert(item);
    for (const baseFee of [0n, huge, 2n * huge])
      expect(walked(index, baseFee).map((item) => item.sequence)).toEqual([1, 2, 0]);
    for (const item of items) index.remove(item);
    expect(index.size).toBe(0);
  });

  it("lets others take part in a walk, and does not keep them", () => {
    const index = new PriceIndex<Priced>();
    const items = priced([
      [1, 0],
      [3, 0],
      [5, 0],
    ]);
    for (const item of items) index.insert(item);
    const walk = index.walk(0n);
    const [guest] = priced([[3, 9]]) as [Priced];
    walk.push({ ...guest, sequence: 9 });
    const tips = [1, 2, 3, 4].map(() => walk.pop()?.tip);
    expect(tips).toEqual([5n, 3n, 3n, 1n]);
    expect(walk.pop()).toBeUndefined();
    expect(walked(index, 0n)).toEqual(sorted(items, 0n));
  });
});
