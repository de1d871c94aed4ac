/** Votes against a model that counts them the slow way: every delegator of every validator, after every vote. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OGPU } from "../../../base/units.ts";
import { WHOLE } from "../../../genesis/economy.ts";
import { stakingAbi } from "../../../vm/interfaces/abi/staking.ts";
import { STAKING_ADDRESS } from "../../../vm/modules/addresses.ts";
import { verdict } from "../../../vm/modules/governance/decide.ts";
import { accountKey, EconomyChain, operatorKey } from "../support/economy-chain.ts";
import { CHOICE, GOVERNANCE, proposeText, STATUS, statusOf, VOTING } from "./support/governance.ts";

const STAKING = { address: STAKING_ADDRESS, abi: stakingAbi } as const;
const VALIDATORS = 4;
const DELEGATORS = 5;
const SELF_STAKE = 100n * OGPU;

type Choice = keyof typeof CHOICE;

interface Model {
  /** By validator, then delegator: what each had when the proposal's epoch began. */
  readonly delegated: readonly (readonly bigint[])[];
  readonly validatorVotes: Map<number, Choice>;
  readonly delegatorVotes: Map<string, Choice>;
}

function tallyOf({ delegated, validatorVotes, delegatorVotes }: Model): readonly bigint[] {
  const sums: Record<Choice, bigint> = { yes: 0n, no: 0n, abstain: 0n, veto: 0n };
  let total = 0n;
  for (const [validator, parts] of delegated.entries()) {
    const own = validatorVotes.get(validator);
    total += SELF_STAKE;
    if (own !== undefined) sums[own] += SELF_STAKE;
    for (const [delegator, part] of parts.entries()) {
      total += part;
      const choice = delegatorVotes.get(`${validator}/${delegator}`) ?? own;
      if (choice !== undefined) sums[choice] += part;
    }
  }
  return [sums.yes, sums.no, sums.abstain, sums.veto, total];
}

const choices = fc.constantFrom<Choice>("yes", "no", "abstain", "veto");
const validators = fc.nat(VALIDATORS - 1);
const delegators = fc.nat(DELEGATORS - 1);
const stakes = fc.bigInt(OGPU / 10n, 300n * OGPU);
const delegations = fc.record({ validator: validators, delegator: delegators, amount: stakes });
const votes = fc.oneof(
  fc.record({ by: fc.constant("validator" as const), validator: validators, choice: choices }),
  fc.record({ by: fc.constant("delegator" as const), validator: validators, delegator: delegators, choice: choices }),
  fc.record({ by: fc.constant("stake" as const), validator: validators, delegator: delegators, amount: stakes }),
);

function delegate(chain: EconomyChain, validator: number, delegator: number, amount: bigint): void {
  const key = accountKey(delegator);
  chain.send(STAKING, "delegate", [operatorKey(validator).address], { key, value: amount }, { seconds: 0 });
}

describe("votes", () => {
  it("add up as if everybody were asked one by one, in whatever order they come and change", () => {
    fc.assert(
      fc.property(
        fc.array(delegations, { maxLength: 8 }),
        fc.array(votes, { minLength: 1, maxLength: 25 }),
        (before, during) => {
          const chain = new EconomyChain();
          const delegated = Array.from({ length: VALIDATORS }, () => new Array<bigint>(DELEGATORS).fill(0n));
          for (const { validator, delegator, amount } of before) {
            delegate(chain, validator, delegator, amount);
            const parts = delegated[validator];
            if (parts !== undefined) parts[delegator] = (parts[delegator] ?? 0n) + amount;
          }
          chain.endEpoch();
          const id = proposeText(chain, accountKey(19));
          const model: Model = { delegated, validatorVotes: new Map(), delegatorVotes: new Map() };
          for (const vote of during) {
            const operator = operatorKey(vote.validator);
            if (vote.by === "validator") {
              chain.send(GOVERNANCE, "vote", [id, CHOICE[vote.choice]], { key: operator }, { seconds: 0 });
              model.validatorVotes.set(vote.validator, vote.choice);
            } else if (vote.by === "stake") {
              // Comes too late to count.
              delegate(chain, vote.validator, vote.delegator, vote.amount);
            } else if ((delegated[vote.validator]?.[vote.delegator] ?? 0n) === 0n) {
              const args = [id, operator.address, CHOICE[vote.choice]] as const;
              const reverted = chain.revertOf(GOVERNANCE, "voteAsDelegator", args, { key: accountKey(vote.delegator) });
              expect(reverted.name).toBe("NoStake");
            } else {
              const args = [id, operator.address, CHOICE[vote.choice]] as const;
              const key = accountKey(vote.delegator);
              chain.send(GOVERNANCE, "voteAsDelegator", args, { key }, { seconds: 0 });
              model.delegatorVotes.set(`${vote.validator}/${vote.delegator}`, vote.choice);
            }
            expect(chain.view(GOVERNANCE, "tally", [id])).toEqual(tallyOf(model));
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("of a validator whose stake was slashed and shared weigh what there was at the snapshot, to the wei", () => {
    const chain = new EconomyChain();
    delegate(chain, 0, 0, 7n * OGPU + 1n);
    delegate(chain, 0, 1, 13n * OGPU + 3n);
    // Absent for an epoch: a small slash makes shares worth odd amounts.
    const absent = chain.validators.findIndex((validator) => validator.operator === operatorKey(0).address);
    const signers = [0, 1, 2, 3].filter((index) => index !== absent);
    chain.blocks(60, { signers });
    chain.endEpoch({ signers });
    const id = proposeText(chain);
    const operator = operatorKey(0);
    const stake = chain.view(STAKING, "validatorStakeAt", [1n, operator.address]);
    expect(stake).toBeLessThan(SELF_STAKE + 20n * OGPU + 4n);
    for (const index of [0, 1]) {
      const args = [id, operator.address, CHOICE.no] as const;
      chain.send(GOVERNANCE, "voteAsDelegator", args, { key: accountKey(index) });
    }
    // Its own part too, so that only what rounding has left is the validator's to vote with.
    chain.send(GOVERNANCE, "voteAsDelegator", [id, operator.address, CHOICE.abstain], { key: operator });
    chain.send(GOVERNANCE, "vote", [id, CHOICE.yes], { key: operator });
    const [yes, no, abstain] = chain.view(GOVERNANCE, "tally", [id]);
    expect(yes + no + abstain).toBe(stake);
    expect(yes).toBeLessThan(3n);
  });

  it("of a delegator carry a proposal against its validator", () => {
    const chain = new EconomyChain();
    delegate(chain, 0, 0, 1_000n * OGPU);
    chain.endEpoch();
    const id = proposeText(chain);
    chain.send(GOVERNANCE, "vote", [id, CHOICE.no], { key: operatorKey(0) });
    const args = [id, operatorKey(0).address, CHOICE.yes] as const;
    chain.send(GOVERNANCE, "voteAsDelegator", args, { key: accountKey(0) });
    expect(chain.view(GOVERNANCE, "voteOf", [id, operatorKey(0).address])).toEqual([CHOICE.no, 1_000n * OGPU]);
    const vote = chain.view(GOVERNANCE, "delegatorVoteOf", [id, operatorKey(0).address, accountKey(0).address]);
    expect(vote).toEqual([CHOICE.yes, 1_000n * OGPU]);
    chain.pass(VOTING);
    expect(statusOf(chain, id)).toBe(STATUS.queued);
  });
});

describe("the verdict", () => {
  const weights = fc.bigInt(0n, 1_000n);
  const shares = fc.oneof(fc.bigInt(0n, WHOLE), fc.constantFrom(0n, 250_000n, 334_000n, 500_000n, WHOLE));

  it("is what the rules say, in fractions", () => {
    fc.assert(
      fc.property(weights, weights, weights, weights, weights, shares, shares, shares, (...values) => {
        const [yes, no, abstain, veto, silent, quorumShare, thresholdShare, vetoShare] = values;
        const voted = yes + no + abstain + veto;
        const total = voted + silent;
        // `part` of `whole` is at least that share: by the remainder, as on paper.
        const isAtLeast = (part: bigint, whole: bigint, share: bigint): boolean => {
          const needed = (whole * share) / WHOLE + ((whole * share) % WHOLE > 0n ? 1n : 0n);
          return part >= needed;
        };
        const expected =
          total === 0n || !isAtLeast(voted, total, quorumShare)
            ? "no-quorum"
            : veto !== 0n && isAtLeast(veto, voted, vetoShare)
              ? "vetoed"
              : yes > no + veto && isAtLeast(yes, yes + no + veto, thresholdShare)
                ? "queued"
                : "rejected";
        const tally = { yes, no, abstain, veto, total };
        expect(verdict(tally, { quorumShare, thresholdShare, vetoShare })).toBe(expected);
      }),
      { numRuns: 5_000 },
    );
  });

  it("never accepts a proposal and its opposite by the same votes", () => {
    fc.assert(
      fc.property(weights, weights, weights, (yes, no, abstain) => {
        const rules = { quorumShare: 0n, thresholdShare: WHOLE / 2n, vetoShare: WHOLE };
        const total = yes + no + abstain;
        const one = verdict({ yes, no, abstain, veto: 0n, total }, rules);
        const other = verdict({ yes: no, no: yes, abstain, veto: 0n, total }, rules);
        expect([one, other]).not.toEqual(["queued", "queued"]);
      }),
    );
  });
});
