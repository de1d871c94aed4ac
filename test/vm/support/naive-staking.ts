/**
 * Staking the slow and obvious way: everybody's money is a number of its own, every slash and every reward goes through
 * all of them. Numbers have 128 binary places, so that the model itself rounds nothing that could be seen. Written from
 * docs/spec/staking.md and docs/spec/rewards.md, not from the module.
 */
const PLACES = 128n;
const WHOLE = 1_000_000n;

/** Wei times 2^PLACES. */
type Exact = bigint;

export const exact = (wei: bigint): Exact => wei << PLACES;

interface Origin {
  readonly source: string;
  readonly since: bigint;
  readonly until: bigint;
}

/** A part of somebody's delegation, or of what they unbond. */
interface Lot {
  amount: Exact;
  origin: Origin | undefined;
}

interface Position {
  /** The free part first, then what is liable, oldest first. */
  lots: Lot[];
  rewards: Exact;
}

interface Unbonding extends Lot {
  readonly delegator: string;
  readonly era: number;
  readonly dueAt: bigint;
}

interface NaiveValidator {
  readonly positions: Map<string, Position>;
  unbondings: Unbonding[];
  /** When each began. */
  readonly eras: bigint[];
  commission: bigint;
  commissionDue: bigint;
  found: { share: bigint; offenceAt: bigint; at: bigint } | undefined;
}

export interface NaiveReward {
  readonly operator: string;
  readonly reward: bigint;
}

function sum(values: Iterable<bigint>): bigint {
  let total = 0n;
  for (const value of values) total += value;
  return total;
}

export class NaiveStaking {
  readonly validators: Map<string, NaiveValidator> = new Map();
  readonly #unbondingSeconds: bigint;
  /** A sixteenth of it, rounded up. */
  readonly #eraSeconds: bigint;

  constructor(unbondingSeconds: bigint) {
    this.#unbondingSeconds = unbondingSeconds;
    this.#eraSeconds = (unbondingSeconds + 15n) / 16n;
  }

  register(operator: string, stake: bigint, commission: bigint): void {
    this.validators.set(operator, {
      positions: new Map(),
      unbondings: [],
      eras: [],
      commission,
      commissionDue: 0n,
      found: undefined,
    });
    this.#bond(operator, operator, stake, undefined);
  }

  delegate(operator: string, delegator: string, amount: bigint, now: bigint): void {
    this.settle(operator, delegator, now);
    this.#bond(operator, delegator, amount, undefined);
  }

  /** `isAll`: whatever fraction the model has left beyond the amount is nobody's. */
  unbond(operator: string, delegator: string, amount: bigint, isAll: boolean, now: bigint): void {
    this.settle(operator, delegator, now);
    const validator = this.validator(operator);
    const last = validator.eras.at(-1);
    if (last === undefined || now >= last + this.#eraSeconds) validator.eras.push(now);
    const due = now + this.#unbondingSeconds;
    for (const { amount: part, origin } of this.#take(operator, delegator, exact(amount), isAll)) {
      const dueAt = origin !== undefined && origin.until > due ? origin.until : due;
      validator.unbondings.push({ delegator, amount: part, origin, era: validator.eras.length - 1, dueAt });
    }
  }

  redelegate(from: string, to: string, delegator: string, amount: bigint, isAll: boolean, now: bigint): void {
    this.settle(from, delegator, now);
    this.settle(to, delegator, now);
    this.#take(from, delegator, exact(amount), isAll);
    const origin = { source: from, since: now, until: now + this.#unbondingSeconds };
    this.#bond(to, delegator, amount, this.validator(from).found === undefined ? origin : undefined);
  }

  /** What is paid. */
  withdraw(operator: string, delegator: string, now: bigint): Exact {
    const validator = this.validator(operator);
    const isDue = (entry: Unbonding): boolean => entry.delegator === delegator && entry.dueAt <= now;
    const due = validator.unbondings.filter(isDue);
    validator.unbondings = validator.unbondings.filter((entry) => !isDue(entry));
    return sum(due.map((entry) => this.#afterPenalty(entry)));
  }

  claim(operator: string, delegator: string, now: bigint): Exact {
    this.settle(operator, delegator, now);
    const position = this.#position(operator, delegator);
    const { rewards } = position;
    position.rewards = 0n;
    return rewards;
  }

  /** An absence: of what is bonded only. */
  slashBonded(operator: string, share: bigint): void {
    for (const { lots } of this.validator(operator).positions.values()) {
      for (const lot of lots) lot.amount = (lot.amount * (WHOLE - share)) / WHOLE;
    }
  }

  convict(operator: string, share: bigint, offenceAt: bigint, now: bigint): void {
    this.slashBonded(operator, share);
    const validator = this.validator(operator);
    for (const entry of validator.unbondings) {
      const end = (validator.eras[entry.era] ?? 0n) + this.#eraSeconds;
      if (end > offenceAt) entry.amount = (entry.amount * (WHOLE - share)) / WHOLE;
    }
    validator.found = { share, offenceAt, at: now };
  }

  /** To everybody by what they have. */
  reward({ operator, reward }: NaiveReward): void {
    const validator = this.validator(operator);
    const commission = (reward * validator.commission) / WHOLE;
    const stake = this.stake(operator);
    if (stake === 0n) {
      validator.commissionDue += reward;
      return;
    }
    validator.commissionDue += commission;
    for (const position of validator.positions.values()) {
      position.rewards += (exact(reward - commission) * this.#sumOf(position)) / stake;
    }
  }

  settle(operator: string, delegator: string, now: bigint): void {
    for (const lot of this.#position(operator, delegator).lots) {
      if (lot.origin === undefined) continue;
      const wasFound = this.#penalty(lot.origin) > 0n;
      lot.amount = this.#afterPenalty(lot);
      if (wasFound || now > lot.origin.until) lot.origin = undefined;
    }
  }

  stake(operator: string): Exact {
    return sum([...this.validator(operator).positions.values()].map((position) => this.#sumOf(position)));
  }

  delegation(operator: string, delegator: string): Exact {
    return this.#sumOf(this.#position(operator, delegator));
  }

  /** What nobody can say yet is whether they have to answer for somebody; liable until settled. */
  rewards(operator: string, delegator: string): Exact {
    return this.#position(operator, delegator).rewards;
  }

  unbonding(operator: string, delegator: string): Exact {
    const own = this.validator(operator).unbondings.filter((entry) => entry.delegator === delegator);
    return sum(own.map(({ amount }) => amount));
  }

  validator(operator: string): NaiveValidator {
    const validator = this.validators.get(operator);
    if (validator === undefined) throw new Error(`the model knows no validator ${operator}`);
    return validator;
  }

  #position(operator: string, delegator: string): Position {
    const { positions } = this.validator(operator);
    let position = positions.get(delegator);
    if (position === undefined) {
      position = { lots: [], rewards: 0n };
      positions.set(delegator, position);
    }
    return position;
  }

  #sumOf({ lots }: Position): Exact {
    return sum(lots.map(({ amount }) => amount));
  }

  #bond(operator: string, delegator: string, amount: bigint, origin: Origin | undefined): void {
    this.#position(operator, delegator).lots.push({ amount: exact(amount), origin });
  }

  /** Free lots first, then the oldest liable ones. */
  #take(operator: string, delegator: string, amount: Exact, isAll: boolean): Lot[] {
    const position = this.#position(operator, delegator);
    const ordered = [
      ...position.lots.filter(({ origin }) => origin === undefined),
      ...position.lots.filter(({ origin }) => origin !== undefined),
    ];
    const taken: Lot[] = [];
    let open = amount;
    for (const lot of ordered) {
      const part = lot.amount < open ? lot.amount : open;
      if (part > 0n) taken.push({ amount: part, origin: lot.origin });
      lot.amount -= part;
      open -= part;
    }
    position.lots = isAll ? [] : ordered.filter((lot) => lot.amount > 0n);
    return taken;
  }

  #penalty({ source, since, until }: Origin): bigint {
    const { found } = this.validator(source);
    return found !== undefined && found.offenceAt <= since && found.at <= until ? found.share : 0n;
  }

  #afterPenalty({ amount, origin }: Lot): Exact {
    return origin === undefined ? amount : (amount * (WHOLE - this.#penalty(origin))) / WHOLE;
  }
}

export interface NaiveBlock {
  readonly emission: bigint;
  readonly signers: readonly number[];
  readonly proposer: number;
}

/** What each position of the set earns in an epoch: block by block, vote by vote. */
export function naiveRewards(
  blocks: readonly NaiveBlock[],
  weights: readonly bigint[],
  finaliserShare: bigint,
  proposerShare: bigint,
): bigint[] {
  const total = sum(weights);
  const finalisers = (sum(blocks.map(({ emission }) => emission)) * finaliserShare) / WHOLE;
  const proposers = (finalisers * proposerShare) / WHOLE;
  const count = BigInt(blocks.length);
  return weights.map((weight, index) => {
    let earned = 0n;
    for (const { signers, proposer } of blocks) {
      if (signers.includes(index)) earned += (finalisers - proposers) * weight;
      if (proposer === index) earned += proposers * sum(signers.map((signer) => weights[signer] ?? 0n));
    }
    return count === 0n ? 0n : earned / (total * count);
  });
}
