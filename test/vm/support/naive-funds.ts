/**
 * The money of trust locks, providers and verifiers, stated again the slow and obvious way: plain lists that are walked
 * through, no totals, no slots. Every method says whether the call succeeds, and does what it does if so.
 */
import { assert } from "../../../base/errors.ts";
import type { Address } from "../../../vm/state/account.ts";

export interface NaivePots {
  free: bigint;
  bound: bigint;
  leaving: { amount: bigint; due: bigint; epoch: bigint }[];
}

export interface NaiveCommitment {
  readonly owner: Address;
  readonly controller: Address;
  readonly name: bigint;
  left: bigint;
  deadline: bigint;
}

export type NaiveStatus = "active" | "paused" | "leaving";

export interface NaiveRules {
  readonly minimum: bigint;
  readonly delay: bigint;
}

const MAX_WAITING = 16;

export function sum(amounts: Iterable<bigint>): bigint {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return total;
}

/** What one module holds, and the wallets beside it, which all modules of a test share. */
export class NaiveFunds {
  readonly rules: NaiveRules;
  readonly wallets: Map<Address, bigint>;
  readonly pots: Map<Address, NaivePots> = new Map<Address, NaivePots>();
  /** Whatever each owner has brought, got from others' losses, and taken out. */
  readonly brought: Map<Address, bigint> = new Map<Address, bigint>();
  readonly taken: Map<Address, bigint> = new Map<Address, bigint>();

  constructor(rules: NaiveRules, wallets: Map<Address, bigint>) {
    this.rules = rules;
    this.wallets = wallets;
  }

  of(owner: Address): NaivePots {
    const found = this.pots.get(owner) ?? { free: 0n, bound: 0n, leaving: [] };
    this.pots.set(owner, found);
    return found;
  }

  leavingOf(owner: Address): bigint {
    return sum(this.of(owner).leaving.map(({ amount }) => amount));
  }

  total(owner: Address): bigint {
    return this.of(owner).free + this.of(owner).bound + this.leavingOf(owner);
  }

  held(): bigint {
    return sum([...this.pots.keys()].map((owner) => this.total(owner)));
  }

  deposit(owner: Address, amount: bigint): void {
    pay(this.wallets, owner, -amount);
    this.credit(owner, amount);
  }

  credit(owner: Address, amount: bigint): void {
    this.of(owner).free += amount;
    pay(this.brought, owner, amount);
  }

  /** In which the block is that is being made. */
  epoch = 0n;

  leave(owner: Address, amount: bigint, now: bigint): void {
    const pots = this.of(owner);
    const { epoch } = this;
    pots.free -= amount;
    const last = pots.leaving.at(-1);
    const due = [now + this.rules.delay, last?.due ?? 0n].reduce((a, b) => (a > b ? a : b));
    if (last !== undefined && pots.leaving.length === MAX_WAITING)
      Object.assign(last, { amount: last.amount + amount, due, epoch });
    else pots.leaving.push({ amount, due, epoch });
  }

  /** Takes from what leaves, from its end. */
  cut(owner: Address, amount: bigint): void {
    const pots = this.of(owner);
    for (let rest = amount; rest > 0n; ) {
      const last = pots.leaving.at(-1);
      assert(last !== undefined, "the model cuts what there is");
      const part = last.amount < rest ? last.amount : rest;
      last.amount -= part;
      rest -= part;
      if (last.amount === 0n) pots.leaving.pop();
    }
  }

  cancel(owner: Address, amount: bigint): boolean {
    if (amount === 0n || amount > this.leavingOf(owner)) return false;
    this.cut(owner, amount);
    this.of(owner).free += amount;
    return true;
  }

  isDue({ due }: NaivePots["leaving"][number], now: bigint): boolean {
    return due <= now;
  }

  payDue(owner: Address, now: bigint): bigint {
    const pots = this.of(owner);
    let paid = 0n;
    while (pots.leaving[0] !== undefined && this.isDue(pots.leaving[0], now))
      paid += pots.leaving.shift()?.amount ?? 0n;
    pay(this.wallets, owner, paid);
    pay(this.taken, owner, paid);
    return paid;
  }
}

export function pay(wallets: Map<Address, bigint>, to: Address, amount: bigint): void {
  wallets.set(to, (wallets.get(to) ?? 0n) + amount);
}

export class NaiveTrustLock extends NaiveFunds {
  readonly commitments: NaiveCommitment[] = [];

  lock(owner: Address, value: bigint): boolean {
    if (this.total(owner) > 0n || value < this.rules.minimum) return false;
    this.deposit(owner, value);
    return true;
  }

  topUp(owner: Address, value: bigint): boolean {
    const { free, bound } = this.of(owner);
    if (this.total(owner) === 0n || value === 0n || free + bound + value < this.rules.minimum) return false;
    this.deposit(owner, value);
    return true;
  }

  unlock(owner: Address, amount: bigint, now: bigint): boolean {
    const { free, bound } = this.of(owner);
    const rest = free + bound - amount;
    if (amount === 0n || amount > free || (rest > 0n && rest < this.rules.minimum)) return false;
    this.leave(owner, amount, now);
    return true;
  }

  withdraw(owner: Address, now: bigint): boolean {
    return this.payDue(owner, now) > 0n;
  }

  find(owner: Address, controller: Address, name: bigint): NaiveCommitment | undefined {
    return this.commitments.find((it) => it.owner === owner && it.controller === controller && it.name === name);
  }

  allocate(key: Omit<NaiveCommitment, "left">, amount: bigint, now: bigint): boolean {
    const pots = this.of(key.owner);
    const isBad = key.owner === key.controller || key.deadline <= now;
    if (isBad || this.find(key.owner, key.controller, key.name) !== undefined) return false;
    if (amount === 0n || amount > pots.free) return false;
    pots.free -= amount;
    pots.bound += amount;
    this.commitments.push({ ...key, left: amount });
    return true;
  }

  increase(commitment: NaiveCommitment | undefined, amount: bigint): boolean {
    if (commitment === undefined || commitment.left === 0n) return false;
    const pots = this.of(commitment.owner);
    if (amount === 0n || amount > pots.free) return false;
    pots.free -= amount;
    pots.bound += amount;
    commitment.left += amount;
    return true;
  }

  release(commitment: NaiveCommitment | undefined, amount: bigint): boolean {
    if (!this.#give(commitment, amount)) return false;
    this.of(commitment?.owner as Address).free += amount;
    return true;
  }

  /** What becomes of the parts is the caller's to model. */
  breach(commitment: NaiveCommitment | undefined, amount: bigint): boolean {
    return this.#give(commitment, amount);
  }

  reclaim(commitment: NaiveCommitment | undefined, now: bigint): boolean {
    if (commitment === undefined || now < commitment.deadline) return false;
    return this.release(commitment, commitment.left);
  }

  #give(commitment: NaiveCommitment | undefined, amount: bigint): boolean {
    if (commitment === undefined || amount === 0n || amount > commitment.left) return false;
    commitment.left -= amount;
    this.of(commitment.owner).bound -= amount;
    return true;
  }
}

/** Providers, and verifiers but for the last class. */
export class NaiveParties extends NaiveFunds {
  readonly statuses: Map<Address, NaiveStatus> = new Map<Address, NaiveStatus>();
  /** Providers count what is bound towards the minimum, verifiers do not. */
  readonly boundCounts: boolean;

  constructor(rules: NaiveRules, wallets: Map<Address, bigint>, boundCounts: boolean) {
    super(rules, wallets);
    this.boundCounts = boundCounts;
  }

  counted(owner: Address): bigint {
    return this.of(owner).free + (this.boundCounts ? this.of(owner).bound : 0n);
  }

  isStaying(owner: Address): boolean {
    const status = this.statuses.get(owner);
    return status === "active" || status === "paused";
  }

  register(owner: Address, value: bigint): boolean {
    if (this.statuses.has(owner) || value < this.rules.minimum) return false;
    this.deposit(owner, value);
    this.statuses.set(owner, "active");
    return true;
  }

  topUp(owner: Address, value: bigint): boolean {
    if (!this.isStaying(owner) || value === 0n) return false;
    this.deposit(owner, value);
    return true;
  }

  request(owner: Address, amount: bigint, now: bigint): boolean {
    const fits = amount > 0n && amount <= this.of(owner).free && this.counted(owner) - amount >= this.rules.minimum;
    if (!this.isStaying(owner) || !fits) return false;
    this.leave(owner, amount, now);
    return true;
  }

  override cancel(owner: Address, amount: bigint): boolean {
    return this.isStaying(owner) && super.cancel(owner, amount);
  }

  withdraw(owner: Address, now: bigint): boolean {
    const paid = this.payDue(owner, now);
    const hasLeft = this.statuses.get(owner) === "leaving" && this.total(owner) === 0n;
    if (hasLeft) this.statuses.delete(owner);
    return paid > 0n || hasLeft;
  }

  change(owner: Address, from: NaiveStatus, to: NaiveStatus): boolean {
    if (this.statuses.get(owner) !== from) return false;
    this.statuses.set(owner, to);
    return true;
  }

  exit(owner: Address, now: bigint): boolean {
    if (!this.isStaying(owner)) return false;
    this.statuses.set(owner, "leaving");
    const { free } = this.of(owner);
    if (free > 0n) this.leave(owner, free, now);
    return true;
  }

  reserve(owner: Address, amount: bigint): boolean {
    const isAvailable = this.statuses.get(owner) === "active" && this.counted(owner) >= this.rules.minimum;
    if (!isAvailable || amount > this.of(owner).free) return false;
    this.of(owner).free -= amount;
    this.of(owner).bound += amount;
    return true;
  }

  release(owner: Address, amount: bigint, now: bigint): void {
    this.of(owner).bound -= amount;
    this.of(owner).free += amount;
    if (this.statuses.get(owner) === "leaving" && amount > 0n) this.leave(owner, amount, now);
  }

  /** Of what is free, then of what leaves; what it came to. */
  reach(owner: Address, amount: bigint): bigint {
    const pots = this.of(owner);
    const ofFree = amount < pots.free ? amount : pots.free;
    const leaving = this.leavingOf(owner);
    const ofLeaving = amount - ofFree < leaving ? amount - ofFree : leaving;
    pots.free -= ofFree;
    this.cut(owner, ofLeaving);
    return ofFree + ofLeaving;
  }
}

/** Draws of an epoch count stake that leaves in it: the delay begins when the epoch is over. */
export class NaiveVerifiers extends NaiveParties {
  readonly epochStarts: Map<bigint, bigint> = new Map<bigint, bigint>();

  override isDue(entry: NaivePots["leaving"][number], now: bigint): boolean {
    const over = this.epochStarts.get(entry.epoch + 1n);
    return super.isDue(entry, now) && over !== undefined && over + this.rules.delay <= now;
  }
}
