import { describe, expect, it } from "vitest";
import { bytes32, bytesToHex, type Hex, utf8 } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { providersAbi } from "../../../vm/interfaces/abi/providers.ts";
import { PROVIDERS_ADDRESS } from "../../../vm/modules/addresses.ts";
import { DEVICE_KIND } from "../../../vm/modules/providers/devices.ts";
import { ACCOUNT_BALANCE, accountKey, EconomyChain, eventsOf, type Reverted } from "../support/economy-chain.ts";
import { installStubMarket, MARKET, MARKET_ADDRESS } from "../support/stub-market.ts";

const PROVIDERS = { address: PROVIDERS_ADDRESS, abi: providersAbi } as const;
const PROVIDER = accountKey(0);
const OTHER = accountKey(1);
const EXIT_SECONDS = 120n;
const MIN_COLLATERAL = 10n * OGPU;
const GIB = 1n << 30n;
const BENCHMARK = bytesToHex(bytes32(99n));

function region(name: string): Hex {
  const bytes = new Uint8Array(16);
  bytes.set(utf8(name));
  return bytesToHex(bytes);
}

const EUROPE = region("eu-west");
const ASIA = region("ap-east");

function chainWithProvider(collateral = 50n * OGPU): EconomyChain {
  const chain = new EconomyChain({ parameters: { providers: { maxDevices: 4n } } });
  installStubMarket(chain);
  chain.send(PROVIDERS, "register", ["First GPUs", "/dns4/first.example/tcp/4001"], { value: collateral });
  return chain;
}

/** [free, reserved, leaving] in oGPU. */
function pots(chain: EconomyChain, account = PROVIDER.address): readonly number[] {
  const { free, reserved, leaving } = chain.view(PROVIDERS, "providerOf", [account]);
  return [free, reserved, leaving].map((amount) => Number(amount) / Number(OGPU));
}

function addDevice(chain: EconomyChain, tier: number, where: Hex, key = PROVIDER): bigint {
  return chain.send(PROVIDERS, "addDevice", [DEVICE_KIND.cuda, 24n * GIB, tier, where, 5n, BENCHMARK], { key }).result;
}

describe("a provider", () => {
  it("registers with collateral and says who it is", () => {
    const chain = chainWithProvider();
    expect(chain.view(PROVIDERS, "providerOf", [PROVIDER.address])).toMatchObject({
      status: 1,
      available: true,
      name: "First GPUs",
      endpoint: "/dns4/first.example/tcp/4001",
      free: 50n * OGPU,
      reserved: 0n,
      leaving: 0n,
      deviceCount: 0n,
    });
    chain.send(PROVIDERS, "describe", ["First", ""]);
    expect(chain.view(PROVIDERS, "providerOf", [PROVIDER.address])).toMatchObject({ name: "First", endpoint: "" });
    chain.send(PROVIDERS, "register", ["Second", "x"], { value: MIN_COLLATERAL, key: OTHER });
    expect(chain.view(PROVIDERS, "providerCount", [])).toBe(2n);
    expect(chain.view(PROVIDERS, "providers", [1n, 5n]).map(({ name }) => name)).toEqual(["Second"]);
    expect(chain.view(PROVIDERS, "totalCollateral", [])).toBe(60n * OGPU);
    expect(chain.balance(PROVIDERS_ADDRESS)).toBe(60n * OGPU);
  });

  it("tops up, and takes out what it does not need, after the delay", () => {
    const chain = chainWithProvider();
    chain.send(PROVIDERS, "topUp", [], { value: 5n * OGPU });
    const { result: due } = chain.send(PROVIDERS, "requestWithdrawal", [45n * OGPU]);
    expect(due).toBe(chain.now + EXIT_SECONDS);
    expect(pots(chain)).toEqual([10, 0, 45]);
    chain.send(PROVIDERS, "cancelWithdrawal", [5n * OGPU]);
    expect(pots(chain)).toEqual([15, 0, 40]);
    expect(chain.view(PROVIDERS, "withdrawalsOf", [PROVIDER.address])).toEqual([[40n * OGPU], [due]]);
    expect(chain.revertOf(PROVIDERS, "withdraw", [])).toEqual({ name: "NothingDue", args: [due] });
    chain.pass(EXIT_SECONDS);
    expect(chain.send(PROVIDERS, "withdraw", []).result).toBe(40n * OGPU);
    expect(chain.balance(PROVIDER.address)).toBe(ACCOUNT_BALANCE - 15n * OGPU);
  });

  it("pauses and resumes", () => {
    const chain = chainWithProvider();
    chain.send(PROVIDERS, "pause", []);
    expect(chain.view(PROVIDERS, "providerOf", [PROVIDER.address])).toMatchObject({ status: 2, available: false });
    expect(chain.revertOf(MARKET, "reserve", [PROVIDER.address, OGPU]).name).toBe("NotAvailable");
    expect(chain.revertOf(PROVIDERS, "pause", []).name).toBe("NotActive");
    chain.send(PROVIDERS, "resume", []);
    expect(chain.revertOf(PROVIDERS, "resume", []).name).toBe("NotPaused");
    chain.send(MARKET, "reserve", [PROVIDER.address, OGPU]);
  });

  it("leaves with all its collateral after the delay, what was reserved later than the rest", () => {
    const chain = chainWithProvider();
    const id = addDevice(chain, 1, EUROPE);
    chain.send(MARKET, "reserve", [PROVIDER.address, 20n * OGPU]);
    expect(chain.revertOf(PROVIDERS, "exit", [])).toEqual({ name: "DevicesLeft", args: [1n] });
    chain.send(PROVIDERS, "removeDevice", [id]);
    chain.send(PROVIDERS, "exit", []);
    expect(pots(chain)).toEqual([0, 20, 30]);
    expect(chain.view(PROVIDERS, "providerOf", [PROVIDER.address])).toMatchObject({ status: 3, available: false });
    for (const attempt of ["pause", "resume", "exit"] as const) {
      expect(chain.revertOf(PROVIDERS, attempt, []).name).toBe("IsLeaving");
    }
    expect(chain.revertOf(PROVIDERS, "cancelWithdrawal", [1n]).name).toBe("IsLeaving");
    expect(chain.revertOf(PROVIDERS, "topUp", [], { value: OGPU }).name).toBe("IsLeaving");
    chain.pass(EXIT_SECONDS);
    expect(chain.send(PROVIDERS, "withdraw", []).result).toBe(30n * OGPU);
    chain.send(MARKET, "releaseReserved", [PROVIDER.address, 20n * OGPU]);
    expect(pots(chain)).toEqual([0, 0, 20]);
    expect(chain.revertOf(PROVIDERS, "withdraw", []).name).toBe("NothingDue");
    chain.pass(EXIT_SECONDS);
    const { receipt } = chain.send(PROVIDERS, "withdraw", []);
    expect(eventsOf(PROVIDERS, receipt.logs).map(({ name }) => name)).toEqual(["Withdrawn", "Exited"]);
    expect(chain.balance(PROVIDER.address)).toBe(ACCOUNT_BALANCE);
    expect(chain.view(PROVIDERS, "providerCount", [])).toBe(0n);
    chain.send(PROVIDERS, "register", ["again", ""], { value: MIN_COLLATERAL });
  });

  it("that lost everything while it left is done at once", () => {
    const chain = chainWithProvider();
    chain.send(PROVIDERS, "exit", []);
    chain.send(MARKET, "takeCollateral", [PROVIDER.address, 100n * OGPU, 1, MARKET_ADDRESS]);
    const { result, receipt } = chain.send(PROVIDERS, "withdraw", []);
    expect(result).toBe(0n);
    expect(eventsOf(PROVIDERS, receipt.logs).map(({ name }) => name)).toEqual(["Exited"]);
    expect(chain.balance(PROVIDERS_ADDRESS)).toBe(0n);
  });
});

describe("the market", () => {
  it("reserves collateral, which then cannot leave, and gives it back", () => {
    const chain = chainWithProvider();
    chain.send(MARKET, "reserve", [PROVIDER.address, 45n * OGPU]);
    expect(pots(chain)).toEqual([5, 45, 0]);
    expect(chain.revertOf(PROVIDERS, "requestWithdrawal", [6n * OGPU])).toEqual({
      name: "NotEnoughFree",
      args: [5n * OGPU, 6n * OGPU],
    });
    expect(chain.revertOf(MARKET, "reserve", [PROVIDER.address, 6n * OGPU])).toEqual({
      name: "NotEnoughFree",
      args: [5n * OGPU, 6n * OGPU],
    });
    chain.send(MARKET, "releaseReserved", [PROVIDER.address, 45n * OGPU]);
    expect(pots(chain)).toEqual([50, 0, 0]);
  });

  it("takes what is reserved, and the loss is on record", () => {
    const chain = chainWithProvider();
    chain.send(MARKET, "reserve", [PROVIDER.address, 8n * OGPU]);
    const { receipt } = chain.send(MARKET, "takeReserved", [PROVIDER.address, 3n * OGPU, 17, MARKET_ADDRESS]);
    expect(eventsOf(PROVIDERS, receipt.logs)).toMatchObject([
      { name: "Slashed", args: { amount: 3n * OGPU, reason: 17 } },
    ]);
    expect(pots(chain)).toEqual([42, 5, 0]);
    expect(chain.balance(MARKET_ADDRESS)).toBe(3n * OGPU);
    expect(chain.balance(PROVIDERS_ADDRESS)).toBe(47n * OGPU);
    expect(chain.view(PROVIDERS, "reputationOf", [PROVIDER.address]).lost).toBe(3n * OGPU);
  });

  it("reaches what leaves too, the last of it first, but never what other jobs have reserved", () => {
    const chain = chainWithProvider();
    chain.send(MARKET, "reserve", [PROVIDER.address, 10n * OGPU]);
    chain.send(PROVIDERS, "requestWithdrawal", [10n * OGPU]);
    chain.send(PROVIDERS, "requestWithdrawal", [20n * OGPU]);
    const take = (amount: bigint): bigint =>
      chain.send(MARKET, "takeCollateral", [PROVIDER.address, amount, 1, MARKET_ADDRESS]).result;
    expect(take(25n * OGPU)).toBe(25n * OGPU);
    expect(pots(chain)).toEqual([0, 10, 15]);
    expect(chain.view(PROVIDERS, "withdrawalsOf", [PROVIDER.address])[0]).toEqual([10n * OGPU, 5n * OGPU]);
    expect(take(100n * OGPU)).toBe(15n * OGPU);
    expect(pots(chain)).toEqual([0, 10, 0]);
    expect(take(1n)).toBe(0n);
    expect(chain.balance(MARKET_ADDRESS)).toBe(40n * OGPU);
  });

  it("finds no provider available whose collateral has fallen below the minimum", () => {
    const chain = chainWithProvider(MIN_COLLATERAL);
    chain.send(MARKET, "takeCollateral", [PROVIDER.address, 1n, 1, MARKET_ADDRESS]);
    expect(chain.view(PROVIDERS, "providerOf", [PROVIDER.address])).toMatchObject({ status: 1, available: false });
    expect(chain.revertOf(MARKET, "reserve", [PROVIDER.address, 1n]).name).toBe("NotAvailable");
    chain.send(PROVIDERS, "topUp", [], { value: 1n });
    chain.send(MARKET, "reserve", [PROVIDER.address, 1n]);
  });

  it("alone writes reputation, from settled jobs", () => {
    const chain = chainWithProvider();
    chain.send(MARKET, "settle", [PROVIDER.address, "accepted", 100n, 7n, OGPU]);
    chain.send(MARKET, "settle", [PROVIDER.address, "accepted", 50n, 3n, 2n * OGPU]);
    chain.send(MARKET, "settle", [PROVIDER.address, "rejected", 0n, 0n, 0n]);
    const { receipt } = chain.send(MARKET, "settle", [PROVIDER.address, "late", 5n, 9n, 1n]);
    expect(eventsOf(PROVIDERS, receipt.logs)).toMatchObject([{ name: "Settled", args: { outcome: 3, earned: 1n } }]);
    const figures = {
      accepted: 2n,
      rejected: 1n,
      late: 1n,
      computeUnits: 155n,
      busySeconds: 19n,
      earned: 3n * OGPU + 1n,
      lost: 0n,
      lastSettled: chain.now,
    };
    expect(chain.view(PROVIDERS, "reputationOf", [PROVIDER.address])).toEqual(figures);
    const writers = providersAbi.filter((item) => item.type === "function" && item.stateMutability !== "view");
    expect(
      writers.map((item) => ("name" in item ? item.name : "")).filter((name) => /reput|settle/.test(name)),
    ).toEqual([]);
    chain.send(PROVIDERS, "exit", []);
    chain.pass(EXIT_SECONDS);
    chain.send(PROVIDERS, "withdraw", []);
    expect(chain.view(PROVIDERS, "reputationOf", [PROVIDER.address])).toEqual(figures);
  });
});

describe("devices", () => {
  it("are found by provider, by tier, and by tier and region", () => {
    const chain = chainWithProvider();
    chain.send(PROVIDERS, "register", ["Second", ""], { value: MIN_COLLATERAL, key: OTHER });
    const first = addDevice(chain, 3, EUROPE);
    const second = addDevice(chain, 3, ASIA);
    addDevice(chain, 4, EUROPE);
    const foreign = addDevice(chain, 3, EUROPE, OTHER);
    expect([first, second, foreign]).toEqual([1n, 2n, 1n]);
    expect(chain.view(PROVIDERS, "deviceOf", [PROVIDER.address, first])).toMatchObject({
      id: 1n,
      kind: DEVICE_KIND.cuda,
      tier: 3,
      memoryBytes: 24n * GIB,
      region: EUROPE,
      capabilities: 5n,
      benchmark: BENCHMARK,
      available: true,
    });
    const ids = (devices: readonly { provider: Hex; id: bigint }[]): string[] =>
      devices
        .map(({ provider, id }) => `${provider.toLowerCase() === OTHER.address ? "second" : "first"} ${id}`)
        .sort();
    expect(ids(chain.view(PROVIDERS, "devicesOf", [PROVIDER.address, 0n, 10n]))).toEqual([
      "first 1",
      "first 2",
      "first 3",
    ]);
    expect(ids(chain.view(PROVIDERS, "devicesOfTier", [3, 0n, 10n]))).toEqual(["first 1", "first 2", "second 1"]);
    expect(ids(chain.view(PROVIDERS, "devicesIn", [3, EUROPE, 0n, 10n]))).toEqual(["first 1", "second 1"]);
    expect(chain.view(PROVIDERS, "devicesIn", [3, EUROPE, 1n, 10n])).toHaveLength(1);
    expect(chain.view(PROVIDERS, "deviceCountIn", [4, EUROPE])).toBe(1n);
    expect(chain.view(PROVIDERS, "deviceCountOfTier", [5])).toBe(0n);
    chain.send(PROVIDERS, "pause", [], { key: OTHER });
    const available = chain.view(PROVIDERS, "devicesIn", [3, EUROPE, 0n, 10n]).filter((device) => device.available);
    expect(ids(available)).toEqual(["first 1"]);
  });

  it("move between the lists when they are described anew, and leave them when removed", () => {
    const chain = chainWithProvider();
    const id = addDevice(chain, 3, EUROPE);
    addDevice(chain, 3, EUROPE);
    const kept = chain.now;
    chain.pass(5);
    chain.send(PROVIDERS, "updateDevice", [id, DEVICE_KIND.cpu, GIB, 2, ASIA, 0n, BENCHMARK]);
    expect(chain.view(PROVIDERS, "deviceCountIn", [3, EUROPE])).toBe(1n);
    expect(chain.view(PROVIDERS, "devicesIn", [2, ASIA, 0n, 1n])).toMatchObject([
      { id, kind: DEVICE_KIND.cpu, memoryBytes: GIB, capabilities: 0n, updated: kept + 6n },
    ]);
    chain.send(PROVIDERS, "updateDevice", [id, DEVICE_KIND.cpu, GIB, 2, EUROPE, 0n, BENCHMARK]);
    expect(chain.view(PROVIDERS, "deviceCountIn", [2, ASIA])).toBe(0n);
    expect(chain.view(PROVIDERS, "devicesIn", [2, EUROPE, 0n, 1n])).toMatchObject([{ id, region: EUROPE }]);
    const { receipt } = chain.send(PROVIDERS, "removeDevice", [id]);
    expect(eventsOf(PROVIDERS, receipt.logs)).toMatchObject([{ name: "DeviceRemoved", args: { id } }]);
    expect(chain.view(PROVIDERS, "deviceCountIn", [2, EUROPE])).toBe(0n);
    expect(chain.view(PROVIDERS, "deviceCountOfTier", [2])).toBe(0n);
    expect(chain.view(PROVIDERS, "providerOf", [PROVIDER.address]).deviceCount).toBe(1n);
    expect(addDevice(chain, 3, EUROPE)).toBe(3n);
  });

  it("are bounded in number", () => {
    const chain = chainWithProvider();
    for (let i = 0; i < 4; i++) addDevice(chain, 1, EUROPE);
    const args = [DEVICE_KIND.cpu, GIB, 1, EUROPE, 0n, BENCHMARK] as const;
    expect(chain.revertOf(PROVIDERS, "addDevice", args)).toEqual({ name: "TooManyDevices", args: [4n] });
    chain.send(PROVIDERS, "removeDevice", [2n]);
    chain.send(PROVIDERS, "addDevice", args);
  });
});

describe("bad input reverts with a named error and changes nothing", () => {
  type Case = readonly [name: string, attempt: (chain: EconomyChain) => Reverted, args?: readonly unknown[]];
  const key = OTHER;
  const device = (chain: EconomyChain, changes: { kind?: number; memory?: bigint; tier?: number; where?: Hex }) => {
    const { kind = 1, memory = GIB, tier = 1, where = EUROPE } = changes;
    return chain.revertOf(PROVIDERS, "addDevice", [kind, memory, tier, where, 0n, BENCHMARK]);
  };
  const register = (chain: EconomyChain, name: string, endpoint: string, value = MIN_COLLATERAL, from = OTHER) =>
    chain.revertOf(PROVIDERS, "register", [name, endpoint], { value, key: from });
  const cases: readonly Case[] = [
    ["AlreadyRegistered", (chain) => register(chain, "x", "", MIN_COLLATERAL, PROVIDER)],
    ["BelowMinimum", (chain) => register(chain, "x", "", 1n), [1n, MIN_COLLATERAL]],
    ["BadText", (chain) => register(chain, "", ""), [0n, 1n, 64n]],
    ["BadText", (chain) => register(chain, "é".repeat(33), ""), [66n, 1n, 64n]],
    ["BadText", (chain) => register(chain, "x", "y".repeat(257)), [257n, 0n, 256n]],
    ["NotRegistered", (chain) => chain.revertOf(PROVIDERS, "describe", ["x", ""], { key })],
    ["NotRegistered", (chain) => chain.revertOf(PROVIDERS, "topUp", [], { key, value: 1n })],
    ["NotRegistered", (chain) => chain.revertOf(PROVIDERS, "pause", [], { key })],
    ["NotRegistered", (chain) => chain.revertOf(PROVIDERS, "exit", [], { key })],
    ["NotRegistered", (chain) => chain.revertOf(PROVIDERS, "requestWithdrawal", [1n], { key })],
    ["NothingDue", (chain) => chain.revertOf(PROVIDERS, "withdraw", [], { key }), [0n]],
    ["NothingSent", (chain) => chain.revertOf(PROVIDERS, "topUp", [])],
    ["ZeroAmount", (chain) => chain.revertOf(PROVIDERS, "requestWithdrawal", [0n])],
    ["ZeroAmount", (chain) => chain.revertOf(PROVIDERS, "cancelWithdrawal", [0n])],
    ["BelowMinimum", (chain) => chain.revertOf(PROVIDERS, "requestWithdrawal", [41n * OGPU])],
    ["NotEnoughFree", (chain) => chain.revertOf(PROVIDERS, "requestWithdrawal", [1n << 200n])],
    ["NotEnoughLeaving", (chain) => chain.revertOf(PROVIDERS, "cancelWithdrawal", [1n]), [0n, 1n]],
    ["UnknownKind", (chain) => device(chain, { kind: 0 }), [0]],
    ["UnknownKind", (chain) => device(chain, { kind: 3 }), [3]],
    ["BadTier", (chain) => device(chain, { tier: 16 }), [16, 15]],
    ["NoMemory", (chain) => device(chain, { memory: 0n })],
    ["NoRegion", (chain) => device(chain, { where: region("") })],
    ["NoDevice", (chain) => chain.revertOf(PROVIDERS, "removeDevice", [2n])],
    ["NoDevice", (chain) => chain.revertOf(PROVIDERS, "removeDevice", [1n], { key })],
    ["NoDevice", (chain) => chain.revertOf(PROVIDERS, "updateDevice", [1n, 1, GIB, 1, EUROPE, 0n, BENCHMARK], { key })],
    ["BadTier", (chain) => chain.revertOf(PROVIDERS, "updateDevice", [1n, 1, GIB, 99, EUROPE, 0n, BENCHMARK])],
    ["NoDevice", (chain) => chain.revertOf(PROVIDERS, "deviceOf", [PROVIDER.address, 9n])],
    ["TooMany", (chain) => chain.revertOf(PROVIDERS, "providers", [0n, 101n]), [100n]],
    ["TooMany", (chain) => chain.revertOf(PROVIDERS, "devicesIn", [1, EUROPE, 0n, 101n]), [100n]],
  ];
  // Nothing changes, so one chain serves all.
  const chain = chainWithProvider();
  addDevice(chain, 1, EUROPE);
  const facts = (): unknown => [
    chain.view(PROVIDERS, "providers", [0n, 100n]),
    chain.view(PROVIDERS, "devicesOf", [PROVIDER.address, 0n, 100n]),
    chain.view(PROVIDERS, "totalCollateral", []),
    chain.balance(PROVIDERS_ADDRESS),
  ];
  const before = facts();

  it.each(cases.map(([name, attempt, args]) => ({ name, attempt, args })))("$name (%#)", ({ name, attempt, args }) => {
    const reverted = attempt(chain);
    expect(reverted.name).toBe(name);
    if (args !== undefined) expect(reverted.args).toEqual(args);
    expect(facts()).toEqual(before);
  });
});
