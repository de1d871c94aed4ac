import { describe, expect, it } from "vitest";
import { bytes32, bytesToHex, type Hex } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { trustLockAbi } from "../../../vm/interfaces/abi/trust-lock.ts";
import { TREASURY_ADDRESS, TRUST_LOCK_ADDRESS, VERIFIERS_ADDRESS } from "../../../vm/modules/addresses.ts";
import { MAX_LEAVING } from "../../../vm/modules/held-funds.ts";
import { BURNED, commitmentLeft } from "../../../vm/modules/trust-lock/commitments.ts";
import { MAX_BENEFICIARIES, MAX_COMMITMENT_SECONDS } from "../../../vm/modules/trust-lock/limits.ts";
import { ACCOUNT_BALANCE, accountKey, EconomyChain, eventsOf, type Reverted } from "../support/economy-chain.ts";
import { installStubMarket, MARKET, MARKET_ADDRESS } from "../support/stub-market.ts";

const LOCK = { address: TRUST_LOCK_ADDRESS, abi: trustLockAbi } as const;
const OWNER = accountKey(0);
/** Any account can control a commitment; contracts are in trust-lock-contracts.test.ts. */
const JUDGE = accountKey(1);
const VICTIM = accountKey(2);
const UNLOCK_SECONDS = 60n;
const MIN_LOCK = OGPU / 10n;
const JOB = bytesToHex(bytes32(0xabcn));

function chainWithLock(locked = 10n * OGPU): EconomyChain {
  const chain = new EconomyChain();
  installStubMarket(chain);
  chain.send(LOCK, "lock", [], { value: locked });
  return chain;
}

/** [total, free, allocated, unlocking] in oGPU. */
function pots(chain: EconomyChain, owner: Hex = OWNER.address): readonly number[] {
  return chain.view(LOCK, "accountOf", [owner]).map((amount) => Number(amount) / Number(OGPU));
}

/** Sets aside for the judge, for a thousand seconds. */
function allocate(chain: EconomyChain, amount: bigint, commitment: Hex = JOB): bigint {
  const deadline = chain.now + 1000n;
  chain.send(LOCK, "allocate", [commitment, JUDGE.address, amount, deadline]);
  return deadline;
}

describe("a lock", () => {
  it("holds the money that is sent, and tells", () => {
    const chain = new EconomyChain();
    const { receipt } = chain.send(LOCK, "lock", [], { value: 3n * OGPU });
    expect(eventsOf(LOCK, receipt.logs)).toMatchObject([
      { name: "Locked", args: { amount: 3n * OGPU, total: 3n * OGPU } },
    ]);
    const topUp = chain.send(LOCK, "topUp", [], { value: 2n * OGPU });
    expect(eventsOf(LOCK, topUp.receipt.logs)).toMatchObject([{ args: { amount: 2n * OGPU, total: 5n * OGPU } }]);
    expect(pots(chain)).toEqual([5, 5, 0, 0]);
    expect(chain.view(LOCK, "totalLocked", [])).toBe(5n * OGPU);
    expect(chain.balance(TRUST_LOCK_ADDRESS)).toBe(5n * OGPU);
    expect(chain.balance(OWNER.address)).toBe(ACCOUNT_BALANCE - 5n * OGPU);
  });

  it("is left after the delay and not before", () => {
    const chain = chainWithLock();
    const { result: due } = chain.send(LOCK, "unlock", [4n * OGPU]);
    expect(due).toBe(chain.now + UNLOCK_SECONDS);
    expect(pots(chain)).toEqual([10, 6, 0, 4]);
    chain.pass(UNLOCK_SECONDS - 2n);
    expect(chain.revertOf(LOCK, "withdraw", [])).toEqual({ name: "NothingDue", args: [due] });
    const before = chain.balance(OWNER.address);
    const { result: paid, receipt } = chain.send(LOCK, "withdraw", []);
    expect(paid).toBe(4n * OGPU);
    expect(eventsOf(LOCK, receipt.logs)).toMatchObject([{ name: "Withdrawn", args: { amount: 4n * OGPU } }]);
    expect(chain.balance(OWNER.address)).toBe(before + 4n * OGPU);
    expect(pots(chain)).toEqual([6, 6, 0, 0]);
    expect(chain.revertOf(LOCK, "withdraw", [])).toEqual({ name: "NothingDue", args: [0n] });
  });

  it("pays several unlocks each in its time, first come first out", () => {
    const chain = chainWithLock();
    const first = chain.send(LOCK, "unlock", [1n * OGPU]).result;
    chain.pass(20);
    const second = chain.send(LOCK, "unlock", [2n * OGPU]).result;
    expect(chain.view(LOCK, "unlocksOf", [OWNER.address])).toEqual([
      [1n * OGPU, 2n * OGPU],
      [first, second],
    ]);
    chain.pass(first - chain.now - 1n);
    expect(chain.send(LOCK, "withdraw", []).result).toBe(1n * OGPU);
    chain.pass(second - chain.now - 1n);
    expect(chain.send(LOCK, "withdraw", []).result).toBe(2n * OGPU);
    expect(chain.view(LOCK, "unlocksOf", [OWNER.address])).toEqual([[], []]);
  });

  it("keeps a bounded number of unlocks: one more joins the last, for the later time", () => {
    const chain = chainWithLock();
    for (let i = 0; i < MAX_LEAVING; i++) chain.send(LOCK, "unlock", [OGPU / 10n]);
    chain.pass(30);
    const { result: due } = chain.send(LOCK, "unlock", [OGPU / 10n]);
    const [amounts, dues] = chain.view(LOCK, "unlocksOf", [OWNER.address]);
    expect(amounts).toHaveLength(MAX_LEAVING);
    expect(amounts.at(-1)).toBe(OGPU / 5n);
    expect(dues.at(-1)).toBe(due);
    chain.pass(1000);
    expect(chain.send(LOCK, "withdraw", []).result).toBe((17n * OGPU) / 10n);
  });

  it("gets back what its owner does not want to unlock any more, the last first", () => {
    const chain = chainWithLock();
    chain.send(LOCK, "unlock", [1n * OGPU]);
    chain.send(LOCK, "unlock", [2n * OGPU]);
    chain.send(LOCK, "cancelUnlock", [2n * OGPU + OGPU / 2n]);
    expect(chain.view(LOCK, "unlocksOf", [OWNER.address])[0]).toEqual([OGPU / 2n]);
    expect(pots(chain)).toEqual([10, 9.5, 0, 0.5]);
    chain.send(LOCK, "cancelUnlock", [OGPU / 2n]);
    expect(pots(chain)).toEqual([10, 10, 0, 0]);
    chain.pass(1000);
    expect(chain.revertOf(LOCK, "withdraw", []).name).toBe("NothingDue");
  });

  it("is closed by unlocking everything, and can be opened again", () => {
    const chain = chainWithLock();
    chain.send(LOCK, "unlock", [10n * OGPU]);
    chain.pass(UNLOCK_SECONDS);
    chain.send(LOCK, "withdraw", []);
    expect(chain.balance(OWNER.address)).toBe(ACCOUNT_BALANCE);
    expect(chain.balance(TRUST_LOCK_ADDRESS)).toBe(0n);
    expect(chain.revertOf(LOCK, "topUp", [], { value: OGPU }).name).toBe("NoLock");
    chain.send(LOCK, "lock", [], { value: OGPU });
    expect(pots(chain)).toEqual([1, 1, 0, 0]);
  });

  it("does not count gifts to the module's account", () => {
    const chain = chainWithLock();
    chain.block([chain.transaction(TRUST_LOCK_ADDRESS, new Uint8Array(), { value: OGPU, key: VICTIM })]);
    expect(chain.balance(TRUST_LOCK_ADDRESS)).toBe(11n * OGPU);
    expect(chain.view(LOCK, "totalLocked", [])).toBe(10n * OGPU);
  });
});

describe("a commitment", () => {
  it("cannot be spent, set aside twice or unlocked", () => {
    const chain = chainWithLock();
    allocate(chain, 8n * OGPU);
    expect(pots(chain)).toEqual([10, 2, 8, 0]);
    const error = { name: "NotEnoughFree", args: [2n * OGPU, 3n * OGPU] };
    expect(chain.revertOf(LOCK, "unlock", [3n * OGPU])).toEqual(error);
    const other = bytesToHex(bytes32(1n));
    const deadline = chain.now + 1000n;
    expect(chain.revertOf(LOCK, "allocate", [other, JUDGE.address, 3n * OGPU, deadline])).toEqual(error);
    expect(chain.revertOf(LOCK, "increase", [JOB, JUDGE.address, 3n * OGPU])).toEqual(error);
    chain.send(LOCK, "increase", [JOB, JUDGE.address, 2n * OGPU]);
    expect(pots(chain)).toEqual([10, 0, 10, 0]);
    expect(chain.balance(TRUST_LOCK_ADDRESS)).toBe(10n * OGPU);
  });

  it("smaller than the least lock keeps as much of its owner's money here", () => {
    const chain = chainWithLock();
    allocate(chain, MIN_LOCK / 2n);
    const free = 10n * OGPU - MIN_LOCK / 2n;
    expect(chain.revertOf(LOCK, "unlock", [free])).toEqual({ name: "BelowMinimum", args: [MIN_LOCK / 2n, MIN_LOCK] });
    chain.send(LOCK, "unlock", [free - MIN_LOCK / 2n]);
    chain.send(LOCK, "release", [OWNER.address, JOB, MIN_LOCK / 2n], { key: JUDGE });
    chain.send(LOCK, "unlock", [MIN_LOCK]);
    expect(pots(chain)).toEqual([10, 0, 0, 10]);
  });

  it("is released by its controller, in parts", () => {
    const chain = chainWithLock();
    const deadline = allocate(chain, 8n * OGPU);
    const { receipt } = chain.send(LOCK, "release", [OWNER.address, JOB, 3n * OGPU], { key: JUDGE });
    expect(eventsOf(LOCK, receipt.logs)).toMatchObject([
      { name: "Released", args: { commitment: JOB, amount: 3n * OGPU, left: 5n * OGPU } },
    ]);
    expect(pots(chain)).toEqual([10, 5, 5, 0]);
    expect(chain.view(LOCK, "commitmentOf", [OWNER.address, JUDGE.address, JOB])).toMatchObject({
      status: 1,
      amount: 8n * OGPU,
      released: 3n * OGPU,
      left: 5n * OGPU,
      deadline,
    });
    chain.send(LOCK, "release", [OWNER.address, JOB, 5n * OGPU], { key: JUDGE });
    expect(chain.view(LOCK, "commitmentOf", [OWNER.address, JUDGE.address, JOB]).status).toBe(2);
    expect(pots(chain)).toEqual([10, 10, 0, 0]);
  });

  it("that is breached is shared out to the wei: burned, to the treasury, into locks", () => {
    const chain = chainWithLock();
    allocate(chain, 8n * OGPU);
    const supply = chain.supply();
    const parts = [3n * OGPU + 1n, OGPU, 2n * OGPU - 1n] as const;
    const { receipt } = chain.send(
      LOCK,
      "breach",
      [OWNER.address, JOB, 6n * OGPU, 7, [VICTIM.address, TREASURY_ADDRESS, BURNED], parts],
      { key: JUDGE },
    );
    expect(eventsOf(LOCK, receipt.logs).map(({ name, args }) => [name, args["amount"], args["locked"]])).toEqual([
      ["Breached", 6n * OGPU, undefined],
      ["BreachPaid", parts[0], true],
      ["BreachPaid", parts[1], false],
      ["BreachPaid", parts[2], false],
    ]);
    expect(pots(chain)).toEqual([4, 2, 2, 0]);
    expect(chain.view(LOCK, "accountOf", [VICTIM.address])).toEqual([parts[0], parts[0], 0n, 0n]);
    expect(chain.balance(TREASURY_ADDRESS)).toBe(OGPU);
    expect(supply - chain.supply()).toBe(2n * OGPU - 1n);
    expect(chain.balance(TRUST_LOCK_ADDRESS)).toBe(4n * OGPU + parts[0]);
    chain.send(LOCK, "release", [OWNER.address, JOB, 2n * OGPU], { key: JUDGE });
    expect(chain.view(LOCK, "commitmentOf", [OWNER.address, JUDGE.address, JOB])).toMatchObject({
      status: 3,
      breached: 6n * OGPU,
      released: 2n * OGPU,
    });
    const { result: due } = chain.send(LOCK, "unlock", [parts[0]], { key: VICTIM });
    chain.pass(due - chain.now);
    expect(chain.send(LOCK, "withdraw", [], { key: VICTIM }).result).toBe(parts[0]);
  });

  it("broken to oneself is no way around the delay", () => {
    const chain = chainWithLock();
    allocate(chain, 8n * OGPU);
    const args = [OWNER.address, JOB, 8n * OGPU, 0, [OWNER.address], [8n * OGPU]] as const;
    chain.send(LOCK, "breach", args, { key: JUDGE });
    expect(pots(chain)).toEqual([10, 10, 0, 0]);
    expect(chain.balance(OWNER.address)).toBe(ACCOUNT_BALANCE - 10n * OGPU);
  });

  it("is its controller's until the deadline, and then also its owner's", () => {
    const chain = chainWithLock();
    const deadline = allocate(chain, 8n * OGPU);
    chain.send(LOCK, "release", [OWNER.address, JOB, OGPU], { key: JUDGE });
    chain.pass(deadline - chain.now - 2n);
    expect(chain.revertOf(LOCK, "reclaim", [JOB, JUDGE.address])).toEqual({
      name: "DeadlineAhead",
      args: [deadline, deadline - 1n],
    });
    const { result, receipt } = chain.send(LOCK, "reclaim", [JOB, JUDGE.address]);
    expect(result).toBe(7n * OGPU);
    expect(eventsOf(LOCK, receipt.logs)).toMatchObject([{ name: "Reclaimed", args: { amount: 7n * OGPU } }]);
    expect(pots(chain)).toEqual([10, 10, 0, 0]);
    expect(chain.view(LOCK, "commitmentOf", [OWNER.address, JUDGE.address, JOB]).status).toBe(4);
    expect(chain.revertOf(LOCK, "release", [OWNER.address, JOB, 1n], { key: JUDGE }).name).toBe("CommitmentClosed");
  });

  it("gets a later deadline, never an earlier one", () => {
    const chain = chainWithLock();
    const deadline = allocate(chain, 8n * OGPU);
    const extend = (until: bigint): string => chain.revertOf(LOCK, "extend", [JOB, JUDGE.address, until]).name;
    expect(extend(deadline)).toBe("BadDeadline");
    expect(extend(chain.now + 2n * MAX_COMMITMENT_SECONDS)).toBe("BadDeadline");
    const { receipt } = chain.send(LOCK, "extend", [JOB, JUDGE.address, deadline + 500n]);
    expect(eventsOf(LOCK, receipt.logs)).toMatchObject([{ name: "Extended", args: { deadline: deadline + 500n } }]);
    chain.pass(deadline - chain.now);
    expect(chain.revertOf(LOCK, "reclaim", [JOB, JUDGE.address]).name).toBe("DeadlineAhead");
  });

  it("obeys its own controller only", () => {
    const chain = chainWithLock();
    allocate(chain, 8n * OGPU);
    for (const key of [OWNER, VICTIM]) {
      expect(chain.revertOf(LOCK, "release", [OWNER.address, JOB, OGPU], { key }).name).toBe("NoCommitment");
      const breach = [OWNER.address, JOB, OGPU, 0, [key.address], [OGPU]] as const;
      expect(chain.revertOf(LOCK, "breach", breach, { key }).name).toBe("NoCommitment");
    }
    expect(chain.revertOf(LOCK, "reclaim", [JOB, JUDGE.address], { key: JUDGE }).name).toBe("NoCommitment");
    expect(chain.revertOf(MARKET, "release", [OWNER.address, JOB, OGPU] as const, {}).name).toBe("NoCommitment");
  });

  it("is in its owner's history for ever, page by page", () => {
    const chain = chainWithLock();
    const names = Array.from({ length: 5 }, (_, index) => bytesToHex(bytes32(BigInt(index + 1))));
    for (const name of names) allocate(chain, OGPU, name);
    chain.send(LOCK, "release", [OWNER.address, names[1] as Hex, OGPU], { key: JUDGE });
    expect(chain.view(LOCK, "commitmentCount", [OWNER.address])).toBe(5n);
    const page = (start: bigint, limit: bigint): readonly [Hex, number][] =>
      chain
        .view(LOCK, "commitmentsOf", [OWNER.address, start, limit])
        .map(({ commitment, status }) => [commitment, status]);
    expect(page(0n, 100n)).toEqual(names.map((name, index) => [name, index === 1 ? 2 : 1]));
    expect(page(3n, 1n)).toEqual([[names[3], 1]]);
    expect(page(5n, 10n)).toEqual([]);
    expect(page((1n << 256n) - 1n, 1n)).toEqual([]);
    expect(chain.view(LOCK, "commitmentOf", [VICTIM.address, JUDGE.address, JOB])).toMatchObject({
      status: 0,
      amount: 0n,
    });
  });
});

describe("a module as controller", () => {
  it("takes commitments in its callers' transactions and pays out at once", () => {
    const chain = chainWithLock();
    const deadline = chain.now + 100n;
    chain.send(MARKET, "allocate", [JOB, 4n * OGPU, deadline]);
    chain.send(MARKET, "increase", [JOB, OGPU]);
    chain.send(MARKET, "extend", [JOB, deadline + 50n]);
    const key = { owner: OWNER.address, controller: MARKET_ADDRESS, commitment: JOB };
    expect(commitmentLeft(chain.reading(TRUST_LOCK_ADDRESS), key)).toBe(5n * OGPU);
    const before = chain.balance(VICTIM.address);
    chain.send(MARKET, "breach", [OWNER.address, JOB, 9, [VICTIM.address, MARKET_ADDRESS], [2n * OGPU, OGPU]]);
    expect(chain.balance(VICTIM.address)).toBe(before + 2n * OGPU);
    expect(chain.balance(MARKET_ADDRESS)).toBe(OGPU);
    chain.send(MARKET, "release", [OWNER.address, JOB, 2n * OGPU]);
    expect(commitmentLeft(chain.reading(TRUST_LOCK_ADDRESS), key)).toBe(0n);
    expect(pots(chain)).toEqual([7, 7, 0, 0]);
  });

  it("is given none behind its back", () => {
    const chain = chainWithLock();
    const args = [JOB, MARKET_ADDRESS, OGPU, chain.now + 100n] as const;
    expect(chain.revertOf(LOCK, "allocate", args).name).toBe("BadController");
  });
});

describe("bad input reverts with a named error and changes nothing", () => {
  type Case = readonly [name: string, attempt: (chain: EconomyChain) => Reverted, args?: readonly unknown[]];
  const deadline = (chain: EconomyChain): bigint => chain.now + 100n;
  const most = BigInt(MAX_BENEFICIARIES);
  const breach = (chain: EconomyChain, to: readonly Hex[], amounts: readonly bigint[], amount = OGPU) =>
    chain.revertOf(LOCK, "breach", [OWNER.address, JOB, amount, 0, to, amounts], { key: JUDGE });
  const cases: readonly Case[] = [
    ["LockExists", (chain) => chain.revertOf(LOCK, "lock", [], { value: OGPU }), [10n * OGPU]],
    ["BelowMinimum", (chain) => chain.revertOf(LOCK, "lock", [], { value: 1n, key: VICTIM }), [1n, MIN_LOCK]],
    ["NothingSent", (chain) => chain.revertOf(LOCK, "lock", [], { key: VICTIM })],
    ["NothingSent", (chain) => chain.revertOf(LOCK, "topUp", [])],
    ["NoLock", (chain) => chain.revertOf(LOCK, "topUp", [], { value: OGPU, key: VICTIM })],
    ["ZeroAmount", (chain) => chain.revertOf(LOCK, "unlock", [0n])],
    ["BelowMinimum", (chain) => chain.revertOf(LOCK, "unlock", [5n * OGPU], { key: accountKey(3) })],
    ["NotEnoughFree", (chain) => chain.revertOf(LOCK, "unlock", [1n << 255n]), [5n * OGPU, 1n << 255n]],
    ["NotEnoughUnlocking", (chain) => chain.revertOf(LOCK, "cancelUnlock", [1n]), [0n, 1n]],
    ["ZeroAmount", (chain) => chain.revertOf(LOCK, "cancelUnlock", [0n])],
    ["BadController", (chain) => chain.revertOf(LOCK, "allocate", [JOB, OWNER.address, OGPU, deadline(chain)])],
    ["BadController", (chain) => chain.revertOf(LOCK, "allocate", [JOB, BURNED, OGPU, deadline(chain)])],
    ["ZeroAmount", (chain) => chain.revertOf(LOCK, "allocate", [JOB, VICTIM.address, 0n, deadline(chain)])],
    ["BadDeadline", (chain) => chain.revertOf(LOCK, "allocate", [JOB, VICTIM.address, OGPU, chain.now])],
    ["BadDeadline", (chain) => chain.revertOf(LOCK, "allocate", [JOB, VICTIM.address, OGPU, (1n << 256n) - 1n])],
    ["CommitmentUsed", (chain) => chain.revertOf(LOCK, "allocate", [JOB, JUDGE.address, OGPU, deadline(chain)])],
    ["ZeroAmount", (chain) => chain.revertOf(LOCK, "increase", [JOB, JUDGE.address, 0n])],
    ["NoCommitment", (chain) => chain.revertOf(LOCK, "increase", [JOB, VICTIM.address, OGPU])],
    ["ZeroAmount", (chain) => chain.revertOf(LOCK, "release", [OWNER.address, JOB, 0n], { key: JUDGE })],
    [
      "NotEnoughLeft",
      (chain) => chain.revertOf(LOCK, "release", [OWNER.address, JOB, 6n * OGPU], { key: JUDGE }),
      [5n * OGPU, 6n * OGPU],
    ],
    ["BadSplit", (chain) => breach(chain, [], []), [0n, 0n, most]],
    ["BadSplit", (chain) => breach(chain, [VICTIM.address], [OGPU, 0n]), [1n, 2n, most]],
    ["BadSplit", (chain) => breach(chain, Array(17).fill(VICTIM.address), Array(17).fill(0n)), [17n, 17n, most]],
    ["SplitNotWhole", (chain) => breach(chain, [VICTIM.address], [OGPU - 1n]), [OGPU - 1n, OGPU]],
    ["SplitNotWhole", (chain) => breach(chain, [VICTIM.address, BURNED], [(1n << 256n) - 1n, OGPU + 1n])],
    ["BadBeneficiary", (chain) => breach(chain, [TRUST_LOCK_ADDRESS], [OGPU])],
    ["BadBeneficiary", (chain) => breach(chain, [VERIFIERS_ADDRESS], [OGPU])],
    ["ZeroAmount", (chain) => breach(chain, [VICTIM.address], [0n], 0n)],
    ["TooMany", (chain) => chain.revertOf(LOCK, "commitmentsOf", [OWNER.address, 0n, 101n]), [100n]],
  ];

  // Nothing changes, so one chain serves all.
  const chain = chainWithLock();
  allocate(chain, 5n * OGPU);
  chain.send(LOCK, "lock", [], { value: 5n * OGPU + 1n, key: accountKey(3) });
  const facts = (): unknown => [
    pots(chain),
    pots(chain, accountKey(3).address),
    chain.view(LOCK, "commitmentsOf", [OWNER.address, 0n, 100n]),
    chain.view(LOCK, "totalLocked", []),
    chain.balance(TRUST_LOCK_ADDRESS),
    chain.supply(),
  ];
  const before = facts();

  it.each(cases.map(([name, attempt, args]) => ({ name, attempt, args })))("$name (%#)", ({ name, attempt, args }) => {
    const reverted = attempt(chain);
    expect(reverted.name).toBe(name);
    if (args !== undefined) expect(reverted.args).toEqual(args);
    expect(facts()).toEqual(before);
  });
});
