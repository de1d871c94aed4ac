import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Hex, hexToBytes } from "../../base/bytes.ts";
import { OGPU } from "../../base/units.ts";
import { stakingAbi } from "../../vm/interfaces/abi/staking.ts";
import { STAKING_ADDRESS } from "../../vm/modules/addresses.ts";
import { ALICE, BOB } from "../chain/runtime/support/single-node.ts";
import { RpcFixture } from "./support/rpc-fixture.ts";

let fixture: RpcFixture;
let operator: Hex;

beforeAll(async () => {
  fixture = await RpcFixture.open(true);
  operator = fixture.chain.spec.validators[0]?.operator as Hex;
  const data = hexToBytes(encodeFunctionData({ abi: stakingAbi, functionName: "delegate", args: [operator] }));
  await fixture.include(
    fixture.alone.sign(ALICE, { to: STAKING_ADDRESS, value: 5n * OGPU, data, gasLimit: 1_000_000n }),
  );
});
afterAll(() => fixture.close());

const quantity = (value: bigint): Hex => `0x${value.toString(16)}`;

it("shows what an account has delegated, and what it had before", async () => {
  expect(await fixture.call("ogpu_getDelegations", ALICE.address)).toMatchObject([
    { operator: operator.toLowerCase(), amount: quantity(5n * OGPU), unbonding: [] },
  ]);
  expect(await fixture.call("ogpu_getDelegations", ALICE.address, "0x0")).toEqual([]);
  expect(await fixture.call("ogpu_getDelegations", BOB.address)).toEqual([]);
});

it("sums it up, and shows a validator as one", async () => {
  expect(await fixture.call("ogpu_getStake", ALICE.address)).toMatchObject({
    delegated: quantity(5n * OGPU),
    unbonding: "0x0",
    validator: null,
  });
  expect(await fixture.call("ogpu_getStake", operator)).toMatchObject({ validator: { isRegistered: true } });
  expect(await fixture.call("ogpu_getRewards", BOB.address)).toEqual({
    rewards: "0x0",
    commission: "0x0",
    byValidator: [],
  });
});

it("lists the validators, a page at a time", async () => {
  const { total, validators } = (await fixture.call("ogpu_getStakingValidators")) as {
    total: Hex;
    validators: object[];
  };
  expect(Number(total)).toBe(validators.length);
  expect(validators).toMatchObject([{ operator: operator.toLowerCase() }]);
  expect(await fixture.call("ogpu_getStakingValidators", 1, 10)).toEqual({ total, validators: [] });
  expect((await fixture.ask("ogpu_getStakingValidators", 0, 101)).error?.code).toBe(-32_602);
});

it("counts what modules hold as locked", async () => {
  const before = (await fixture.call("ogpu_getSupply", "0x0")) as { locked: { staked: Hex } };
  const after = (await fixture.call("ogpu_getSupply")) as { locked: { staked: Hex } };
  expect(BigInt(after.locked.staked) - BigInt(before.locked.staked)).toBe(5n * OGPU);
});

it("shows the parameters with the bounds within which governance moves them", async () => {
  const { current } = (await fixture.call("ogpu_getParameters")) as { current: Record<string, Record<string, Hex>> };
  expect(Object.keys(current).length).toBeGreaterThan(10);
  for (const { value, least, most } of Object.values(current)) {
    expect(BigInt(value as Hex)).toBeGreaterThanOrEqual(BigInt(least as Hex));
    expect(BigInt(value as Hex)).toBeLessThanOrEqual(BigInt(most as Hex));
  }
});

it("is empty where nothing has happened", async () => {
  expect(await fixture.call("ogpu_getProviders")).toEqual({ total: "0x0", providers: [] });
  expect(await fixture.call("ogpu_getVerifiers")).toEqual({ total: "0x0", verifiers: [] });
  expect(await fixture.call("ogpu_getSlashes")).toEqual({ total: "0x0", slashes: [] });
  expect(await fixture.call("ogpu_getProposals")).toEqual({ total: "0x0", proposals: [] });
  expect(await fixture.call("ogpu_getTrustLocks", ALICE.address)).toMatchObject({ total: "0x0", commitments: [] });
});
