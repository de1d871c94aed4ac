/**
 * Long random histories of governance and the treasury against a model in plain numbers: who has which money, what
 * became of each proposal, and that the parameters always hold together.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { OGPU } from "../../../base/units.ts";
import { type EconomyParameters, PARAMETERS, withParameters } from "../../../genesis/economy.ts";
import { NO_WAITS, verifyEconomy } from "../../../genesis/verify-economy.ts";
import { GOVERNANCE_ADDRESS, TREASURY_ADDRESS } from "../../../vm/modules/addresses.ts";
import { ACCOUNT_BALANCE, accountKey, EconomyChain, operatorKey } from "../support/economy-chain.ts";
import { CHOICE, GOVERNANCE, STATUS, TREASURY } from "./support/governance.ts";

const PEOPLE = 3;
const RECEIVER = accountKey(77).address;
/** Names and values that fit the devnet's economy alone, but not all of them together. */
const CHANGES = [
  ["slashing.evidenceWindowSeconds", 550n],
  ["slashing.evidenceWindowSeconds", 100n],
  ["staking.unbondingSeconds", 400n],
  ["staking.unbondingSeconds", 700n],
  ["governance.quorumShare", 600_000n],
  ["governance.quorumShare", 300_000n],
  ["governance.votingSeconds", 40n],
  ["governance.deposit", 7n * OGPU],
] as const;

type Choice = keyof typeof CHOICE;
type Wish = { readonly change: (typeof CHANGES)[number] } | { readonly amount: bigint };

interface ModelProposal {
  readonly wish: Wish;
  readonly proposer: number;
  readonly deposit: bigint;
  readonly created: bigint;
  readonly ends: bigint;
  readonly quorum: bigint;
  readonly timelock: bigint;
  readonly votes: Map<number, Choice>;
  status: number;
  due: bigint;
}

class Model {
  readonly proposals: ModelProposal[] = [];
  readonly balances: bigint[] = new Array<bigint>(PEOPLE).fill(ACCOUNT_BALANCE);
  economy: EconomyParameters;
  treasury = 0n;
  received = 0n;

  constructor(economy: EconomyParameters) {
    this.economy = economy;
  }

  pay(person: number, amount: bigint): void {
    this.balances[person] = (this.balances[person] ?? 0n) - amount;
  }

  get held(): bigint {
    return this.proposals.reduce((sum, { status, deposit }) => (status === STATUS.voting ? sum + deposit : sum), 0n);
  }

  /** What the beginning of a block at this time does; in these histories never more than it may. */
  begin(now: bigint): void {
    const due = this.proposals
      .map((proposal, index) => ({ proposal, index, at: proposal.due }))
      .filter(
        ({ proposal, at }) => (proposal.status === STATUS.voting || proposal.status === STATUS.queued) && at <= now,
      )
      .sort((a, b) => (a.at === b.at ? a.index - b.index : a.at < b.at ? -1 : 1));
    expect(due.length).toBeLessThanOrEqual(8);
    for (const { proposal } of due) {
      if (proposal.status === STATUS.voting) this.#count(proposal, now);
      else proposal.status = this.#carryOut(proposal.wish) ? STATUS.executed : STATUS.failed;
    }
  }

  #count(proposal: ModelProposal, now: bigint): void {
    const number = (choice: Choice): number => [...proposal.votes.values()].filter((each) => each === choice).length;
    const [yes, no, veto] = [number("yes"), number("no"), number("veto")];
    const all = proposal.votes.size;
    // Four validators of the same stake.
    if (BigInt(all) * 1_000_000n < proposal.quorum * 4n) proposal.status = STATUS.noQuorum;
    else if (veto > 0 && veto / all >= 0.334) proposal.status = STATUS.vetoed;
    else proposal.status = yes > no + veto ? STATUS.queued : STATUS.rejected;
    if (proposal.status === STATUS.queued) proposal.due = now + proposal.timelock;
    if (proposal.status === STATUS.noQuorum || proposal.status === STATUS.vetoed) this.treasury += proposal.deposit;
    else this.pay(proposal.proposer, -proposal.deposit);
  }

  #carryOut(wish: Wish): boolean {
    if ("amount" in wish) {
      if (wish.amount > this.treasury) return false;
      this.treasury -= wish.amount;
      this.received += wish.amount;
      return true;
    }
    const changed = changedBy(this.economy, wish.change);
    if (changed.staking.unbondingSeconds <= changed.slashing.evidenceWindowSeconds) return false;
    this.economy = changed;
    return true;
  }
}

function changedBy(economy: EconomyParameters, [name, value]: (typeof CHANGES)[number]): EconomyParameters {
  const parameter = PARAMETERS.find((each) => each.name === name);
  return parameter === undefined ? economy : withParameters(economy, [[parameter, value]]);
}

const people = fc.nat(PEOPLE - 1);
const which = fc.nat(2);
const choices = fc.constantFrom<Choice>("yes", "yes", "yes", "yes", "no", "abstain", "veto");
const operations = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("change" as const), person: people, change: fc.constantFrom(...CHANGES) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("spend" as const), person: people, amount: fc.bigInt(1n, 60n * OGPU) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("give" as const), person: people, amount: fc.bigInt(1n, 30n * OGPU) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), which }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("vote" as const),
      which,
      votes: fc.array(fc.record({ validator: fc.nat(3), choice: choices }), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("epoch" as const) }) },
);

class History {
  readonly chain: EconomyChain = new EconomyChain({ parameters: { governance: { maxOpenProposals: 8n } } });
  readonly model: Model = new Model(this.chain.spec.modules);

  run(operation: typeof operations extends fc.Arbitrary<infer O> ? O : never): void {
    const { chain, model } = this;
    if (operation.do === "wait") this.#block(operation.seconds, () => chain.pass(operation.seconds));
    else if (operation.do === "epoch") this.#block(1, () => chain.endEpoch());
    else if (operation.do === "give") {
      const { person, amount } = operation;
      this.#block(1, () => chain.send(TREASURY, "deposit", [], { key: accountKey(person), value: amount }));
      model.pay(person, amount);
      model.treasury += amount;
    } else if (operation.do === "vote") {
      for (const { validator, choice } of operation.votes) this.#vote(operation.which, validator, choice);
    } else if (operation.do === "cancel") this.#cancel(operation.which);
    else this.#propose(operation.person, operation.do === "spend" ? operation : { change: operation.change });
    this.#compare();
  }

  /** The model begins the block at the same time. */
  #block(seconds: number, act: () => unknown): void {
    this.model.begin(this.chain.now + BigInt(seconds));
    act();
  }

  #propose(person: number, wish: Wish): void {
    const { chain, model } = this;
    model.begin(chain.now + 1n);
    const { governance } = model.economy;
    const options = { key: accountKey(person), value: governance.deposit };
    const open = model.proposals.filter(({ status }) => status === STATUS.voting || status === STATUS.queued).length;
    const isRefused =
      open >= 8 || ("change" in wish && verifiedProblems(changedBy(model.economy, wish.change)).length > 0);
    const parts = ["t", "b"] as const;
    if ("amount" in wish) {
      const args = [...parts, RECEIVER, wish.amount] as const;
      if (isRefused) chain.revertOf(GOVERNANCE, "proposeSpending", args, options);
      else chain.send(GOVERNANCE, "proposeSpending", args, options);
    } else {
      const args = [...parts, [wish.change[0]], [wish.change[1]]] as const;
      if (isRefused) chain.revertOf(GOVERNANCE, "proposeParameters", args, options);
      else chain.send(GOVERNANCE, "proposeParameters", args, options);
    }
    if (isRefused) return;
    const created = chain.now;
    const ends = created + governance.votingSeconds;
    const rules = { quorum: governance.quorumShare, timelock: governance.timelockSeconds };
    const times = { created, ends, due: ends, status: STATUS.voting };
    model.proposals.push({ wish, proposer: person, deposit: governance.deposit, ...rules, ...times, votes: new Map() });
    model.pay(person, governance.deposit);
  }

  /** One of the last ones, or nothing. */
  #pick(which: number): { readonly id: bigint; readonly proposal: ModelProposal } | undefined {
    const index = this.model.proposals.length - 1 - which;
    const proposal = this.model.proposals[index];
    return proposal === undefined ? undefined : { id: BigInt(index + 1), proposal };
  }

  #vote(which: number, validator: number, choice: Choice): void {
    const { chain, model } = this;
    const picked = this.#pick(which);
    if (picked === undefined) return;
    model.begin(chain.now + 1n);
    const { id, proposal } = picked;
    const args = [id, CHOICE[choice]] as const;
    const options = { key: operatorKey(validator) };
    if (proposal.status === STATUS.voting) {
      chain.send(GOVERNANCE, "vote", args, options);
      proposal.votes.set(validator, choice);
    } else expect(chain.revertOf(GOVERNANCE, "vote", args, options).name).toBe("NotVoting");
  }

  #cancel(which: number): void {
    const { chain, model } = this;
    const picked = this.#pick(which);
    if (picked === undefined) return;
    model.begin(chain.now + 1n);
    const { id, proposal } = picked;
    const options = { key: accountKey(proposal.proposer) };
    if (proposal.status !== STATUS.voting) {
      expect(chain.revertOf(GOVERNANCE, "cancel", [id], options).name).toBe("NotVoting");
      return;
    }
    chain.send(GOVERNANCE, "cancel", [id], options);
    const vetoes = [...proposal.votes.values()].filter((choice) => choice === "veto").length;
    const isVetoed = vetoes > 0 && vetoes / proposal.votes.size >= 0.334;
    const left = (proposal.deposit * (proposal.ends - chain.now)) / (proposal.ends - proposal.created);
    const back = isVetoed ? 0n : left;
    model.pay(proposal.proposer, -back);
    model.treasury += proposal.deposit - back;
    proposal.status = STATUS.cancelled;
  }

  #compare(): void {
    const { chain, model } = this;
    expect(chain.balance(GOVERNANCE_ADDRESS)).toBe(model.held);
    expect(chain.view(GOVERNANCE, "depositsHeld", [])).toBe(model.held);
    expect(chain.balance(TREASURY_ADDRESS)).toBe(model.treasury);
    expect(chain.balance(RECEIVER)).toBe(model.received);
    for (const [person, balance] of model.balances.entries()) {
      expect(chain.balance(accountKey(person).address)).toBe(balance);
    }
    const count = BigInt(model.proposals.length);
    const last = chain.view(GOVERNANCE, "proposals", [count > 10n ? count - 10n : 1n, 50n]);
    for (const { id, status } of last) expect([id, status]).toEqual([id, model.proposals[Number(id) - 1]?.status]);
    const current = chain.reading(GOVERNANCE_ADDRESS).parameters;
    expect(current.governance).toEqual(model.economy.governance);
    expect(current.staking).toEqual(model.economy.staking);
    expect(verifiedProblems(current)).toEqual([]);
  }
}

function verifiedProblems(economy: EconomyParameters): readonly string[] {
  const problems: string[] = [];
  verifyEconomy(economy, NO_WAITS, (path) => problems.push(path));
  return problems;
}

it("money, verdicts and parameters are those of the model after every block of a random history", () => {
  fc.assert(
    fc.property(fc.array(operations, { minLength: 50, maxLength: 50, size: "max" }), (history) => {
      const run = new History();
      for (const operation of history) run.run(operation);
    }),
    { numRuns: 15 },
  );
});
