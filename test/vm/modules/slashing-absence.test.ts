import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cappedWeights } from "../../../base/capped-weights.ts";
import { WHOLE } from "../../../genesis/economy.ts";
import { type Attendance, chooseAbsentees } from "../../../vm/modules/slashing/absence.ts";
import type { Address } from "../../../vm/state/account.ts";

const COUNTED = 1_000n;
const HALF = WHOLE / 2n;

function operator(index: number): Address {
  return `0x${index.toString(16).padStart(40, "0")}`;
}

/** A set in which everybody has the same stake unless told. */
function setOf(signed: readonly bigint[], stakes: readonly bigint[] = []): readonly Attendance[] {
  return signed.map((count, index) => ({
    operator: operator(index),
    stake: stakes[index] ?? 100n,
    signed: count,
    isLeaving: false,
    isPunished: false,
  }));
}

function operators(chosen: readonly Attendance[]): readonly Address[] {
  return chosen.map((one) => one.operator);
}

describe("who signs too little", () => {
  it("is absent below the share, and not at it", () => {
    const { jailed, spared } = chooseAbsentees(setOf([499n, 500n, 1_000n, 1_000n]), COUNTED, HALF, 4);
    expect(operators(jailed)).toEqual([operator(0)]);
    expect(spared).toEqual([]);
  });

  it("goes worst first, while the rest has more than two thirds of the weight", () => {
    const set = setOf([1_000n, 30n, 10n, 20n, 1_000n, 1_000n, 1_000n]);
    const { jailed, spared } = chooseAbsentees(set, COUNTED, HALF, 100);
    expect(operators(jailed)).toEqual([operator(2), operator(3)]);
    expect(operators(spared)).toEqual([operator(1)]);
  });

  it("is spared when it alone is a third: of three that are alike, of two, and alone", () => {
    for (const size of [1, 2, 3]) {
      const { jailed, spared } = chooseAbsentees(setOf(Array.from({ length: size }, () => 0n)), COUNTED, HALF, 100);
      expect(jailed).toEqual([]);
      expect(spared).toHaveLength(size);
    }
  });

  it("leaves room to a smaller one that is less absent, if it is itself too heavy", () => {
    const set = setOf([0n, 1n, 1_000n, 1_000n], [200n, 50n, 150n, 150n]);
    const { jailed, spared } = chooseAbsentees(set, COUNTED, HALF, 1);
    expect(operators(spared)).toEqual([operator(0)]);
    expect(operators(jailed)).toEqual([operator(1)]);
  });

  it("weighs as in consensus: what is above the cap does not count", () => {
    // Uncapped the first has 57% and could never go; with at most a quarter each all weigh the same.
    const set = setOf([0n, 1_000n, 1_000n, 1_000n], [400n, 100n, 100n, 100n]);
    expect(operators(chooseAbsentees(set, COUNTED, HALF, 4).jailed)).toEqual([operator(0)]);
    expect(chooseAbsentees(set, COUNTED, HALF, 1).jailed).toEqual([]);
  });

  it("is not punished twice, and those who leave in any case take room", () => {
    const set = setOf([0n, 0n, 1_000n, 1_000n, 1_000n]).map((one, index) => ({
      ...one,
      isLeaving: index === 0,
      isPunished: index === 0,
    }));
    const { jailed, spared } = chooseAbsentees(set, COUNTED, HALF, 100);
    expect(jailed).toEqual([]);
    expect(operators(spared)).toEqual([operator(1)]);
  });

  it("does not get away by leaving on its own, which makes no more room either", () => {
    const set = setOf([0n, 0n, 0n, 1_000n, 1_000n]).map((one, index) => ({ ...one, isLeaving: index < 2 }));
    const { jailed, spared } = chooseAbsentees(set, COUNTED, HALF, 100);
    expect(operators(jailed)).toEqual([operator(0), operator(1)]);
    expect(operators(spared)).toEqual([operator(2)]);
  });

  it("has nothing to fear from an empty set or a share of nothing", () => {
    expect(chooseAbsentees([], COUNTED, HALF, 4)).toEqual({ jailed: [], spared: [] });
    expect(chooseAbsentees(setOf([0n, 0n, 0n, 0n]), COUNTED, 0n, 4)).toEqual({ jailed: [], spared: [] });
  });
});

it("whatever the set: all absent are named once, and those who stay are a quorum of the old weights", () => {
  const one = fc.record({
    stake: fc.bigInt(1n, 10n ** 24n),
    signed: fc.bigInt(0n, COUNTED),
    isLeaving: fc.boolean(),
    isPunished: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(one, { minLength: 1, maxLength: 40 }),
      fc.bigInt(0n, WHOLE),
      fc.integer({ min: 1, max: 50 }),
      (...[drawn, share, divisor]) => {
        // Who is punished leaves.
        const set = drawn.map((one, index) => ({
          ...one,
          isLeaving: one.isLeaving || one.isPunished,
          operator: operator(index),
        }));
        const { jailed, spared } = chooseAbsentees(set, COUNTED, share, divisor);
        const absent = set.filter(({ signed, isPunished }) => !isPunished && signed * WHOLE < COUNTED * share);
        expect([...operators(jailed), ...operators(spared)].sort()).toEqual(operators(absent));
        if (jailed.every(({ isLeaving }) => isLeaving)) return;
        const weights = cappedWeights(
          set.map(({ stake }) => stake),
          BigInt(divisor),
        );
        const gone = new Set([...operators(jailed), ...operators(set.filter(({ isLeaving }) => isLeaving))]);
        const total = weights.reduce((sum, weight) => sum + weight, 0n);
        const staying = weights
          .filter((_, index) => !gone.has(operator(index)))
          .reduce((sum, weight) => sum + weight, 0n);
        expect(3n * staying > 2n * total).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});
