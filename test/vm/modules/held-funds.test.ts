/**
 * Long random histories of trust locks, providers and verifiers, by signed transactions in blocks, beside a model that
 * shares no code with them. After every block all pots, wallets and totals agree, what is held is backed, and nobody has
 * taken out more than came in for it.
 */
import { type Abi, decodeErrorResult, encodeFunctionData } from "viem";
import { expect, it } from "vitest";
import { bytes32, bytesToHex, hexToBytes } from "../../../base/bytes.ts";
import { Prng } from "../../../base/prng.ts";
import { OGPU } from "../../../base/units.ts";
import { providersAbi } from "../../../vm/interfaces/abi/providers.ts";
import { trustLockAbi } from "../../../vm/interfaces/abi/trust-lock.ts";
import { verifiersAbi } from "../../../vm/interfaces/abi/verifiers.ts";
import {
  PROVIDERS_ADDRESS,
  TREASURY_ADDRESS,
  TRUST_LOCK_ADDRESS,
  VERIFIERS_ADDRESS,
} from "../../../vm/modules/addresses.ts";
import { heldFunds, leavingEntries } from "../../../vm/modules/held-funds.ts";
import { collateralOf } from "../../../vm/modules/providers/collateral.ts";
import { BURNED } from "../../../vm/modules/trust-lock/commitments.ts";
import { trustAccount } from "../../../vm/modules/trust-lock/trust-lock.ts";
import { verifierStake } from "../../../vm/modules/verifiers/stake.ts";
import type { Address } from "../../../vm/state/account.ts";
import { ACCOUNT_BALANCE, accountKey, EconomyChain } from "../support/economy-chain.ts";
import { type NaiveFunds, NaiveParties, NaiveTrustLock, NaiveVerifiers, pay } from "../support/naive-funds.ts";
import { installStubMarket, MARKET, MARKET_ADDRESS } from "../support/stub-market.ts";
import type { TestKey } from "../support/test-chain.ts";

const PEOPLE = Array.from({ length: 6 }, (_, index) => accountKey(index));
const BLOCKS = 150;
const PER_BLOCK = 20;

interface Step {
  readonly key: TestKey;
  readonly to: Address;
  readonly abi: Abi;
  readonly name: string;
  readonly args: readonly unknown[];
  readonly value?: bigint;
  readonly succeeds: boolean;
}

class World {
  readonly chain = new EconomyChain();
  readonly wallets = new Map<Address, bigint>(PEOPLE.map(({ address }) => [address, ACCOUNT_BALANCE]));
  readonly trust: NaiveTrustLock;
  readonly providers: NaiveParties;
  readonly verifiers: NaiveVerifiers;
  readonly random: Prng;
  /** Of the block that is being made. */
  now = 0n;
  commitments = 0n;

  constructor(seed: string) {
    this.random = new Prng(seed);
    installStubMarket(this.chain);
    const { trustLock, providers, verifiers } = this.chain.spec.modules;
    this.trust = new NaiveTrustLock({ minimum: trustLock.minLock, delay: trustLock.unlockSeconds }, this.wallets);
    const rules = { minimum: providers.minCollateral, delay: providers.exitSeconds };
    this.providers = new NaiveParties(rules, this.wallets, true);
    const verifierRules = { minimum: verifiers.minStake, delay: verifiers.exitSeconds };
    this.verifiers = new NaiveVerifiers(verifierRules, this.wallets, false);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.random.below(items.length)] as T;
  }

  /** Often at an edge of what is there. */
  amount(there: bigint): bigint {
    const any = (BigInt(this.random.uint32()) * 40n * OGPU) >> 32n;
    const part = there === 0n ? 1n : (there * BigInt(this.random.below(1000))) / 1000n;
    return this.pick([0n, 1n, any, part, part, there, there + 1n]);
  }

  value(): bigint {
    return this.pick([0n, OGPU / 20n, OGPU / 2n, 12n * OGPU, 30n * OGPU]);
  }

  step(): Step {
    return this.pick([() => this.trustStep(), () => this.partyStep("providers"), () => this.partyStep("verifiers")])();
  }

  trustStep(): Step {
    const { trust, now } = this;
    const key = this.pick(PEOPLE);
    const owner = key.address;
    const call = (name: string, args: readonly unknown[], succeeds: boolean, value = 0n): Step => ({
      ...{ key, to: TRUST_LOCK_ADDRESS, abi: trustLockAbi, name, args, value, succeeds },
    });
    const value = this.value();
    const amount = this.amount(trust.of(owner).free);
    const steps: readonly (() => Step)[] = [
      () => call("lock", [], trust.lock(owner, value), value),
      () => call("topUp", [], trust.topUp(owner, value), value),
      () => call("unlock", [amount], trust.unlock(owner, amount, now)),
      () => {
        const back = this.amount(trust.leavingOf(owner));
        return call("cancelUnlock", [back], trust.cancel(owner, back));
      },
      () => call("withdraw", [], trust.withdraw(owner, now)),
      () => this.allocateStep(key, amount),
      () => this.allocateStep(key, amount),
      () => this.judgeStep(),
      () => this.judgeStep(),
    ];
    return this.pick(steps)();
  }

  allocateStep(key: TestKey, amount: bigint): Step {
    const byMarket = this.random.below(2) === 0;
    const controller = byMarket ? MARKET_ADDRESS : this.pick(PEOPLE).address;
    // Now and then a name that is used, or a deadline that is over.
    const number = this.random.below(8) === 0 ? this.commitments : ++this.commitments;
    const name = bytesToHex(bytes32(number));
    const deadline = this.now + BigInt(this.random.below(200));
    const succeeds = this.trust.allocate({ owner: key.address, controller, name: number, deadline }, amount, this.now);
    if (byMarket) {
      return { key, to: MARKET_ADDRESS, abi: MARKET.abi, name: "allocate", args: [name, amount, deadline], succeeds };
    }
    const args = [name, controller, amount, deadline];
    return { key, to: TRUST_LOCK_ADDRESS, abi: trustLockAbi, name: "allocate", args, succeeds };
  }

  /** Something happens to a commitment, by its controller or, to more of it or after the deadline, by its owner. */
  judgeStep(): Step {
    const { trust, now } = this;
    const found = trust.commitments.length === 0 ? undefined : this.pick(trust.commitments.slice(-30));
    const { owner, controller, name, left } = found ?? {
      owner: this.pick(PEOPLE).address,
      controller: this.pick(PEOPLE).address,
      name: 0n,
      left: 1n,
    };
    const commitment = bytesToHex(bytes32(name));
    const keyOf = (address: Address): TestKey => PEOPLE.find((it) => it.address === address) ?? (PEOPLE[0] as TestKey);
    const byMarket = controller === MARKET_ADDRESS;
    const amount = this.amount(left);
    const judge = byMarket ? this.pick(PEOPLE) : keyOf(controller);
    const to = byMarket ? MARKET_ADDRESS : TRUST_LOCK_ADDRESS;
    const abi: Abi = byMarket ? MARKET.abi : trustLockAbi;
    const base = { key: judge, to, abi };
    const ofOwner = { key: keyOf(owner), to: TRUST_LOCK_ADDRESS, abi: trustLockAbi };
    const steps: readonly (() => Step)[] = [
      () => ({ ...base, name: "release", args: [owner, commitment, amount], succeeds: trust.release(found, amount) }),
      () => {
        const succeeds = trust.breach(found, amount);
        const { beneficiaries, amounts } = this.split(amount, byMarket, succeeds);
        const args = byMarket
          ? [owner, commitment, 1, beneficiaries, amounts]
          : [owner, commitment, amount, 1, beneficiaries, amounts];
        return { ...base, name: "breach", args, succeeds };
      },
      () => ({ ...ofOwner, name: "reclaim", args: [commitment, controller], succeeds: trust.reclaim(found, now) }),
      () => {
        const more = this.amount(trust.of(owner).free);
        const args = [commitment, controller, more];
        return { ...ofOwner, name: "increase", args, succeeds: trust.increase(found, more) };
      },
    ];
    return this.pick(steps)();
  }

  split(amount: bigint, byMarket: boolean, succeeds: boolean): { beneficiaries: Address[]; amounts: bigint[] } {
    const beneficiaries = Array.from({ length: 1 + this.random.below(4) }, () =>
      this.pick([BURNED, TREASURY_ADDRESS, ...PEOPLE.map(({ address }) => address)]),
    );
    let rest = amount;
    const amounts = beneficiaries.map((_, index) => {
      const part = index === beneficiaries.length - 1 ? rest : (rest * BigInt(this.random.below(1000))) / 1000n;
      rest -= part;
      return part;
    });
    for (const [index, to] of succeeds ? beneficiaries.entries() : []) {
      const part = amounts[index] ?? 0n;
      if (byMarket || to === BURNED || to === TREASURY_ADDRESS) pay(this.wallets, to, part);
      else this.trust.credit(to, part);
    }
    return { beneficiaries, amounts };
  }

  partyStep(which: "providers" | "verifiers"): Step {
    const parties = this[which];
    const { now } = this;
    const key = this.pick(PEOPLE);
    const owner = key.address;
    const isProvider = which === "providers";
    const to = isProvider ? PROVIDERS_ADDRESS : VERIFIERS_ADDRESS;
    const abi: Abi = isProvider ? providersAbi : verifiersAbi;
    const call = (name: string, args: readonly unknown[], succeeds: boolean, value = 0n): Step => ({
      ...{ key, to, abi, name, args, value, succeeds },
    });
    const value = this.value();
    const steps: readonly (() => Step)[] = [
      () => call("register", isProvider ? ["name", ""] : [], parties.register(owner, value), value),
      () => call("topUp", [], parties.topUp(owner, value), value),
      () => {
        const amount = this.amount(parties.of(owner).free);
        return call("requestWithdrawal", [amount], parties.request(owner, amount, now));
      },
      () => {
        const amount = this.amount(parties.leavingOf(owner));
        return call("cancelWithdrawal", [amount], parties.cancel(owner, amount));
      },
      () => call("withdraw", [], parties.withdraw(owner, now)),
      () => call("pause", [], parties.change(owner, "active", "paused")),
      () => call("resume", [], parties.change(owner, "paused", "active")),
      () => (this.random.below(3) === 0 ? call("exit", [], parties.exit(owner, now)) : this.marketStep(which, owner)),
      () => this.marketStep(which, owner),
      () => this.marketStep(which, owner),
    ];
    return this.pick(steps)();
  }

  /** What the market does to one of them. It never gives back or takes more than is bound: that would be its bug. */
  marketStep(which: "providers" | "verifiers", owner: Address): Step {
    const parties = this[which];
    const isProvider = which === "providers";
    const pots = parties.of(owner);
    const base = { key: this.pick(PEOPLE), to: MARKET_ADDRESS, abi: MARKET.abi as Abi };
    const ofBound = (pots.bound * BigInt(this.random.below(1001))) / 1000n;
    const any = this.amount(pots.free);
    const steps: readonly (() => Step)[] = [
      () => {
        if (isProvider) return { ...base, name: "reserve", args: [owner, any], succeeds: parties.reserve(owner, any) };
        pots.bound += parties.reach(owner, any);
        return { ...base, name: "freeze", args: [owner, any], succeeds: true };
      },
      () => {
        parties.release(owner, ofBound, this.now);
        const name = isProvider ? "releaseReserved" : "releaseFrozen";
        return { ...base, name, args: [owner, ofBound], succeeds: true };
      },
      () => {
        pots.bound -= ofBound;
        pay(this.wallets, MARKET_ADDRESS, ofBound);
        const name = isProvider ? "takeReserved" : "takeFrozen";
        return { ...base, name, args: [owner, ofBound, 1, MARKET_ADDRESS], succeeds: true };
      },
      () => {
        pay(this.wallets, MARKET_ADDRESS, parties.reach(owner, any));
        const name = isProvider ? "takeCollateral" : "takeStake";
        return { ...base, name, args: [owner, any, 1, MARKET_ADDRESS], succeeds: true };
      },
    ];
    return this.pick(steps)();
  }

  /** A block of random calls; how many of them succeeded. */
  block(): number {
    const { chain } = this;
    const seconds = this.pick([1, 1, 5, 30, 100]);
    this.now = chain.now + BigInt(seconds);
    const epoch = BigInt(chain.epoch);
    for (const model of [this.trust, this.providers, this.verifiers]) model.epoch = epoch;
    if (!this.verifiers.epochStarts.has(epoch)) this.verifiers.epochStarts.set(epoch, this.now);
    const steps = Array.from({ length: PER_BLOCK }, () => this.step());
    const sent = new Map<Address, number>();
    const transactions = steps.map(({ key, to, abi, name, args, value = 0n }) => {
      const offset = sent.get(key.address) ?? 0;
      sent.set(key.address, offset + 1);
      const data = hexToBytes(encodeFunctionData({ abi, functionName: name, args } as never));
      return chain.transaction(to, data, { key, value, gasLimit: 2_000_000n }, offset);
    });
    const { receipts } = chain.block(transactions, { seconds, isSeal: this.random.below(5) === 0 });
    for (const [index, { name, args, abi, succeeds }] of steps.entries()) {
      const receipt = receipts[index];
      expect(receipt?.succeeded, `${name}(${args.join(", ")})`).toBe(succeeds);
      if (receipt !== undefined && !succeeds) {
        // Throws if the ABI has no such error, and Error(string) is in none of them.
        expect(decodeErrorResult({ abi, data: bytesToHex(receipt.output) }).errorName).not.toBe("Error");
      }
    }
    return steps.filter(({ succeeds }) => succeeds).length;
  }

  check(): void {
    const { chain, trust, providers, verifiers } = this;
    const modules: readonly (readonly [Address, NaiveFunds])[] = [
      [TRUST_LOCK_ADDRESS, trust],
      [PROVIDERS_ADDRESS, providers],
      [VERIFIERS_ADDRESS, verifiers],
    ];
    for (const [address, model] of modules) {
      const reading = chain.reading(address);
      expect(heldFunds(reading)).toBe(model.held());
      expect(chain.balance(address)).toBe(model.held());
      for (const { address: owner } of PEOPLE) {
        expect(leavingEntries(reading, owner)).toEqual(model.of(owner).leaving);
        expect(model.taken.get(owner) ?? 0n).toBeLessThanOrEqual(model.brought.get(owner) ?? 0n);
      }
    }
    const reading = chain.reading(TRUST_LOCK_ADDRESS);
    for (const { address: owner } of PEOPLE) {
      const [locked, staked, kept] = [trust.of(owner), verifiers.of(owner), providers.of(owner)];
      expect(trustAccount(reading, owner)).toMatchObject({ free: locked.free, allocated: locked.bound });
      expect(collateralOf(reading, owner)).toMatchObject({ free: kept.free, reserved: kept.bound });
      expect(verifierStake(reading, owner)).toMatchObject({ stake: staked.free, frozen: staked.bound });
      expect(chain.balance(owner)).toBe(this.wallets.get(owner));
    }
    for (const address of [MARKET_ADDRESS, TREASURY_ADDRESS]) {
      expect(chain.balance(address)).toBe(this.wallets.get(address) ?? 0n);
    }
  }
}

it.each(["one", "two", "three", "four"])(
  "no history lets money appear, vanish or escape (seed %s)",
  (seed) => {
    const world = new World(seed);
    let succeeded = 0;
    for (let i = 0; i < BLOCKS; i++) {
      succeeded += world.block();
      world.check();
    }
    expect(world.wallets.get(BURNED)).toBeGreaterThan(0n);
    // The histories are worth something: much succeeds, and much is refused.
    expect(succeeded).toBeGreaterThan((BLOCKS * PER_BLOCK) / 4);
    expect(succeeded).toBeLessThan((BLOCKS * PER_BLOCK * 9) / 10);
  },
  120_000,
);
