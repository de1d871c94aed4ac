/** The compute simulator: thousands of jobs under attack, held to an exact analysis that shares no code with the module. */
import { describe, expect, it } from "vitest";
import { biasedShare, voteError } from "../../../vm/modules/verification/assurance.ts";
import { biasByLeaders, exactWalk } from "./exact-walk.ts";
import { type Gang, type JobRules, simulateJobs } from "./job-simulation.ts";

const MAINNET: JobRules = {
  pollSize: 5,
  lead: 20,
  maxDraws: 120,
  seats: 3,
  seatFee: 1_000n,
  penaltyMultiple: 50n,
  smallSet: 30,
};
const MANY = 200;

/** So many standard deviations of a binomial count that a right program fails once in 10^7 sets of seeds, and ours are fixed. */
const SIGMAS = 5;

function expectRate(count: number, trials: number, chance: number): void {
  const deviation = Math.sqrt(trials * chance * (1 - chance));
  expect(Math.abs(count - trials * chance)).toBeLessThanOrEqual(SIGMAS * deviation + 1);
}

describe("the exact walk", () => {
  it("says what the design says of a lead of twenty at a fifth of the stake", () => {
    const { wrong, expectedDraws } = exactWalk(MAINNET, 0.8, 0.2);
    expect(wrong).toBeGreaterThan(3.4e-13);
    expect(wrong).toBeLessThan(3.6e-13);
    expect(expectedDraws).toBeGreaterThan(35);
    expect(expectedDraws).toBeLessThan(37);
    expect(exactWalk(MAINNET, 0.9, 0).expectedDraws).toBeLessThan(26);
  });

  it("stays below the bound that receipts quote, with and without the bias of leaders", () => {
    for (const share of [0.05, 0.1, 0.2, 0.3]) {
      const biased = biasByLeaders(share);
      expect(Number(biasedShare(BigInt(share * 1e6)))).toBeCloseTo(biased * 1e6, -1);
      for (const lead of [5, 10, 20]) {
        const { wrong } = exactWalk({ ...MAINNET, lead }, 1 - biased, biased);
        expect(wrong).toBeLessThanOrEqual(Number(voteError(lead, BigInt(share * 1e6))) / 1e18);
      }
    }
  });

  it("loses little to a run of own leaders at the start of a vote", () => {
    const { wrong } = exactWalk(MAINNET, 0.8, 0.2, -5);
    expect(wrong).toBeLessThan(1e-9);
  });
});

describe("votes at a small lead go wrong as often as the exact walk says", () => {
  it.each([
    { lead: 3, pollSize: 1, share: 0.2 },
    { lead: 4, pollSize: 2, share: 0.3 },
    { lead: 5, pollSize: 5, share: 0.25 },
    { lead: 5, pollSize: 5, share: 0.4 },
    { lead: 10, pollSize: 5, share: 0.4 },
  ])("lead $lead, polls of $pollSize, a share of $share", ({ lead, pollSize, share }) => {
    const rules = { ...MAINNET, lead, pollSize, seats: 1 };
    const jobs = 10_000;
    const people = { verifiers: MANY, gangShare: share, gang: "collude", falseShare: 1 } as const;
    const { wrong, draws, disputes } = simulateJobs(1, jobs, rules, people);
    const walk = exactWalk(rules, 1 - share, share);
    // The one seat is the gang's, or the vote that follows goes wrong.
    expectRate(wrong, jobs, share + (1 - share) * walk.wrong);
    expectRate(disputes, jobs, 1 - share);
    expect(Math.abs(draws / disputes - walk.expectedDraws)).toBeLessThan(0.05 * walk.expectedDraws);
  });

  it("and whole jobs of three seats accordingly", () => {
    const share = 0.3;
    const rules = { ...MAINNET, lead: 3, pollSize: 1 };
    const people = { verifiers: MANY, gangShare: share, gang: "collude", falseShare: 1 } as const;
    const { wrong } = simulateJobs(2, 10_000, rules, people);
    const { wrong: lost } = exactWalk(rules, 1 - share, share);
    expectRate(wrong, 10_000, (share + (1 - share) * lost) ** 3);
  });
});

describe("with the parameters of the main network", () => {
  const attacks: readonly Gang[] = ["collude", "slander", "withhold", "copy"];

  it.each(attacks.flatMap((gang) => [0, 0.1, 0.2, 0.3, 0.4].map((share) => [gang, share] as const)))(
    "%s with %f of the stake: votes decide nothing wrong, and honest verifiers lose nothing",
    (gang, share) => {
      // Spot checks pass what no honest seat saw: only what was seen by one is judged here.
      const people = { verifiers: MANY, gangShare: share, gang, falseShare: 0 };
      const { wrong, honestTaken, accepted, undecided } = simulateJobs(3, 300, MAINNET, people);
      expect(wrong).toBe(0);
      expect(honestTaken).toBe(0n);
      expect(accepted + undecided).toBe(300);
      if (share <= 0.3) expect(undecided).toBeLessThan(gang === "slander" && share === 0.3 ? 60 : 3);
    },
  );

  it("a worker that falsifies everything passes only where all of its seats are its own", () => {
    const people = { verifiers: MANY, gangShare: 0.2, gang: "collude", falseShare: 1 } as const;
    const { wrong, honestTaken } = simulateJobs(4, 10_000, MAINNET, people);
    expectRate(wrong, 10_000, 0.2 ** 3);
    expect(honestTaken).toBe(0n);
  });

  it("a worker that withholds what tiles are computed from never passes an honest seat", () => {
    const people = { verifiers: MANY, gangShare: 0.1, gang: "collude", falseShare: 0, workerWithholds: true } as const;
    const { accepted } = simulateJobs(5, 5_000, MAINNET, people);
    expectRate(accepted, 5_000, 0.1 ** 3);
  });

  it("a small set, in which everybody votes, is never wrong below a third of its votes", () => {
    for (const gang of attacks) {
      const people = { verifiers: 20, gangShare: 0.1, gang, falseShare: 0 };
      expect(simulateJobs(6, 2_000, MAINNET, people).wrong).toBe(0);
    }
  });
});
