/**
 * Everybody's money, counted from outside: what went into each module and what came out, by the balances of those who
 * sent and received. It knows the rules of docs/spec, not the modules' books, which the checks compare it with.
 */
import { cappedWeights } from "../../../base/capped-weights.ts";
import {
  AGENDA_ADDRESS,
  CLOCK_ADDRESS,
  MARKET_ADDRESS,
  PRICING_ADDRESS,
  PROGRAMS_ADDRESS,
  PROVIDERS_ADDRESS,
  SLASHING_ADDRESS,
  STAKING_ADDRESS,
  TOKEN_ADDRESS,
  TREASURY_ADDRESS,
  TRUST_LOCK_ADDRESS,
  VERIFICATION_ADDRESS,
  VERIFIERS_ADDRESS,
} from "../../../vm/modules/addresses.ts";
import { activeSet } from "../../../vm/modules/staking/active-set.ts";
import { sharesIn } from "../../../vm/modules/staking/delegations.ts";
import { payoutOf } from "../../../vm/modules/staking/operate.ts";
import { fundOf, standingOf } from "../../../vm/modules/staking/validator-record.ts";
import type { Receipt } from "../../../vm/receipt/receipt.ts";
import type { Address } from "../../../vm/state/account.ts";
import type { BlockPlan, EconomyWorld } from "./economy-world.ts";
import type { Operation } from "./operation.ts";

const MILLION = 1_000_000n;
/** Rewards are counted in wei times 2^PLACES. */
export const PLACES = 128n;

export class Sums {
  readonly #sums: Map<string, bigint> = new Map();

  get(key: string): bigint {
    return this.#sums.get(key) ?? 0n;
  }

  add(key: string, amount: bigint): void {
    this.#sums.set(key, this.get(key) + amount);
  }

  total(): bigint {
    let total = 0n;
    for (const value of this.#sums.values()) total += value;
    return total;
  }
}

/** The modules in which everybody has pots of their own. */
export const HOLDERS: readonly Address[] = [TRUST_LOCK_ADDRESS, PROVIDERS_ADDRESS, VERIFIERS_ADDRESS];

export interface VoteBook {
  readonly snapshot: number;
  readonly choices: Map<Address, number>;
  /** By validator, then by delegator. */
  readonly overrides: Map<Address, Map<Address, number>>;
}

/** What everybody had when an epoch began. */
export interface StakeSnapshot {
  readonly tokens: Map<Address, bigint>;
  readonly shares: Map<Address, bigint>;
  readonly parts: Map<Address, Map<Address, bigint>>;
}

/** Before a transaction: whose balances it may change. */
interface Before {
  readonly balances: ReadonlyMap<Address, bigint>;
  readonly payout: Address | undefined;
}

export class Bookkeeper {
  readonly #world: EconomyWorld;
  readonly everybody: readonly Address[];
  /** In each holder, by "module account". */
  readonly held: Sums = new Sums();
  /** Set aside of that. */
  readonly bound: Sums = new Sums();
  /** What is left of each, by "owner controller name". */
  readonly commitments: Sums = new Sums();
  /** Money that was sent to a module without a call: nobody's. */
  readonly gifts: Sums = new Sums();
  readonly stakePutIn: Sums = new Sums();
  readonly stakeTakenOut: Sums = new Sums();
  /** Times 2^PLACES. */
  readonly rewardsEarned: Sums = new Sums();
  readonly rewardsTaken: Sums = new Sums();
  readonly commissionEarned: Sums = new Sums();
  readonly commissionTaken: Sums = new Sums();
  readonly reporterTaken: Sums = new Sums();
  readonly votes: Map<bigint, VoteBook> = new Map();
  readonly snapshots: StakeSnapshot[] = [];
  minted = 0n;
  /** All that the schedule has allowed up to this block. */
  scheduled = 0n;
  /** Things that may have rounded a wei. */
  roundings = 0n;
  #emission = 0n;
  #counted = 0n;
  #signed: bigint[] = [];
  #credits: bigint[] = [];
  #isFirstOfEpoch = false;

  constructor(world: EconomyWorld) {
    this.#world = world;
    const { people, contracts, operators, spec } = world.beginning;
    this.everybody = [...people, ...contracts, ...operators];
    for (const { operator, stake } of spec.validators) this.stakePutIn.add(operator, stake);
    for (let number = 1n; number <= world.number; number++) this.scheduled += this.#emissionOf(number);
    this.takeSnapshot();
  }

  #emissionOf(number: bigint): bigint {
    const { initialPerBlock, halvingBlocks } = this.#world.beginning.spec.modules.token.emission;
    return initialPerBlock / 2n ** ((number - 1n) / halvingBlocks);
  }

  /** After the hooks that begin a block. */
  beginBlock(plan: BlockPlan): void {
    const emission = this.#emissionOf(this.#world.number);
    this.scheduled += emission;
    if (this.#isFirstOfEpoch) {
      this.#isFirstOfEpoch = false;
      return;
    }
    const weights = this.#weights();
    const signers = new Set(plan.signers.filter((index) => index < weights.length));
    this.#counted++;
    this.#emission += emission;
    let weight = 0n;
    for (const index of signers) {
      this.#signed[index] = (this.#signed[index] ?? 0n) + 1n;
      weight += weights[index] ?? 0n;
    }
    if (plan.proposer < weights.length) this.#credits[plan.proposer] = (this.#credits[plan.proposer] ?? 0n) + weight;
  }

  #weights(): readonly bigint[] {
    const set = activeSet(this.#world.reading(STAKING_ADDRESS));
    const divisor = BigInt(this.#world.beginning.spec.consensus.weightCapDivisor);
    return cappedWeights(
      set.map(({ stake }) => stake),
      divisor,
    );
  }

  /** What the epoch's rewards must be: to be called before the hooks of its end. By operator. */
  expectedRewards(): ReadonlyMap<Address, bigint> {
    const call = this.#world.reading(STAKING_ADDRESS);
    const weights = this.#weights();
    const total = weights.reduce((sum, weight) => sum + weight, 0n);
    const { finaliserShare, proposerShare } = call.parameters.staking;
    const finalisers = (this.#emission * finaliserShare) / MILLION;
    const proposers = (finalisers * proposerShare) / MILLION;
    const rewards = new Map<Address, bigint>();
    for (const [index, { operator }] of activeSet(call).entries()) {
      if (this.#counted === 0n || standingOf(call, operator).isTombstoned > 0n) continue;
      const voting = (finalisers - proposers) * (weights[index] ?? 0n) * (this.#signed[index] ?? 0n);
      const proposing = proposers * (this.#credits[index] ?? 0n);
      rewards.set(operator, (voting + proposing) / (total * this.#counted));
    }
    return rewards;
  }

  /** After the hooks of the end of an epoch. Shares are still those that were rewarded. */
  endEpoch(rewards: ReadonlyMap<Address, bigint>, commissionOf: (operator: Address) => bigint): void {
    const call = this.#world.reading(STAKING_ADDRESS);
    for (const [operator, reward] of rewards) {
      this.minted += reward;
      const commission = (reward * commissionOf(operator)) / MILLION;
      const { shares } = fundOf(call, operator);
      this.commissionEarned.add(operator, shares === 0n ? reward : commission);
      if (shares === 0n) continue;
      for (const delegator of this.everybody) {
        const own = sharesIn(call, operator, delegator);
        if (own > 0n) this.rewardsEarned.add(delegator, (((reward - commission) << PLACES) * own) / shares + 1n);
      }
    }
    this.#emission = 0n;
    this.#counted = 0n;
    this.#signed = [];
    this.#credits = [];
    this.#isFirstOfEpoch = true;
    this.takeSnapshot();
  }

  takeSnapshot(): void {
    const call = this.#world.reading(STAKING_ADDRESS);
    const snapshot: StakeSnapshot = { tokens: new Map(), shares: new Map(), parts: new Map() };
    for (const operator of this.#world.beginning.operators) {
      const { tokens, shares } = fundOf(call, operator);
      snapshot.tokens.set(operator, tokens);
      snapshot.shares.set(operator, shares);
      const parts = this.everybody.map((one) => [one, sharesIn(call, operator, one)] as const);
      snapshot.parts.set(operator, new Map(parts.filter(([, part]) => part > 0n)));
    }
    this.snapshots.push(snapshot);
  }

  before({ actor, via, module, functionName, args, to }: Operation): Before {
    const payout =
      module === "staking" &&
      (functionName === "claimCommission" || (functionName === "claimRewards" && args[0] === actor))
        ? payoutOf(this.#world.reading(STAKING_ADDRESS), actor)
        : undefined;
    const touched = [actor, via ?? actor, to, payout ?? actor, ...HOLDERS];
    return { payout, balances: new Map(touched.map((one) => [one, this.#world.balance(one)])) };
  }

  /** A transaction that has succeeded. */
  record(operation: Operation, receipt: Receipt, before: Before): void {
    const { actor, via, value, module, to } = operation;
    const fee = receipt.gasUsed * receipt.effectiveGasPrice;
    const sender = via ?? actor;
    /** What the account has got, its own fee and value aside. */
    const gain = (account: Address): bigint =>
      this.#world.balance(account) -
      (before.balances.get(account) ?? 0n) +
      (account === sender ? fee : 0n) +
      (account === actor ? value : 0n);
    this.roundings += 4n;
    if (module === "transfer") this.gifts.add(to, value);
    else if (module === "staking") this.#recordStaking(operation, gain, before.payout ?? actor);
    else if (module === "slashing") this.reporterTaken.add(actor, gain(actor));
    else if (module === "governance") this.#recordVote(operation);
    else if (module === "market") this.#recordMarket(operation, before);
    else if (HOLDERS.includes(to)) this.#recordHolder(operation, gain);
  }

  #recordStaking({ actor, functionName, value }: Operation, gain: (account: Address) => bigint, payee: Address): void {
    if (functionName === "withdraw") this.stakeTakenOut.add(actor, gain(actor));
    else if (functionName === "claimRewards") this.rewardsTaken.add(actor, gain(payee));
    else if (functionName === "claimCommission") this.commissionTaken.add(actor, gain(payee));
    else this.stakePutIn.add(actor, value);
  }

  #recordHolder({ actor, to, functionName, args, value }: Operation, gain: (account: Address) => bigint): void {
    this.held.add(`${to} ${actor}`, value);
    if (functionName === "withdraw") this.held.add(`${to} ${actor}`, -gain(actor));
    if (to !== TRUST_LOCK_ADDRESS) return;
    const commit = (owner: Address, controller: Address, name: string, amount: bigint): void => {
      this.commitments.add(`${owner} ${controller} ${name}`, amount);
      this.bound.add(`${to} ${owner}`, amount);
    };
    const [first, second, third] = args as [Address, Address, bigint];
    if (functionName === "allocate" || functionName === "increase") commit(actor, second, first, third);
    if (functionName === "release") commit(first, actor, second, -third);
    if (functionName === "reclaim") commit(actor, second, first, -this.commitments.get(`${actor} ${second} ${first}`));
    if (functionName === "breach") {
      const [owner, name, amount, , receivers, amounts] = args as [
        Address,
        string,
        bigint,
        number,
        Address[],
        bigint[],
      ];
      commit(owner, actor, name, -amount);
      this.held.add(`${to} ${owner}`, -amount);
      for (const [index, receiver] of receivers.entries()) {
        const isLocked = receiver !== TREASURY_ADDRESS && BigInt(receiver) !== 0n;
        if (isLocked) this.held.add(`${to} ${receiver}`, amounts[index] ?? 0n);
      }
    }
  }

  /** What a module takes it pays out, so that the holder's own balance says how much. */
  #recordMarket({ functionName, args }: Operation, before: Before): void {
    const [party, amount] = args as [Address, bigint];
    const isProvider = ["reserve", "releaseReserved", "takeReserved", "takeCollateral"].includes(functionName);
    const module = isProvider ? PROVIDERS_ADDRESS : VERIFIERS_ADDRESS;
    const paid = (before.balances.get(module) ?? 0n) - this.#world.balance(module);
    const key = `${module} ${party}`;
    this.held.add(key, -paid);
    if (functionName === "reserve") this.bound.add(key, amount);
    if (functionName.startsWith("release") || functionName === "takeReserved" || functionName === "takeFrozen") {
      this.bound.add(key, -amount);
    }
    // Freezing takes what there is, which the caller has not asked beyond.
    if (functionName === "freeze") this.bound.add(key, amount);
  }

  #recordVote({ actor, functionName, args }: Operation): void {
    if (functionName.startsWith("propose")) {
      const id = BigInt(this.votes.size + 1);
      this.votes.set(id, { snapshot: this.#world.epoch, choices: new Map(), overrides: new Map() });
      return;
    }
    const book = this.votes.get(args[0] as bigint);
    if (book === undefined) return;
    if (functionName === "vote") book.choices.set(actor, args[1] as number);
    if (functionName !== "voteAsDelegator") return;
    const validator = args[1] as Address;
    const own = book.overrides.get(validator) ?? new Map<Address, number>();
    own.set(actor, args[2] as number);
    book.overrides.set(validator, own);
  }
}

/** Modules that hold nothing but what they were given; market and verification because nobody asks for a job here. */
export const EMPTY_HANDED: readonly Address[] = [
  CLOCK_ADDRESS,
  TOKEN_ADDRESS,
  SLASHING_ADDRESS,
  PROGRAMS_ADDRESS,
  PRICING_ADDRESS,
  VERIFICATION_ADDRESS,
  MARKET_ADDRESS,
  AGENDA_ADDRESS,
];
