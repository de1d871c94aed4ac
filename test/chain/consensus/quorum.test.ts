import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import { cappedWeights } from "../../../base/capped-weights.ts";
import { leaderOf } from "../../../chain/consensus/leader.ts";
import { isMoreThanThird, isQuorum } from "../../../chain/consensus/quorum.ts";
import { makeValidatorSet } from "../../../chain/consensus/validator-set.ts";

const weights = fc.array(fc.bigInt({ min: 1n, max: 10n ** 30n }), { minLength: 1, maxLength: 20 });
const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);

describe("quorum", () => {
  it("is strict: exactly two thirds are none", () => {
    expect(isQuorum(2n, 3n)).toBe(false);
    expect(isQuorum(3n, 4n)).toBe(true);
    expect(isMoreThanThird(1n, 3n)).toBe(false);
    expect(isMoreThanThird(2n, 5n)).toBe(true);
  });

  it("makes any two quorums share more than a third of the weight", () => {
    fc.assert(
      fc.property(weights, fc.infiniteStream(fc.boolean()), (all, flips) => {
        const take = (): boolean[] => all.map(() => flips.next().value);
        const [a, b] = [take(), take()];
        const total = sum(all);
        const weightOf = (chosen: (index: number) => boolean): bigint => sum(all.filter((_, index) => chosen(index)));
        const both = [a, b].every((one) =>
          isQuorum(
            weightOf((index) => one[index] === true),
            total,
          ),
        );
        const shared = weightOf((index) => a[index] === true && b[index] === true);
        return !both || isMoreThanThird(shared, total);
      }),
    );
  });
});

describe("capped weights", () => {
  const divisors = fc.bigInt({ min: 4n, max: 12n });

  it("leave nobody more than a share of the total weight, or all equal where that cannot be", () => {
    fc.assert(
      fc.property(weights, divisors, (stakes, divisor) => {
        const capped = cappedWeights(stakes, divisor);
        const total = sum(capped);
        // Less than half of the stake never counts, whatever share that leaves to the largest.
        const isHeldUp = 2n * (total - BigInt(stakes.length)) <= sum(stakes);
        if (isHeldUp) return;
        if (BigInt(stakes.length) >= divisor) expect(capped.every((weight) => weight * divisor <= total)).toBe(true);
        else if (!capped.every((weight) => weight * divisor <= total)) expect(new Set(capped).size).toBe(1);
      }),
    );
  });

  it("are never above the stake, never zero, and keep the order of the stakes", () => {
    fc.assert(
      fc.property(weights, divisors, (stakes, divisor) => {
        const capped = cappedWeights(stakes, divisor);
        for (const [index, weight] of capped.entries()) {
          const stake = stakes[index] ?? 0n;
          expect(weight > 0n && weight <= stake).toBe(true);
          for (const [other, otherWeight] of capped.entries()) {
            if ((stakes[other] ?? 0n) <= stake) expect(otherWeight <= weight).toBe(true);
          }
        }
      }),
    );
  });

  it("are at least half of all stake together, so that nobody has more than twice its share", () => {
    fc.assert(
      fc.property(weights, divisors, (stakes, divisor) => {
        expect(2n * sum(cappedWeights(stakes, divisor)) >= sum(stakes)).toBe(true);
      }),
    );
    // Six large validators and fourteen of the least stake, which would have had 70% of the weight.
    const stakes = [...Array.from({ length: 6 }, () => 100_000n), ...Array.from({ length: 14 }, () => 1_000n)];
    const capped = cappedWeights(stakes, 20n);
    expect(sum(capped.slice(6)) * 20n < sum(capped)).toBe(true);
    expect(cappedWeights([70n, 10n, 10n, 10n], 4n)).toEqual([20n, 10n, 10n, 10n]);
  });

  it("cut one that owns most of the stake to its share, and leave others as they are", () => {
    expect(cappedWeights([40n, 10n, 10n, 10n], 4n)).toEqual([10n, 10n, 10n, 10n]);
    expect(cappedWeights([70n, 10n, 10n, 10n, 10n], 4n)).toEqual([15n, 10n, 10n, 10n, 10n]);
    expect(cappedWeights([10n, 20n, 20n, 20n, 20n], 4n)).toEqual([10n, 20n, 20n, 20n, 20n]);
  });
});

describe("leader", () => {
  const ids = ["0x01", "0x02", "0x03"] as const satisfies readonly Hex[];
  const set = makeValidatorSet(ids.map((id, index) => ({ id, stake: BigInt(index + 1) })));
  const seed: Hex = `0x${"ab".repeat(32)}`;

  it("is drawn in proportion to the weight", () => {
    const counts = [0, 0, 0];
    for (let view = 1; view <= 6_000; view++) {
      const leader = leaderOf(set, seed, view);
      counts[leader] = (counts[leader] ?? 0) + 1;
    }
    for (const [index, count] of counts.entries()) expect(Math.abs(count - 1_000 * (index + 1))).toBeLessThan(150);
  });

  it("is the same whatever order the stakes came in", () => {
    const reversed = makeValidatorSet([...ids].reverse().map((id) => ({ id, stake: BigInt(Number(id)) })));
    expect(reversed.hash).toBe(set.hash);
    expect(leaderOf(reversed, seed, 9)).toBe(leaderOf(set, seed, 9));
  });
});
