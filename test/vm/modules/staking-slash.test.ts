import { beforeEach, expect, test as it } from "vitest";
import { OGPU } from "../../../base/units.ts";
import { StakingWorld } from "../../../bench/staking-world.ts";
import { STAKING_ADDRESS, TREASURY_ADDRESS } from "../../../vm/modules/addresses.ts";
import { stakeOf, validatorStatus } from "../../../vm/modules/staking/validators.ts";
import type { Address } from "../../../vm/state/account.ts";
import { accountKey, economySpec, operatorKey } from "../support/economy-chain.ts";

/** A tenth is taken; unbonding lasts 1,600 seconds, so an era 100. */
const spec = economySpec({
  parameters: {
    staking: { unbondingSeconds: 1_600n },
    slashing: { doubleSignShare: 100_000n, evidenceWindowSeconds: 1_500n, treasuryShare: 500_000n },
  },
});
const [first, second] = [operatorKey(0).address, operatorKey(1).address];
const [alice, bob] = [accountKey(1).address, accountKey(2).address];

let world: StakingWorld;

beforeEach(() => {
  world = new StakingWorld(spec);
  world.block({});
});

function done(caller: Address, name: string, args: readonly unknown[], value = 0n): unknown {
  const outcome = world.call(caller, name, args, value);
  if (!outcome.succeeded) throw new Error(`${name} reverted: ${outcome.error}`);
  return outcome.result;
}

function refused(caller: Address, name: string, args: readonly unknown[], value = 0n): string {
  const outcome = world.call(caller, name, args, value);
  return outcome.succeeded ? "not at all" : outcome.error;
}

const bonded = (who: Address, operator: Address) =>
  world.view<{ amount: bigint }>("delegation", [who, operator]).amount;
const unbonding = (who: Address, operator: Address) =>
  world.view<{ amount: bigint }[]>("unbondings", [who, operator]).map(({ amount }) => amount);
const balance = (who: Address) => world.state.balance(who);

it("an offence takes the same part of own, delegated and unbonding stake, half for the treasury and half burned", () => {
  done(alice, "delegate", [first], 50n * OGPU);
  done(bob, "delegate", [first], 30n * OGPU);
  done(bob, "unbond", [first, 10n * OGPU]);
  expect(world.convict(first, world.seconds - 10n)).toBe(18n * OGPU);
  expect(stakeOf(world.protocol(), first)).toBe(153n * OGPU);
  expect([bonded(first, first), bonded(alice, first), bonded(bob, first)]).toEqual(
    [90n, 45n, 18n].map((n) => n * OGPU),
  );
  expect(unbonding(bob, first)).toEqual([9n * OGPU]);
  expect([balance(TREASURY_ADDRESS), world.state.burned]).toEqual([9n * OGPU, 9n * OGPU]);
  expect(validatorStatus(world.protocol(), first)).toBe("tombstoned");
  expect(refused(alice, "delegate", [first], OGPU)).toBe("NotOpen");
  expect(refused(first, "delegate", [first], OGPU)).toBe("NotOpen");
  expect(refused(first, "unjail", [])).toBe("Tombstoned");
  expect(refused(first, "rotateKey", ["0x", "0x"])).toBe("Tombstoned");
  done(alice, "unbond", [first, 45n * OGPU]);
  world.block({ seconds: 1_600 });
  expect([done(alice, "withdraw", [first]), done(bob, "withdraw", [first])]).toEqual([45n * OGPU, 9n * OGPU]);
});

it("what had begun to unbond before the era of the offence is spared", () => {
  done(alice, "delegate", [first], 100n * OGPU);
  const times: bigint[] = [];
  for (let part = 0; part < 5; part++) {
    times.push(world.seconds);
    done(alice, "unbond", [first, 10n * OGPU]);
    world.block({ seconds: 150 });
  }
  world.convict(first, (times[2] as bigint) + 99n);
  expect(unbonding(alice, first)).toEqual([10n, 10n, 9n, 9n, 9n].map((n) => n * OGPU));
});

it("an era that is over long ago does not reach to an offence after it, though nobody has unbonded since", () => {
  done(alice, "delegate", [first], 100n * OGPU);
  done(alice, "unbond", [first, 10n * OGPU]);
  world.block({ seconds: 1_000 });
  world.convict(first, world.seconds - 500n);
  expect(unbonding(alice, first)).toEqual([10n * OGPU]);
});

it("redelegated stake answers for its source once, whoever asks for it", () => {
  done(alice, "delegate", [first], 100n * OGPU);
  const offence = world.seconds;
  world.block({ seconds: 100 });
  done(alice, "redelegate", [first, second, 40n * OGPU]);
  done(alice, "delegate", [second], 10n * OGPU);
  expect(refused(bob, "settleRedelegation", [alice, second])).toBe("NothingToSettle");
  world.block({ seconds: 100 });
  world.convict(first, offence);
  expect([bonded(alice, first), bonded(alice, second)]).toEqual([54n * OGPU, 50n * OGPU]);
  expect(done(bob, "settleRedelegation", [alice, second])).toBe(4n * OGPU);
  expect([bonded(alice, second), stakeOf(world.protocol(), second)]).toEqual([46n * OGPU, 146n * OGPU]);
  expect(refused(bob, "settleRedelegation", [alice, second])).toBe("NothingToSettle");
  // What has answered is free to go on.
  done(alice, "redelegate", [second, operatorKey(2).address, 46n * OGPU]);
});

it("redelegated stake does not answer for what its source did after it had left, nor once the time is over", () => {
  done(alice, "delegate", [first], 100n * OGPU);
  done(alice, "redelegate", [first, second, 40n * OGPU]);
  const left = world.seconds;
  world.block({ seconds: 100 });
  world.convict(first, left + 1n);
  expect(refused(bob, "settleRedelegation", [alice, second])).toBe("NothingToSettle");
  done(bob, "delegate", [second], 100n * OGPU);
  done(bob, "redelegate", [second, operatorKey(2).address, 40n * OGPU]);
  const moved = world.seconds;
  world.block({ seconds: 1_601 });
  world.convict(second, moved);
  expect(refused(alice, "settleRedelegation", [bob, operatorKey(2).address])).toBe("NothingToSettle");
});

it("liable stake that is unbonded takes its liability with it and answers when it is withdrawn", () => {
  done(alice, "delegate", [first], 100n * OGPU);
  done(alice, "redelegate", [first, second, 40n * OGPU]);
  done(alice, "delegate", [second], 10n * OGPU);
  // The free ten leave first.
  done(alice, "unbond", [second, 30n * OGPU]);
  expect(world.view("unbondings", [alice, second])).toMatchObject([{ amount: 20n * OGPU }, { amount: 10n * OGPU }]);
  expect(world.view<{ shares: bigint }[]>("liabilities", [alice, second]).map(({ shares }) => shares)).toEqual([
    20n * OGPU,
  ]);
  world.convict(first, world.seconds);
  world.block({ seconds: 1_600 });
  const before = balance(alice);
  expect(done(alice, "withdraw", [second])).toBe(28n * OGPU);
  expect(balance(alice) - before).toBe(28n * OGPU);
  expect(done(bob, "settleRedelegation", [alice, second])).toBe(2n * OGPU);
});

it("stake that leaves whoever was found out already is not liable again", () => {
  done(alice, "delegate", [first], 100n * OGPU);
  world.convict(first, world.seconds);
  done(alice, "redelegate", [first, second, 90n * OGPU]);
  expect(world.view("liabilities", [alice, second])).toEqual([]);
  done(alice, "redelegate", [second, operatorKey(2).address, 90n * OGPU]);
});

it("whoever was absent is not chosen until it comes back, when its time is over and its stake is enough", () => {
  expect(world.punishAbsence(first, 920_000n, world.seconds + 50n)).toBe(92n * OGPU);
  expect(validatorStatus(world.protocol(), first)).toBe("jailed");
  expect(refused(first, "unjail", [])).toBe("JailedUntil");
  expect(refused(second, "unjail", [])).toBe("NotJailed");
  expect(refused(alice, "unjail", [])).toBe("NotValidator");
  world.block({ seconds: 50, isSeal: true });
  world.block({});
  expect(world.view("activeCount", [])).toBe(3n);
  expect(refused(first, "unjail", [])).toBe("TooLittle");
  done(first, "delegate", [first], 2n * OGPU);
  done(first, "unjail", []);
  world.block({ isSeal: true });
  expect(world.view("activeCount", [])).toBe(4n);
});

it("a validator that has lost everything takes no more money, and harms nobody else", () => {
  done(alice, "delegate", [first], 100n * OGPU);
  for (let time = 0; time < 6; time++) world.punishAbsence(first, 999_999n, 0n);
  expect(stakeOf(world.protocol(), first)).toBe(0n);
  expect(refused(first, "delegate", [first], 50n * OGPU)).toBe("Worthless");
  expect(refused(alice, "unbond", [first, 1n])).toBe("NotEnoughStake");
  expect(balance(STAKING_ADDRESS)).toBe(300n * OGPU);
});
