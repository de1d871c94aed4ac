import fc from "fast-check";
import { expect, test as it } from "vitest";
import { StakingWorld } from "../../../bench/staking-world.ts";
import { emissionOfBlock } from "../../../genesis/emission.ts";
import { stakingAbi } from "../../../vm/interfaces/abi/staking.ts";
import { STAKING_ADDRESS } from "../../../vm/modules/addresses.ts";
import { activeSet, activeWeight } from "../../../vm/modules/staking/active-set.ts";
import { rewardsDue, sharesIn } from "../../../vm/modules/staking/delegations.ts";
import { type Fund, worth } from "../../../vm/modules/staking/shares.ts";
import { readUnbondings, unbondingWorth } from "../../../vm/modules/staking/unbonding.ts";
import { field, fundOf, standingOf, total } from "../../../vm/modules/staking/validator-record.ts";
import { delegationAt, totalStakeAt, validatorStakeAt } from "../../../vm/modules/staking/validators.ts";
import { recordSpace } from "../../../vm/modules/storage.ts";
import type { Address } from "../../../vm/state/account.ts";
import { accountKey, eventsOf } from "../support/economy-chain.ts";
import { exact, type NaiveBlock, NaiveStaking, naiveRewards } from "../support/naive-staking.ts";
import {
  GENESIS_VALIDATORS,
  KINDS,
  laterKeys,
  type OnPosition,
  type OnValidator,
  type Operation,
  operations,
  operators,
  people,
  spec,
  UNBONDING_SECONDS,
} from "../support/staking-operations.ts";

const STAKING = { address: STAKING_ADDRESS, abi: stakingAbi } as const;

const RUNS = 20;

/** The module and the model, side by side. */
class Comparison {
  readonly world: StakingWorld = new StakingWorld(spec);
  readonly model: NaiveStaking = new NaiveStaking(UNBONDING_SECONDS);
  done = 0;
  readonly doneByKind: Map<Operation["kind"], number> = new Map();
  #blocks: NaiveBlock[] = [];
  readonly #epochs: { epoch: bigint; total: bigint; validators: bigint[]; delegations: bigint[] }[] = [];

  constructor() {
    for (const { operator, stake } of spec.validators) this.model.register(operator, stake, 0n);
    this.#beginEpoch();
  }

  /** One wei, at most, for each thing that has rounded something. */
  get tolerance(): bigint {
    return exact(BigInt(2 * this.done + 10));
  }

  run(operation: Operation): void {
    const { kind } = operation;
    const before = this.#funds();
    if (!this.#apply(operation)) return;
    this.done++;
    this.doneByKind.set(kind, (this.doneByKind.get(kind) ?? 0) + 1);
    const isSlash = kind === "absence" || kind === "convict" || (kind === "redelegate" && operation.isJustInTime);
    if (!isSlash) this.#checkPrices(before);
  }

  #funds(): Fund[] {
    const call = this.world.protocol();
    return operators.map((operator) => fundOf(call, operator));
  }

  /** Nobody takes anything from those who stay: only slashes make a share worth less. */
  #checkPrices(before: readonly Fund[]): void {
    for (const [index, { tokens, shares }] of this.#funds().entries()) {
      const old = before[index] as Fund;
      if (shares > 0n && tokens * old.shares < old.tokens * shares)
        throw new Error(`a share of ${index} has lost value`);
    }
  }

  #apply(operation: Operation): boolean {
    switch (operation.kind) {
      case "unbond":
      case "redelegate":
      case "withdraw":
      case "claim":
      case "settle":
        return this.#applyToPosition(operation);
      case "delegate": {
        const [who, to] = [people[operation.who] as Address, operators[operation.to] as Address];
        if (!this.world.call(who, "delegate", [to], operation.amount).succeeded) return false;
        this.model.delegate(to, who, operation.amount, this.world.seconds);
        return true;
      }
      case "register":
        return this.#register(operation.which, operation.stake);
      case "block":
        this.#count(operation.signers, operation.proposer);
        this.world.block(operation);
        return true;
      case "endEpoch":
        this.#endEpoch(operation.signers, operation.proposer);
        return true;
      default:
        return this.#applyToValidator(operation);
    }
  }

  /** Mostly somebody who has something there: else nearly everything would be refused. */
  #applyToPosition(operation: OnPosition): boolean {
    const { world, model } = this;
    const now = world.seconds;
    const [from, who] = this.#position(operation);
    switch (operation.kind) {
      case "unbond": {
        const amount = this.#part(from, who, operation.part);
        if (!world.call(who, "unbond", [from, amount]).succeeded) return false;
        model.unbond(from, who, amount, this.#hasNothing(from, who), now);
        return true;
      }
      case "redelegate": {
        const to = operators[operation.to] as Address;
        const amount = this.#part(from, who, operation.part);
        if (!world.call(who, "redelegate", [from, to, amount]).succeeded) return false;
        model.redelegate(from, to, who, amount, this.#hasNothing(from, who), now);
        // By chance alone, those who leave are seldom those who are found out.
        if (operation.isJustInTime) this.run({ kind: "convict", from: operators.indexOf(from), ago: 100n });
        return true;
      }
      case "withdraw": {
        const outcome = world.call(who, "withdraw", [from]);
        if (!outcome.succeeded) return false;
        this.#close(outcome.result as bigint, model.withdraw(from, who, now), "what is withdrawn");
        return true;
      }
      case "claim": {
        const outcome = world.call(who, "claimRewards", [from]);
        if (!outcome.succeeded) return false;
        this.#close(outcome.result as bigint, model.claim(from, who, now), "what is claimed");
        return true;
      }
      case "settle":
        if (!world.call(accountKey(0).address, "settleRedelegation", [who, from]).succeeded) return false;
        model.settle(from, who, now);
        return true;
    }
  }

  #position({ kind, who, from }: OnPosition): readonly [Address, Address] {
    const found: [Address, Address][] = [];
    for (const [operator, { positions, unbondings }] of this.model.validators) {
      const isFound = (source = operator): boolean => this.model.validator(source).found !== undefined;
      const hasStake = (owner: string): boolean => this.model.delegation(operator, owner) > 0n;
      const mustAnswer = (owner: string): boolean =>
        positions.get(owner)?.lots.some(({ origin }) => origin !== undefined && isFound(origin.source)) ?? false;
      // Operators leave by `exit`: if all of them took out their stake, there would soon be nobody to delegate to.
      const holders = [...positions.keys()].filter((owner) =>
        kind === "settle" ? mustAnswer(owner) : kind === "claim" || (owner !== operator && hasStake(owner)),
      );
      const owners = kind === "withdraw" ? unbondings.map(({ delegator }) => delegator) : holders;
      found.push(...owners.map((owner): [Address, Address] => [operator as Address, owner as Address]));
    }
    const stranger = [operators[from] as Address, people[who] as Address] as const;
    return who === 0 ? stranger : (found[(who * operators.length + from) % found.length] ?? stranger);
  }

  #register(which: number, stake: bigint): boolean {
    const operator = operators[GENESIS_VALIDATORS + which] as Address;
    const key = laterKeys[which];
    const args = [key?.publicKey, key?.proof, 100_000n, 200_000n, 10_000n, operator, ""];
    if (!this.world.call(operator, "register", args, stake).succeeded) return false;
    this.model.register(operator, stake, 100_000n);
    return true;
  }

  #applyToValidator(operation: OnValidator): boolean {
    const { world, model } = this;
    const now = world.seconds;
    const from = operators[operation.from] as Address;
    if (!model.validators.has(from)) return false;
    switch (operation.kind) {
      case "exit": {
        const outcome = world.call(from, "exit", []);
        if (!outcome.succeeded) return false;
        const amount = eventsOf(STAKING, outcome.logs).find(({ name }) => name === "Unbonded")?.args["amount"];
        model.unbond(from, from, amount as bigint, true, now);
        return true;
      }
      case "claimCommission": {
        const outcome = world.call(from, "claimCommission", []);
        if (!outcome.succeeded) return false;
        expect(outcome.result).toBe(model.validator(from).commissionDue);
        model.validator(from).commissionDue = 0n;
        return true;
      }
      case "setCommission":
        if (!world.call(from, "setCommission", [operation.commission]).succeeded) return false;
        model.validator(from).commission = operation.commission;
        return true;
      case "absence":
        world.punishAbsence(from, operation.share, now + 60n);
        model.slashBonded(from, operation.share);
        return true;
      case "unjail":
        return world.call(from, "unjail", []).succeeded;
      case "convict":
        if (standingOf(world.protocol(), from).isTombstoned > 0n) return false;
        world.convict(from, now - operation.ago);
        model.convict(from, spec.modules.slashing.doubleSignShare, now - operation.ago, now);
        return true;
    }
  }

  #part(operator: Address, delegator: Address, thousandths: number): bigint {
    const { amount } = this.world.view<{ amount: bigint }>("delegation", [delegator, operator]);
    return (amount * BigInt(thousandths)) / 1000n;
  }

  #hasNothing(operator: Address, delegator: Address): boolean {
    return sharesIn(this.world.protocol(), operator, delegator) === 0n;
  }

  #count(signers: readonly number[], proposer: number): void {
    const count = activeSet(this.world.protocol()).length;
    const there = [...new Set(signers)].filter((index) => index < count);
    const emission = emissionOfBlock(spec.modules.token.emission, this.world.number + 1n);
    this.#blocks.push({ emission, signers: there, proposer });
  }

  #endEpoch(signers: readonly number[], proposer: number): void {
    const { world, model } = this;
    this.#count(signers, proposer);
    const call = world.protocol();
    const set = activeSet(call);
    const weights = set.map((_, index) => activeWeight(call, index));
    const { finaliserShare, proposerShare } = spec.modules.staking;
    const rewards = naiveRewards(this.#blocks, weights, finaliserShare, proposerShare).map((reward, index) => {
      const operator = set[index]?.operator as Address;
      return { operator, reward: standingOf(call, operator).isTombstoned > 0n ? 0n : reward };
    });
    const logs = world.block({ signers, proposer, isSeal: true });
    const told = eventsOf(STAKING, logs).filter(({ name }) => name === "Rewarded");
    expect(
      told.map(({ args }) => [
        String(args["operator"]).toLowerCase(),
        (args["commission"] as bigint) + (args["rest"] as bigint),
      ]),
    ).toEqual(rewards.filter(({ reward }) => reward > 0n).map(({ operator, reward }) => [operator, reward]));
    for (const reward of rewards) model.reward(reward);
    this.#checkChosen();
    this.check();
    this.#beginEpoch();
  }

  /** Its first block, which carries no votes: transactions are in blocks, so none comes before it. */
  #beginEpoch(): void {
    this.#rememberEpoch();
    this.#blocks = [];
    this.world.block({});
  }

  /** Those who may, by stake, ties by address; the old ones if there is nobody. */
  #checkChosen(): void {
    const call = this.world.protocol();
    const { minSelfStake, maxValidators } = spec.modules.staking;
    const able = [...this.model.validators.keys()].filter((operator) => {
      const { isJailed, isTombstoned } = standingOf(call, operator as Address);
      const self = worth(fundOf(call, operator as Address), sharesIn(call, operator as Address, operator as Address));
      return isJailed === 0n && isTombstoned === 0n && self >= minSelfStake;
    });
    const stake = (operator: string): bigint => fundOf(call, operator as Address).tokens;
    const best = able
      .sort((a, b) => (stake(a) === stake(b) ? (a < b ? -1 : 1) : stake(a) > stake(b) ? -1 : 1))
      .slice(0, Number(maxValidators));
    const chosen = activeSet(call).map(({ operator }) => operator as string);
    if (best.length > 0) expect(chosen.sort()).toEqual(best.sort());
    else expect(chosen.length).toBeGreaterThan(0);
  }

  #rememberEpoch(): void {
    const call = this.world.protocol();
    this.#epochs.push({
      epoch: BigInt(this.world.epoch),
      total: total(call, "bonded"),
      validators: operators.map((operator) => fundOf(call, operator).tokens),
      delegations: operators.flatMap((operator) =>
        people.map((person) => worth(fundOf(call, operator), sharesIn(call, operator, person))),
      ),
    });
  }

  /** What every epoch began with is what was there when the one before ended. */
  checkEpochs(): void {
    const call = this.world.protocol();
    for (const { epoch, total: all, validators, delegations } of this.#epochs) {
      expect(totalStakeAt(call, epoch)).toBe(all);
      expect(operators.map((operator) => validatorStakeAt(call, epoch, operator))).toEqual(validators);
      expect(
        operators.flatMap((operator) => people.map((person) => delegationAt(call, epoch, operator, person))),
      ).toEqual(delegations);
    }
  }

  #close(actual: bigint, expected: bigint, what: string): void {
    const difference = exact(actual) - expected;
    const distance = difference < 0n ? -difference : difference;
    if (distance > this.tolerance) throw new Error(`${what}: ${actual} is not ${expected >> 128n}, after ${this.done}`);
  }

  /** Everybody has what the model says, and the books add up to the wei. */
  check(): void {
    const { world, model } = this;
    const call = world.protocol();
    let bonded = 0n;
    let rewards = 0n;
    let unbonding = 0n;
    let entries = 0n;
    for (const operator of model.validators.keys() as Iterable<Address>) {
      const fund = fundOf(call, operator);
      expect(fund.shares).toBeGreaterThanOrEqual(fund.tokens);
      bonded += fund.tokens;
      rewards += field(call, "rewards", operator) + field(call, "commission", operator);
      expect(field(call, "commission", operator)).toBe(model.validator(operator).commissionDue);
      this.#close(fund.tokens, model.stake(operator), "the stake of a validator");
      let shares = 0n;
      let amounts = 0n;
      for (const person of people) {
        const own = sharesIn(call, operator, person);
        shares += own;
        amounts += worth(fund, own);
        this.#close(worth(fund, own), model.delegation(operator, person), "a delegation");
        this.#close(rewardsDue(call, operator, person), model.rewards(operator, person), "rewards");
        const leaving = readUnbondings(call, operator, person).map((entry) => unbondingWorth(call, operator, entry));
        const left = leaving.reduce((sum, amount) => sum + amount, 0n);
        this.#close(left, model.unbonding(operator, person), "what is unbonding");
        unbonding += left;
        entries += BigInt(leaving.length);
      }
      expect(shares).toBe(fund.shares);
      expect(amounts).toBeLessThanOrEqual(fund.tokens);
      this.#checkRewards(operator);
    }
    expect(total(call, "bonded")).toBe(bonded);
    expect(total(call, "rewards")).toBe(rewards);
    expect(total(call, "unbonding")).toBeGreaterThanOrEqual(unbonding);
    expect(total(call, "unbonding")).toBeLessThanOrEqual(unbonding + entries);
    expect(world.state.balance(STAKING_ADDRESS)).toBe(bonded + rewards + total(call, "unbonding"));
    expect(world.state.balanceDelta).toBe(world.state.minted - world.state.burned);
  }

  /** Not a fraction of a wei of rewards is anywhere else than with a delegator or in the remainder. */
  #checkRewards(operator: Address): void {
    const call = this.world.protocol();
    const delegations = recordSpace("delegation", ["shares", "index", "due"]);
    const index = field(call, "index", operator);
    let scaled = field(call, "remainder", operator);
    for (const person of people) {
      scaled += delegations.get(call, "due", operator, person) << 96n;
      const since = delegations.get(call, "index", operator, person);
      scaled += delegations.get(call, "shares", operator, person) * (index - since);
    }
    expect(scaled).toBe(field(call, "rewards", operator) << 96n);
  }
}

it("everybody has, to the wei that rounding may take, what a model says that loops over all of them", () => {
  const done = new Map<Operation["kind"], number>();
  fc.assert(
    fc.property(fc.array(operations, { minLength: 200, maxLength: 400, size: "max" }), (history) => {
      const comparison = new Comparison();
      for (const operation of history) comparison.run(operation);
      comparison.check();
      comparison.checkEpochs();
      for (const [kind, count] of comparison.doneByKind) done.set(kind, (done.get(kind) ?? 0) + count);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  // A history in which something is always refused shows nothing about it.
  expect(KINDS.filter((kind) => !done.has(kind))).toEqual([]);
}, 240_000);
