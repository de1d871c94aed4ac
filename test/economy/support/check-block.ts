/** What must hold after every block, each rule stated anew. Throws with the rule that does not. */
import {
  GOVERNANCE_ADDRESS,
  STAKING_ADDRESS,
  TRUST_LOCK_ADDRESS,
  VERIFIERS_ADDRESS,
} from "../../../vm/modules/addresses.ts";
import { currentEpoch } from "../../../vm/modules/clock/clock.ts";
import { depositsHeld, proposalCount, proposalRecords } from "../../../vm/modules/governance/proposals.ts";
import { readTally } from "../../../vm/modules/governance/voting.ts";
import { boundFunds, freeFunds, heldFunds, leavingEntries, leavingFunds } from "../../../vm/modules/held-funds.ts";
import { activeSet } from "../../../vm/modules/staking/active-set.ts";
import { rewardsDue, sharesIn } from "../../../vm/modules/staking/delegations.ts";
import { liableShares, readLiabilities } from "../../../vm/modules/staking/liabilities.ts";
import { fundWord } from "../../../vm/modules/staking/shares.ts";
import { readUnbondings } from "../../../vm/modules/staking/unbonding.ts";
import { field, fundOf, isRegistered, standingOf, total } from "../../../vm/modules/staking/validator-record.ts";
import { recordSpace } from "../../../vm/modules/storage.ts";
import { readSupply } from "../../../vm/modules/token/token.ts";
import { snapshotFor } from "../../../vm/modules/verifiers/snapshot.ts";
import { VERIFIER_STATUS, verifierRecords } from "../../../vm/modules/verifiers/stake.ts";
import type { Address } from "../../../vm/state/account.ts";
import { type Bookkeeper, EMPTY_HANDED, HOLDERS, PLACES, type VoteBook } from "./bookkeeper.ts";
import type { EconomyWorld } from "./economy-world.ts";

export class BrokenRule extends Error {}

export function rule(holds: boolean, text: string, ...figures: readonly unknown[]): void {
  if (!holds) throw new BrokenRule(`${text}: ${figures.map(String).join(", ")}`);
}

const pools = recordSpace("unbonding pool", ["closesAt", "fund"]);

export function checkBlock(world: EconomyWorld, books: Bookkeeper, isSeal: boolean): void {
  checkSupply(world, books);
  checkStaking(world, books);
  checkHolders(world, books);
  checkGovernance(world, books);
  for (const module of EMPTY_HANDED) {
    rule(world.balance(module) === books.gifts.get(module), "a module without money has its gifts", module);
  }
  if (!isSeal) return;
  checkActiveSet(world);
  checkVerifierSnapshot(world, books);
}

function checkSupply(world: EconomyWorld, { minted, scheduled }: Bookkeeper): void {
  const supply = readSupply(world.memory);
  let balances = 0n;
  for (const { balance } of world.memory.accounts.values()) {
    rule(balance >= 0n, "nobody owes", balance);
    balances += balance;
  }
  const { cap } = world.beginning.spec.modules.token;
  rule(supply.genesis + supply.minted - supply.burned === balances, "balances are the supply", balances);
  rule(supply.minted === minted, "only rewards are minted", supply.minted, minted);
  rule(minted <= scheduled, "no more is minted than scheduled", minted, scheduled);
  rule(supply.genesis + supply.minted <= cap, "never above the cap", supply.genesis + supply.minted);
}

interface StakeSums {
  bonded: bigint;
  unbonding: bigint;
  rewards: bigint;
  readonly mine: Map<Address, bigint>;
  readonly due: Map<Address, bigint>;
}

function checkStaking(world: EconomyWorld, books: Bookkeeper): void {
  const call = world.reading(STAKING_ADDRESS);
  const sums: StakeSums = { bonded: 0n, unbonding: 0n, rewards: 0n, mine: new Map(), due: new Map() };
  for (const operator of world.beginning.operators) {
    if (isRegistered(call, operator)) checkValidator(world, books, operator, sums);
  }
  rule(sums.bonded === total(call, "bonded"), "bonded is the sum of all validators'", sums.bonded);
  rule(sums.unbonding === total(call, "unbonding"), "unbonding is the sum of all pools", sums.unbonding);
  rule(sums.rewards === total(call, "rewards"), "rewards are the sum of what is held", sums.rewards);
  const backed = sums.bonded + sums.unbonding + sums.rewards + books.gifts.get(STAKING_ADDRESS);
  rule(world.balance(STAKING_ADDRESS) === backed, "staking has what it owes", world.balance(STAKING_ADDRESS), backed);
  for (const one of books.everybody) {
    const out = (sums.mine.get(one) ?? 0n) + books.stakeTakenOut.get(one);
    rule(out <= books.stakePutIn.get(one) + books.roundings, "nobody has more stake than put in", one, out);
    const earned = (books.rewardsEarned.get(one) >> PLACES) + books.roundings;
    const taken = (sums.due.get(one) ?? 0n) + books.rewardsTaken.get(one);
    rule(taken <= earned, "nobody gets more rewards than earned", one, taken, earned);
    rule(taken + 2n * books.roundings >= earned, "nobody gets less rewards than earned", one, taken, earned);
  }
}

function checkValidator(world: EconomyWorld, books: Bookkeeper, operator: Address, sums: StakeSums): void {
  const call = world.reading(STAKING_ADDRESS);
  const { tokens, shares } = fundOf(call, operator);
  rule(tokens <= shares, "a share is worth a wei at most", operator, tokens, shares);
  let [held, value, due] = [0n, 0n, 0n];
  const poolShares = new Map<bigint, bigint>();
  const poolCount = field(call, "pools", operator);
  const poolFunds = Array.from({ length: Number(poolCount) }, (_, index) =>
    fundWord.unpack(pools.get(call, "fund", operator, index + 1)),
  );
  for (const one of books.everybody) {
    const own = sharesIn(call, operator, one);
    held += own;
    const part = shares === 0n ? 0n : (own * tokens) / shares;
    value += part;
    let leaving = 0n;
    for (const entry of readUnbondings(call, operator, one)) {
      const fund = poolFunds[Number(entry.pool) - 1];
      rule(fund !== undefined, "what unbonds is in a pool", operator, one);
      poolShares.set(entry.pool, (poolShares.get(entry.pool) ?? 0n) + entry.shares);
      if (fund !== undefined && fund.shares > 0n) leaving += (entry.shares * fund.tokens) / fund.shares;
    }
    const rewards = rewardsDue(call, operator, one);
    due += rewards;
    sums.due.set(one, (sums.due.get(one) ?? 0n) + rewards);
    sums.mine.set(one, (sums.mine.get(one) ?? 0n) + part + leaving);
    rule(liableShares(readLiabilities(call, operator, one)) <= own, "only what is there is liable", operator, one);
  }
  rule(held === shares, "all shares are somebody's", operator, held, shares);
  rule(value <= tokens, "shares are worth no more than the stake", operator, value, tokens);
  for (const [index, fund] of poolFunds.entries()) {
    rule(fund.shares === (poolShares.get(BigInt(index + 1)) ?? 0n), "a pool is its entries'", operator, index + 1);
    sums.unbonding += fund.tokens;
  }
  const commission = field(call, "commission", operator);
  const rewards = field(call, "rewards", operator);
  rule(due <= rewards, "rewards that are due are held", operator, due, rewards);
  rule(
    commission + books.commissionTaken.get(operator) === books.commissionEarned.get(operator),
    "commission is what was earned",
    operator,
    commission,
  );
  sums.bonded += tokens;
  sums.rewards += rewards + commission;
}

function checkHolders(world: EconomyWorld, books: Bookkeeper): void {
  for (const module of HOLDERS) {
    const call = world.reading(module);
    let sum = 0n;
    for (const one of books.everybody) {
      const [free, bound, leaving] = [freeFunds(call, one), boundFunds(call, one), leavingFunds(call, one)];
      const waiting = leavingEntries(call, one).reduce((all, { amount }) => all + amount, 0n);
      const key = `${module} ${one}`;
      rule(waiting === leaving, "what leaves is what waits", module, one, leaving, waiting);
      rule(bound === books.bound.get(key), "bound is what was bound", module, one, bound, books.bound.get(key));
      rule(free + bound + leaving === books.held.get(key), "everybody has what is theirs", module, one, free + bound);
      sum += free + bound + leaving;
    }
    rule(heldFunds(call) === sum, "all pots are the total", module, sum, heldFunds(call));
    const backed = sum + books.gifts.get(module);
    rule(world.balance(module) === backed, "what is held is backed", module, world.balance(module), backed);
  }
  const committed = books.commitments.total();
  let bound = 0n;
  for (const one of books.everybody) bound += boundFunds(world.reading(TRUST_LOCK_ADDRESS), one);
  rule(bound === committed, "commitments are backed", bound, committed);
}

const VOTING = 1n;

function checkGovernance(world: EconomyWorld, books: Bookkeeper): void {
  const call = world.reading(GOVERNANCE_ADDRESS);
  const count = proposalCount(call);
  rule(count === BigInt(books.votes.size), "every proposal is known", count);
  let deposits = 0n;
  for (let id = 1n; id <= count; id++) {
    if (proposalRecords.get(call, "status", id) !== VOTING) continue;
    deposits += proposalRecords.get(call, "deposit", id);
    const book = books.votes.get(id);
    if (book !== undefined) checkTally(world, books, id, book);
  }
  rule(depositsHeld(call) === deposits, "deposits are those of open votes", deposits);
  const backed = deposits + books.gifts.get(GOVERNANCE_ADDRESS);
  rule(world.balance(GOVERNANCE_ADDRESS) === backed, "deposits are backed", world.balance(GOVERNANCE_ADDRESS), backed);
}

/** Who had what when the epoch began: each validator's stake, or each delegator's part of it, counts once. */
function checkTally(world: EconomyWorld, books: Bookkeeper, id: bigint, book: VoteBook): void {
  const call = world.reading(GOVERNANCE_ADDRESS);
  const snapshot = books.snapshots[book.snapshot];
  if (snapshot === undefined) throw new BrokenRule(`no snapshot ${book.snapshot}`);
  const counts = [0n, 0n, 0n, 0n, 0n];
  const add = (choice: number, weight: bigint): void => {
    counts[choice] = (counts[choice] ?? 0n) + weight;
  };
  let all = 0n;
  for (const [validator, stake] of snapshot.tokens) {
    all += stake;
    let left = stake;
    for (const [delegator, choice] of book.overrides.get(validator) ?? []) {
      const part = snapshot.parts.get(validator)?.get(delegator) ?? 0n;
      const weight = (part * stake) / (snapshot.shares.get(validator) ?? 1n);
      add(choice, weight);
      left -= weight;
    }
    rule(left >= 0n, "delegators have no more votes than their validator had stake", validator, left);
    const choice = book.choices.get(validator);
    if (choice !== undefined) add(choice, left);
  }
  const { yes, no, abstain, veto, total: most } = readTally(call, id);
  rule(most === all, "the votes that there are, are the stake that there was", id, most, all);
  rule(yes === counts[1], "votes for it", id, yes, counts[1]);
  rule(no === counts[2], "votes against it", id, no, counts[2]);
  rule(abstain === counts[3], "abstentions", id, abstain, counts[3]);
  rule(veto === counts[4], "vetoes", id, veto, counts[4]);
  rule(yes + no + abstain + veto <= all, "no more votes than stake", id);
}

/** At the end of an epoch: those with the most stake of all who may. */
function checkActiveSet(world: EconomyWorld): void {
  const call = world.reading(STAKING_ADDRESS);
  const { minSelfStake, maxValidators } = call.parameters.staking;
  const able = world.beginning.operators
    .filter((operator) => {
      const { tokens, shares } = fundOf(call, operator);
      const { isJailed, isTombstoned } = standingOf(call, operator);
      if (shares === 0n || isJailed + isTombstoned > 0n) return false;
      return (sharesIn(call, operator, operator) * tokens) / shares >= minSelfStake;
    })
    .map((operator) => ({ operator, stake: fundOf(call, operator).tokens }))
    .sort((a, b) => (a.stake === b.stake ? (a.operator < b.operator ? -1 : 1) : a.stake < b.stake ? 1 : -1))
    .slice(0, Number(maxValidators));
  const set = activeSet(call);
  rule(set.length > 0, "there is always somebody to go on");
  if (able.length === 0) return;
  const names = (list: readonly { operator: Address }[]): string =>
    list
      .map(({ operator }) => operator)
      .sort()
      .join();
  rule(names(set) === names(able), "the set is those with the most stake", names(set), names(able));
}

function checkVerifierSnapshot(world: EconomyWorld, books: Bookkeeper): void {
  const call = world.reading(VERIFIERS_ADDRESS);
  const { minStake, unitStake } = call.parameters.verifiers;
  let units = 0n;
  for (const one of books.everybody) {
    const isActive = verifierRecords.get(call, "status", one) === VERIFIER_STATUS.active;
    const isJailed = verifierRecords.get(call, "jailedUntil", one) > 0n;
    const stake = freeFunds(call, one);
    if (isActive && !isJailed && stake >= minStake) units += stake / unitStake;
  }
  const snapshot = snapshotFor(call, currentEpoch(call) + 1n);
  rule(snapshot?.units === units, "the snapshot has everybody who can be drawn", snapshot?.units, units);
}
