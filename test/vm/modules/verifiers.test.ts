import { describe, expect, it } from "vitest";
import { bytes32, bytesToHex, type Hex } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { verifiersAbi } from "../../../vm/interfaces/abi/verifiers.ts";
import { VERIFIERS_ADDRESS } from "../../../vm/modules/addresses.ts";
import { KEPT_SNAPSHOTS } from "../../../vm/modules/verifiers/limits.ts";
import { snapshotSize, snapshotTotal, snapshotUnits } from "../../../vm/modules/verifiers/snapshot.ts";
import type { Address } from "../../../vm/state/account.ts";
import {
  ACCOUNT_BALANCE,
  accountKey,
  EconomyChain,
  eventsOf,
  type Reverted,
  systemLogs,
} from "../support/economy-chain.ts";
import { installStubMarket, MARKET, MARKET_ADDRESS } from "../support/stub-market.ts";
import type { TestKey } from "../support/test-chain.ts";

const VERIFIERS = { address: VERIFIERS_ADDRESS, abi: verifiersAbi } as const;
const VERIFIER = accountKey(0);
const OTHER = accountKey(1);
const EXIT_SECONDS = 120n;
const MIN_STAKE = 10n * OGPU;
const SEED = bytesToHex(bytes32(5n));

function chainWithVerifier(stake = 50n * OGPU): EconomyChain {
  const chain = new EconomyChain({ parameters: { verifiers: { maxVerifiers: 3n } } });
  installStubMarket(chain);
  chain.send(VERIFIERS, "register", [], { value: stake });
  return chain;
}

/** [stake, frozen, leaving] in oGPU. */
function pots(chain: EconomyChain, account = VERIFIER.address): readonly number[] {
  const { stake, frozen, leaving } = chain.view(VERIFIERS, "verifierOf", [account]);
  return [stake, frozen, leaving].map((amount) => Number(amount) / Number(OGPU));
}

/** What the snapshot for the running epoch says. */
function weights(chain: EconomyChain, epoch = BigInt(chain.epoch)): readonly (readonly [Hex, bigint])[] {
  return chain
    .view(VERIFIERS, "snapshotWeights", [epoch, 0n, 100n])
    .map(({ account, units }) => [account.toLowerCase() as Hex, units]);
}

describe("a verifier of the chain spec", () => {
  it("can be drawn in the first epoch, and has its stake like everybody else", () => {
    const stake = 20n * OGPU;
    const chain = new EconomyChain({ spec: (spec) => ({ ...spec, verifiers: [{ account: OTHER.address, stake }] }) });
    expect(weights(chain)).toEqual([[OTHER.address, 20n]]);
    expect(chain.view(VERIFIERS, "draw", [0n, SEED, 0, []]).toLowerCase()).toBe(OTHER.address);
    expect(chain.balance(VERIFIERS_ADDRESS)).toBe(stake);
    chain.send(VERIFIERS, "register", [], { value: MIN_STAKE });
    expect(weights(chain)).toEqual([[OTHER.address, 20n]]);
    chain.endEpoch();
    expect(weights(chain)).toHaveLength(2);
  });
});

describe("a verifier", () => {
  it("registers with stake of its own, and counts by whole units", () => {
    const chain = chainWithVerifier(50n * OGPU + 1n);
    expect(chain.view(VERIFIERS, "verifierOf", [VERIFIER.address])).toMatchObject({
      status: 1,
      stake: 50n * OGPU + 1n,
      frozen: 0n,
      leaving: 0n,
      units: 50n,
      jailedUntil: 0n,
    });
    chain.send(VERIFIERS, "topUp", [], { value: OGPU - 1n });
    expect(chain.view(VERIFIERS, "verifierOf", [VERIFIER.address]).units).toBe(51n);
    expect(chain.view(VERIFIERS, "totalStake", [])).toBe(51n * OGPU);
    expect(chain.balance(VERIFIERS_ADDRESS)).toBe(51n * OGPU);
  });

  it("takes out a part after the delay", () => {
    const chain = chainWithVerifier();
    chain.send(VERIFIERS, "requestWithdrawal", [30n * OGPU]);
    chain.endEpoch();
    chain.block();
    const due = chain.now + EXIT_SECONDS;
    expect(pots(chain)).toEqual([20, 0, 30]);
    expect(chain.view(VERIFIERS, "verifierOf", [VERIFIER.address]).units).toBe(20n);
    chain.send(VERIFIERS, "cancelWithdrawal", [10n * OGPU]);
    expect(chain.view(VERIFIERS, "withdrawalsOf", [VERIFIER.address])).toEqual([[20n * OGPU], [due]]);
    expect(chain.revertOf(VERIFIERS, "withdraw", [])).toEqual({ name: "NothingDue", args: [due] });
    chain.pass(EXIT_SECONDS);
    expect(chain.send(VERIFIERS, "withdraw", []).result).toBe(20n * OGPU);
    expect(chain.balance(VERIFIER.address)).toBe(ACCOUNT_BALANCE - 30n * OGPU);
  });

  it("is paid only when the epoch is over whose draws still count the stake, and the delay after that", () => {
    const chain = chainWithVerifier();
    chain.endEpoch();
    chain.send(VERIFIERS, "requestWithdrawal", [30n * OGPU]);
    chain.pass(10n * EXIT_SECONDS);
    expect(weights(chain)).toEqual([[VERIFIER.address, 50n]]);
    expect(chain.revertOf(VERIFIERS, "withdraw", [])).toEqual({ name: "NothingDue", args: [chain.now + EXIT_SECONDS] });
    expect(chain.send(MARKET, "freeze", [VERIFIER.address, 40n * OGPU]).result).toBe(40n * OGPU);
    chain.endEpoch();
    chain.block();
    const due = chain.now + EXIT_SECONDS;
    chain.pass(EXIT_SECONDS - 2n);
    expect(chain.revertOf(VERIFIERS, "withdraw", [])).toEqual({ name: "NothingDue", args: [due] });
    expect(chain.send(VERIFIERS, "withdraw", []).result).toBe(10n * OGPU);
  });

  it("leaves for good after the delay, liable until it is paid", () => {
    const chain = chainWithVerifier();
    expect(chain.send(MARKET, "freeze", [VERIFIER.address, 5n * OGPU]).result).toBe(5n * OGPU);
    chain.send(VERIFIERS, "exit", []);
    expect(pots(chain)).toEqual([0, 5, 45]);
    expect(chain.view(VERIFIERS, "verifierCount", [])).toBe(0n);
    for (const attempt of ["pause", "resume", "exit", "unjail"] as const) {
      expect(chain.revertOf(VERIFIERS, attempt, []).name).toBe("IsLeaving");
    }
    expect(chain.revertOf(VERIFIERS, "register", [], { value: MIN_STAKE }).name).toBe("AlreadyRegistered");
    expect(chain.send(MARKET, "takeStake", [VERIFIER.address, 7n * OGPU, 3, MARKET_ADDRESS]).result).toBe(7n * OGPU);
    chain.endEpoch();
    chain.block();
    chain.pass(EXIT_SECONDS);
    expect(chain.send(VERIFIERS, "withdraw", []).result).toBe(38n * OGPU);
    chain.send(MARKET, "releaseFrozen", [VERIFIER.address, 4n * OGPU]);
    chain.send(MARKET, "takeFrozen", [VERIFIER.address, OGPU, 3, MARKET_ADDRESS]);
    expect(pots(chain)).toEqual([0, 0, 4]);
    chain.endEpoch();
    chain.block();
    chain.pass(EXIT_SECONDS);
    const { receipt } = chain.send(VERIFIERS, "withdraw", []);
    expect(eventsOf(VERIFIERS, receipt.logs).map(({ name }) => name)).toEqual(["Withdrawn", "Exited"]);
    expect(chain.balance(VERIFIER.address)).toBe(ACCOUNT_BALANCE - 8n * OGPU);
    expect(chain.balance(MARKET_ADDRESS)).toBe(8n * OGPU);
    expect(chain.balance(VERIFIERS_ADDRESS)).toBe(0n);
    chain.send(VERIFIERS, "register", [], { value: MIN_STAKE });
  });

  it("is one of a bounded number", () => {
    const chain = chainWithVerifier();
    for (const index of [1, 2]) chain.send(VERIFIERS, "register", [], { value: MIN_STAKE, key: accountKey(index) });
    const register = (): Reverted =>
      chain.revertOf(VERIFIERS, "register", [], { value: MIN_STAKE, key: accountKey(3) });
    expect(register()).toEqual({ name: "TooManyVerifiers", args: [3n] });
    chain.send(VERIFIERS, "exit", [], { key: OTHER });
    chain.send(VERIFIERS, "register", [], { value: MIN_STAKE, key: accountKey(3) });
    const accounts = chain.view(VERIFIERS, "verifiers", [0n, 10n]).map(({ account }) => account.toLowerCase());
    expect(accounts.sort()).toEqual([0, 2, 3].map((index) => accountKey(index).address).sort());
  });
});

describe("a place, when all are taken,", () => {
  const newcomer = accountKey(3);
  const replace = (other: Address, value = MIN_STAKE): [readonly [Address], { value: bigint; key: TestKey }] => [
    [other],
    { value, key: newcomer },
  ];

  function fullChain(): EconomyChain {
    const chain = chainWithVerifier();
    for (const index of [1, 2]) chain.send(VERIFIERS, "register", [], { value: MIN_STAKE, key: accountKey(index) });
    return chain;
  }

  it("is for whoever stakes more than the one that has it, which leaves with its stake", () => {
    const chain = fullChain();
    const refused = chain.revertOf(VERIFIERS, "registerInPlaceOf", ...replace(OTHER.address));
    expect(refused.name).toBe("NotWeaker");
    const { receipt } = chain.send(VERIFIERS, "registerInPlaceOf", ...replace(OTHER.address, MIN_STAKE + 1n));
    expect(eventsOf(VERIFIERS, receipt.logs).map(({ name }) => name)).toEqual([
      "ExitStarted",
      "WithdrawalRequested",
      "Registered",
    ]);
    expect(chain.view(VERIFIERS, "verifierOf", [OTHER.address])).toMatchObject({ status: 3, leaving: MIN_STAKE });
    expect(chain.view(VERIFIERS, "verifierOf", [newcomer.address])).toMatchObject({ status: 1, stake: MIN_STAKE + 1n });
    expect(chain.view(VERIFIERS, "verifierCount", [])).toBe(3n);
    expect(
      chain.revertOf(VERIFIERS, "registerInPlaceOf", [OTHER.address], { value: OGPU * 100n, key: OTHER }).name,
    ).toBe("AlreadyRegistered");
    chain.endEpoch();
    chain.block();
    chain.pass(EXIT_SECONDS + 1n);
    const before = chain.balance(OTHER.address);
    chain.send(VERIFIERS, "withdraw", [], { key: OTHER });
    expect(chain.balance(OTHER.address) - before).toBe(MIN_STAKE);
  });

  it("is not kept by who is paused", () => {
    const chain = fullChain();
    chain.send(VERIFIERS, "pause", [], { key: OTHER });
    chain.send(VERIFIERS, "registerInPlaceOf", ...replace(OTHER.address));
    expect(chain.view(VERIFIERS, "verifierOf", [newcomer.address]).status).toBe(1);
  });

  it("is nobody's to take from who has none", () => {
    const chain = fullChain();
    const nobody = accountKey(9).address;
    expect(chain.revertOf(VERIFIERS, "registerInPlaceOf", ...replace(nobody, 100n * OGPU)).name).toBe("NotRegistered");
    expect(chain.revertOf(VERIFIERS, "registerInPlaceOf", ...replace(OTHER.address, MIN_STAKE - 1n)).name).toBe(
      "BelowMinimum",
    );
    chain.send(VERIFIERS, "exit", [], { key: OTHER });
    // A place is free: nobody has to leave.
    chain.send(VERIFIERS, "registerInPlaceOf", ...replace(accountKey(2).address));
    expect(chain.view(VERIFIERS, "verifierOf", [accountKey(2).address]).status).toBe(1);
    expect(chain.view(VERIFIERS, "verifierCount", [])).toBe(3n);
  });
});

describe("penalties", () => {
  it("freeze stake, and then what leaves, and as much as there is", () => {
    const chain = chainWithVerifier();
    chain.send(VERIFIERS, "requestWithdrawal", [40n * OGPU]);
    const freeze = (amount: bigint): bigint => chain.send(MARKET, "freeze", [VERIFIER.address, amount]).result;
    expect(freeze(4n * OGPU)).toBe(4n * OGPU);
    expect(pots(chain)).toEqual([6, 4, 40]);
    expect(freeze(10n * OGPU)).toBe(10n * OGPU);
    expect(pots(chain)).toEqual([0, 14, 36]);
    expect(freeze(100n * OGPU)).toBe(36n * OGPU);
    expect(freeze(1n)).toBe(0n);
    chain.pass(1000);
    expect(chain.revertOf(VERIFIERS, "withdraw", []).name).toBe("NothingDue");
    const { receipt } = chain.send(MARKET, "takeFrozen", [VERIFIER.address, 20n * OGPU, 4, MARKET_ADDRESS]);
    expect(eventsOf(VERIFIERS, receipt.logs)).toMatchObject([
      { name: "Slashed", args: { amount: 20n * OGPU, reason: 4 } },
    ]);
    chain.send(MARKET, "releaseFrozen", [VERIFIER.address, 30n * OGPU]);
    expect(pots(chain)).toEqual([30, 0, 0]);
    expect(chain.balance(VERIFIERS_ADDRESS)).toBe(30n * OGPU);
    expect(chain.balance(MARKET_ADDRESS)).toBe(20n * OGPU);
  });

  it("take from stake and then from what leaves, but not what is frozen for another", () => {
    const chain = chainWithVerifier();
    chain.send(MARKET, "freeze", [VERIFIER.address, 10n * OGPU]);
    chain.send(VERIFIERS, "requestWithdrawal", [20n * OGPU]);
    const take = (amount: bigint): bigint =>
      chain.send(MARKET, "takeStake", [VERIFIER.address, amount, 1, MARKET_ADDRESS]).result;
    expect(take(25n * OGPU)).toBe(25n * OGPU);
    expect(pots(chain)).toEqual([0, 10, 15]);
    expect(take(99n * OGPU)).toBe(15n * OGPU);
    expect(take(99n * OGPU)).toBe(0n);
    expect(pots(chain)).toEqual([0, 10, 0]);
  });

  it("jail until a time, which another jail only makes later", () => {
    const chain = chainWithVerifier();
    const until = chain.now + 100n;
    const { receipt } = chain.send(MARKET, "jail", [VERIFIER.address, until]);
    expect(eventsOf(VERIFIERS, receipt.logs)).toMatchObject([{ name: "Jailed", args: { until } }]);
    chain.send(MARKET, "jail", [VERIFIER.address, until - 50n]);
    expect(chain.view(VERIFIERS, "verifierOf", [VERIFIER.address])).toMatchObject({ jailedUntil: until, units: 0n });
    expect(chain.revertOf(VERIFIERS, "unjail", [])).toMatchObject({ name: "StillJailed" });
    chain.pass(until - chain.now - 1n);
    chain.send(VERIFIERS, "unjail", []);
    expect(chain.view(VERIFIERS, "verifierOf", [VERIFIER.address])).toMatchObject({ jailedUntil: 0n, units: 50n });
    expect(chain.revertOf(VERIFIERS, "unjail", []).name).toBe("NotJailed");
  });

  it("jail beyond a registration: leaving and coming back does not help", () => {
    const chain = chainWithVerifier();
    chain.send(MARKET, "jail", [VERIFIER.address, chain.now + 1000n]);
    chain.send(VERIFIERS, "exit", []);
    chain.endEpoch();
    chain.block();
    chain.pass(EXIT_SECONDS);
    chain.send(VERIFIERS, "withdraw", []);
    chain.send(VERIFIERS, "register", [], { value: MIN_STAKE });
    expect(chain.view(VERIFIERS, "verifierOf", [VERIFIER.address]).units).toBe(0n);
    expect(chain.revertOf(VERIFIERS, "unjail", []).name).toBe("StillJailed");
  });
});

describe("a snapshot", () => {
  const byAddress = (...keys: readonly TestKey[]): readonly Hex[] => keys.map(({ address }) => address).sort();

  it("is taken at the end of an epoch, for the epochs after it", () => {
    const chain = chainWithVerifier();
    chain.send(VERIFIERS, "register", [], { value: 12n * OGPU, key: OTHER });
    expect(chain.revertOf(VERIFIERS, "snapshotOf", [0n])).toEqual({ name: "NoSnapshot", args: [0n] });
    const block = chain.endEpoch();
    expect(eventsOf(VERIFIERS, systemLogs(block))).toEqual([
      { name: "SnapshotTaken", args: { epoch: 0n, size: 2n, units: 62n } },
    ]);
    expect(chain.view(VERIFIERS, "snapshotOf", [1n])).toEqual([2n, 62n]);
    expect(weights(chain)).toEqual(
      byAddress(VERIFIER, OTHER).map((account) => [account, account === OTHER.address ? 12n : 50n]),
    );
    expect(chain.revertOf(VERIFIERS, "snapshotOf", [0n]).name).toBe("NoSnapshot");
    const reading = chain.reading(VERIFIERS_ADDRESS);
    expect(snapshotSize(reading, 1n)).toBe(2);
    expect(snapshotTotal(reading, 1n)).toBe(62n);
    expect(snapshotUnits(reading, 1n, OTHER.address)).toBe(12n);
    expect(snapshotUnits(reading, 1n, accountKey(2).address)).toBe(0n);
    expect(snapshotTotal(reading, 0n)).toBe(0n);
  });

  it("stays as it was whatever happens in the epoch, and older epochs keep theirs", () => {
    const chain = chainWithVerifier();
    chain.endEpoch();
    chain.send(VERIFIERS, "topUp", [], { value: 5n * OGPU });
    chain.send(VERIFIERS, "register", [], { value: 12n * OGPU, key: OTHER });
    expect(weights(chain)).toEqual([[VERIFIER.address, 50n]]);
    chain.endEpoch();
    expect(weights(chain, 1n)).toEqual([[VERIFIER.address, 50n]]);
    expect(chain.view(VERIFIERS, "snapshotOf", [2n])).toEqual([2n, 67n]);
  });

  it("leaves out who is paused, jailed, leaving or below the minimum", () => {
    const chain = new EconomyChain();
    installStubMarket(chain);
    const keys = [0, 1, 2, 3, 4].map(accountKey);
    for (const key of keys) chain.send(VERIFIERS, "register", [], { value: 20n * OGPU, key });
    chain.send(VERIFIERS, "pause", [], { key: accountKey(0) });
    chain.send(MARKET, "jail", [accountKey(1).address, chain.now + 1000n]);
    chain.send(VERIFIERS, "exit", [], { key: accountKey(2) });
    chain.send(MARKET, "freeze", [accountKey(3).address, 11n * OGPU]);
    chain.endEpoch();
    expect(weights(chain)).toEqual([[accountKey(4).address, 20n]]);
    chain.send(VERIFIERS, "resume", [], { key: accountKey(0) });
    chain.send(MARKET, "releaseFrozen", [accountKey(3).address, 11n * OGPU]);
    chain.endEpoch();
    expect(weights(chain).map(([account]) => account)).toEqual(byAddress(...[0, 3, 4].map(accountKey)));
  });

  it("is not written again when no weight has changed", () => {
    const chain = chainWithVerifier();
    chain.endEpoch();
    chain.send(VERIFIERS, "pause", []);
    chain.send(VERIFIERS, "resume", []);
    const taken = (): number => eventsOf(VERIFIERS, systemLogs(chain.endEpoch())).length;
    // The pause did change a weight, and the hook does not ask whether it changed back.
    expect(taken()).toBe(1);
    for (let i = 0; i < 2 * KEPT_SNAPSHOTS; i++) expect(taken()).toBe(0);
    expect(weights(chain)).toEqual([[VERIFIER.address, 50n]]);
    expect(weights(chain, 1n)).toEqual([[VERIFIER.address, 50n]]);
  });

  it("is kept for a bounded number of changes, and then there is none for its epoch", () => {
    const chain = chainWithVerifier();
    for (let i = 0; i < KEPT_SNAPSHOTS + 1; i++) {
      chain.send(VERIFIERS, "topUp", [], { value: OGPU });
      chain.endEpoch();
    }
    expect(chain.revertOf(VERIFIERS, "snapshotOf", [1n]).name).toBe("NoSnapshot");
    expect(chain.revertOf(VERIFIERS, "draw", [1n, SEED, 0, []]).name).toBe("NoSnapshot");
    for (let epoch = 2n; epoch <= BigInt(chain.epoch); epoch++) {
      expect(chain.view(VERIFIERS, "snapshotOf", [epoch])).toEqual([1n, 50n + epoch]);
    }
  });

  it("of fewer verifiers shows none of those that were in its place before", () => {
    const chain = new EconomyChain();
    const keys = [0, 1, 2].map(accountKey);
    for (const key of keys) chain.send(VERIFIERS, "register", [], { value: 20n * OGPU, key });
    chain.endEpoch();
    for (const key of keys.slice(1)) chain.send(VERIFIERS, "exit", [], { key });
    for (let i = 0; i < KEPT_SNAPSHOTS; i++) {
      chain.send(VERIFIERS, "topUp", [], { value: OGPU });
      chain.endEpoch();
    }
    expect(weights(chain)).toEqual([[VERIFIER.address, 20n + BigInt(KEPT_SNAPSHOTS)]]);
  });

  it("of nobody draws nobody", () => {
    const chain = new EconomyChain();
    chain.endEpoch();
    expect(chain.view(VERIFIERS, "snapshotOf", [1n])).toEqual([0n, 0n]);
    expect(BigInt(chain.view(VERIFIERS, "draw", [1n, SEED, 0, []]))).toBe(0n);
  });
});

describe("bad input reverts with a named error and changes nothing", () => {
  type Case = readonly [name: string, attempt: (chain: EconomyChain) => Reverted, args?: readonly unknown[]];
  const key = OTHER;
  const cases: readonly Case[] = [
    ["AlreadyRegistered", (chain) => chain.revertOf(VERIFIERS, "register", [], { value: MIN_STAKE })],
    ["BelowMinimum", (chain) => chain.revertOf(VERIFIERS, "register", [], { value: 1n, key }), [1n, MIN_STAKE]],
    ["NotRegistered", (chain) => chain.revertOf(VERIFIERS, "topUp", [], { value: 1n, key })],
    ["NotRegistered", (chain) => chain.revertOf(VERIFIERS, "exit", [], { key })],
    ["NotRegistered", (chain) => chain.revertOf(VERIFIERS, "unjail", [], { key })],
    ["NothingSent", (chain) => chain.revertOf(VERIFIERS, "topUp", [])],
    ["ZeroAmount", (chain) => chain.revertOf(VERIFIERS, "requestWithdrawal", [0n])],
    ["ZeroAmount", (chain) => chain.revertOf(VERIFIERS, "cancelWithdrawal", [0n])],
    ["NotEnoughStake", (chain) => chain.revertOf(VERIFIERS, "requestWithdrawal", [1n << 200n])],
    ["BelowMinimum", (chain) => chain.revertOf(VERIFIERS, "requestWithdrawal", [50n * OGPU]), [0n, MIN_STAKE]],
    ["NotEnoughLeaving", (chain) => chain.revertOf(VERIFIERS, "cancelWithdrawal", [1n]), [0n, 1n]],
    ["NothingDue", (chain) => chain.revertOf(VERIFIERS, "withdraw", []), [0n]],
    ["NotPaused", (chain) => chain.revertOf(VERIFIERS, "resume", [])],
    ["NotJailed", (chain) => chain.revertOf(VERIFIERS, "unjail", [])],
    ["NoSnapshot", (chain) => chain.revertOf(VERIFIERS, "snapshotWeights", [0n, 0n, 1n]), [0n]],
    ["TooMany", (chain) => chain.revertOf(VERIFIERS, "verifiers", [0n, 101n]), [100n]],
    ["TooMany", (chain) => chain.revertOf(VERIFIERS, "draw", [0n, SEED, 0, Array<Hex>(17).fill(OTHER.address)]), [16n]],
  ];
  // Nothing changes, so one chain serves all.
  const chain = chainWithVerifier();
  const facts = (): unknown => [
    chain.view(VERIFIERS, "verifiers", [0n, 100n]),
    chain.view(VERIFIERS, "totalStake", []),
    chain.balance(VERIFIERS_ADDRESS),
  ];
  const before = facts();

  it.each(cases.map(([name, attempt, args]) => ({ name, attempt, args })))("$name (%#)", ({ name, attempt, args }) => {
    const reverted = attempt(chain);
    expect(reverted.name).toBe(name);
    if (args !== undefined) expect(reverted.args).toEqual(args);
    expect(facts()).toEqual(before);
  });
});
