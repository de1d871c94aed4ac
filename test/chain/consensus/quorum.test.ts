import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import { leaderOf } from "../../../chain/consensus/leader.ts";
import { isMoreThanThird, isQuorum } from "../../../chain/consensus/quorum.ts";
import { cappedWeights, makeValidatorSet } from "../../../chain/consensus/validator-set.ts";

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

  it("leaves no weight above its share of the stake, and none at zero", () => {
    fc.assert(
      fc.property(weights, fc.bigInt({ min: 4n, max: 50n }), (stakes, divisor) => {
        const cap = sum(stakes) / divisor;
        return cappedWeights(stakes, divisor).every((weight) => weight >= 1n && (weight <= cap || weight === 1n));
      }),
    );
  });
});

describe("leader", () => {
  const ids = ["0x01", "0x02", "0x03"] as const satisfies readonly Hex[];
  const set = makeValidatorSet(
    ids.map((id, index) => ({ id, stake: BigInt(index + 1) })),
    1n,
  );
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
    const reversed = makeValidatorSet(
      [...ids].reverse().map((id) => ({ id, stake: BigInt(Number(id)) })),
      1n,
    );
    expect(reversed.hash).toBe(set.hash);
    expect(leaderOf(reversed, seed, 9)).toBe(leaderOf(set, seed, 9));
  });
});
