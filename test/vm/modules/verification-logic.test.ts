/** The pure decisions of verification, held to what can be said about them without their code. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Hex } from "../../../base/bytes.ts";
import { biasedShare, corruptibleShare, voteError } from "../../../vm/modules/verification/assurance.ts";
import {
  type CounterRules,
  counterState,
  countVotes,
  FRESH_COUNTER,
  stakeDecision,
  type VoteSide,
  waveSize,
} from "../../../vm/modules/verification/counter.ts";
import { disputedSeats, plurality, type Ruling, rule } from "../../../vm/modules/verification/judge.ts";
import { isExcused, shareOut } from "../../../vm/modules/verification/share-out.ts";

const rules = fc
  .record({ pollSize: fc.integer({ min: 1, max: 7 }), lead: fc.integer({ min: 1, max: 25 }), extra: fc.nat(60) })
  .map(({ pollSize, lead, extra }): CounterRules => ({ pollSize, lead, maxDraws: lead + extra }));
const sides = fc.array(fc.constantFrom<VoteSide>(-1, 0, 1), { minLength: 200, maxLength: 200 });

describe("the counter", () => {
  it("comes to the same in waves as poll by poll, and never draws more than that takes", () => {
    fc.assert(
      fc.property(rules, sides, (given, votes) => {
        let counter = FRESH_COUNTER;
        let waves = 0;
        while (counterState(counter, given) === "open") {
          const size = waveSize(counter, given);
          expect(size).toBeGreaterThan(0);
          counter = countVotes(counter, votes.slice(counter.draws, counter.draws + size), given);
          waves++;
        }
        let [lead, draws] = [0, 0];
        while (Math.abs(lead) < given.lead && draws < given.maxDraws) {
          const poll = votes.slice(draws, Math.min(draws + given.pollSize, given.maxDraws));
          for (const side of poll) lead += side;
          draws += poll.length;
        }
        expect(counter).toEqual({ lead, draws });
        expect(waves).toBeLessThanOrEqual(Math.ceil(given.maxDraws / given.pollSize));
      }),
    );
  });

  it("is over after one wave when all say the same", () => {
    const given = { pollSize: 5, lead: 20, maxDraws: 120 };
    expect(waveSize(FRESH_COUNTER, given)).toBe(20);
    for (const [side, state] of [
      [1, "true"],
      [-1, "false"],
    ] as const) {
      const counter = countVotes(FRESH_COUNTER, new Array<VoteSide>(20).fill(side), given);
      expect(counterState(counter, given)).toBe(state);
    }
  });

  it("of stake decides by strictly more than two thirds, in one direction at most", () => {
    expect(stakeDecision(2n, 1n, 3n)).toBe("exhausted");
    expect(stakeDecision(201n, 99n, 300n)).toBe("true");
    expect(stakeDecision(99n, 201n, 300n)).toBe("false");
    expect(stakeDecision(0n, 0n, 0n)).toBe("exhausted");
  });
});

describe("who is right", () => {
  const [truth, lie, other, unavailable] = ["0x01", "0x02", "0x03", "0x04"] as const;
  const ruling = (said: Hex | undefined, digest: Hex | undefined, opened: Hex, isProven = false): Ruling =>
    rule(said, { digest, opened, isProven }, unavailable);

  it.each([
    ["voted true", truth, truth, false, ["right", "wrong", "wrong", "silent", "silent"]],
    ["voted false", truth, lie, false, ["right", "wrong", "neutral", "neutral", "silent"]],
    ["voted unavailable", unavailable, lie, false, ["neutral", "wrong", "neutral", "right", "silent"]],
    ["proven false", truth, lie, true, ["right", "wrong", "wrong", "silent", "silent"]],
    ["never settled", undefined, lie, false, ["right", "right", "right", "right", "silent"]],
  ] as const)("of a tile that was %s", (_name, digest, opened, isProven, expected) => {
    const said = [truth, lie, other, unavailable, undefined];
    expect(said.map((each) => ruling(each, digest, opened, isProven))).toEqual(expected);
  });

  it("against the worker is what most of them said, and the first of equals", () => {
    const votes = [lie, other, truth, other, truth, lie].map((said) => ({ said, units: 1n }));
    expect(plurality(votes, lie)).toBe(other);
    expect(plurality([...votes, { said: truth, units: 1n }], lie)).toBe(truth);
    expect(plurality([{ said: undefined, units: 9n }], lie)).toBeUndefined();
  });

  it("puts each tile in doubt to the vote once, and at tier 1 every tile", () => {
    const seat = (
      tile: number,
      said: Hex | undefined,
    ): { launch: number; tile: number; said: Hex | undefined; opened: Hex } => ({
      launch: 0,
      tile,
      said,
      opened: truth,
    });
    const seats = [seat(0, truth), seat(1, lie), seat(1, undefined), seat(2, undefined), seat(3, unavailable)];
    expect(disputedSeats(seats, 0).map(({ tile }) => tile)).toEqual([1, 2, 3]);
    expect(disputedSeats(seats, 1).map(({ tile }) => tile)).toEqual([0, 1, 2, 3]);
  });
});

describe("the money of a round", () => {
  const seat = fc.record({
    ruling: fc.constantFrom<Ruling>("right", "wrong", "silent", "neutral"),
    isVote: fc.boolean(),
    taken: fc.bigInt({ min: 0n, max: 10n ** 20n }),
  });

  it("goes out as it came in, nobody earns more than a fee, and only who was right earns", () => {
    fc.assert(
      fc.property(fc.array(seat, { maxLength: 60 }), fc.bigInt({ min: 0n, max: 10n ** 18n }), (seats, fee) => {
        const { earned, toTreasury } = shareOut(seats, fee);
        const paid = BigInt(seats.filter(({ isVote }) => !isVote).length) * fee;
        const taken = seats.reduce((sum, each) => sum + each.taken, 0n);
        expect(earned.reduce((sum, each) => sum + each, 0n) + toTreasury).toBe(paid + taken);
        expect(toTreasury).toBeGreaterThanOrEqual(0n);
        earned.forEach((amount, index) => {
          expect(amount).toBeLessThanOrEqual(seats[index]?.ruling === "right" ? fee : 0n);
        });
      }),
    );
  });

  it("makes a vote worth nothing to those who cause it: the pool has only what they lose", () => {
    const silent = { ruling: "silent", isVote: false, taken: 10n } as const;
    const voters = Array.from({ length: 20 }, () => ({ ruling: "right", isVote: true, taken: 0n }) as const);
    const { earned } = shareOut([silent, ...voters], 10n);
    expect(earned.reduce((sum, each) => sum + each, 0n)).toBe(20n);
  });

  it("excuses silence of more than a third, and of no less", () => {
    expect(isExcused(1n, 3n)).toBe(false);
    expect(isExcused(2n, 5n)).toBe(true);
  });
});

describe("the assurance", () => {
  it("falls with seats and rises with what the adversary has, and is what the formula gives", () => {
    for (const [seats, expected] of [
      [1, 1],
      [3, 0.82897],
      [10, 0.33976],
      [32, 0.1173],
    ] as const) {
      expect(Number(corruptibleShare(seats, 200_000n, 50_000n)) / 1e6).toBeCloseTo(expected, 4);
    }
    expect(corruptibleShare(0, 200_000n, 50_000n)).toBe(1_000_000n);
    expect(biasedShare(0n)).toBe(0n);
    expect(Number(biasedShare(200_000n)) / 1e6).toBeCloseTo(0.2 / (1 - 0.2 * 0.8), 5);
    expect(Number(voteError(20, 200_000n)) / 1e18).toBeCloseTo(7.888e-11, 13);
    expect(voteError(20, 0n)).toBe(0n);
  });
});
