import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Hex } from "../../base/bytes.ts";
import { OGPU } from "../../base/units.ts";
import { LATEST } from "../../rpc/block-reference.ts";
import { jobBlock } from "../../rpc/calls/job-block.ts";
import { DEFAULT_LIMITS } from "../../rpc/limits.ts";
import { localJobs } from "../../rpc/local-jobs.ts";
import { simulateRequest } from "../../rpc/simulate-request.ts";
import { ALICE, BOB, STRANGER } from "../chain/runtime/support/single-node.ts";
import { DrivenChain, TOPIC, WORD } from "./support/driven-chain.ts";

interface Call {
  readonly status: Hex;
  readonly returnData: Hex;
  readonly gasUsed: Hex;
  readonly logs?: readonly { readonly address: Hex; readonly topics: readonly Hex[]; readonly logIndex: Hex }[];
  readonly error?: { readonly code: number; readonly message: string };
}

interface Block {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: Hex;
  readonly baseFeePerGas: Hex;
  readonly transactions: readonly unknown[];
  readonly calls: readonly Call[];
}

let chain: DrivenChain;
beforeAll(async () => {
  chain = await DrivenChain.open();
});
afterAll(() => chain.close());

/** Not what the contract has stored already. */
const OTHER_WORD: Hex = `0x${"07".padStart(64, "0")}`;
const RICH = { [STRANGER.address]: { balance: `0x${OGPU.toString(16)}` } };

const SHA256 = `0x${"02".padStart(40, "0")}`;
const IDENTITY = `0x${"04".padStart(40, "0")}`;
/** One byte more than init code may have (EIP-3860). */
const TOO_LONG: Hex = `0x${"00".repeat(49_153)}`;

async function simulate(blockStateCalls: readonly object[], options: object = {}): Promise<readonly Block[]> {
  return await chain.fixture.call("eth_simulateV1", { blockStateCalls, ...options }, "latest");
}

async function refusal(blockStateCalls: readonly object[], options: object = {}): Promise<unknown> {
  return (await chain.fixture.ask("eth_simulateV1", { blockStateCalls, ...options })).error;
}

describe("eth_simulateV1", () => {
  it("lets later calls and blocks see what earlier ones changed, and keeps nothing", async () => {
    const { contract } = chain.facts;
    // SLOAD(0), MSTORE, RETURN: a contract put in the place of the first reads the slot that the first wrote.
    const reading = "0x60005460005260206000f3";
    const [first, second] = await simulate([
      { calls: [{ to: contract, input: OTHER_WORD }] },
      { stateOverrides: { [contract]: { code: reading } }, calls: [{ to: contract }] },
    ]);
    expect(first?.calls[0]).toMatchObject({ status: "0x1", returnData: OTHER_WORD, logs: [{ topics: [TOPIC] }] });
    expect(second?.calls[0]?.returnData).toBe(OTHER_WORD);
    expect(second?.parentHash).toBe(first?.hash);
    expect(await chain.fixture.call("eth_getStorageAt", contract, "0x0")).toBe(WORD);
  });

  it("numbers and times blocks one after the other, with empty ones where some are left out", async () => {
    const head = BigInt(await chain.fixture.call<Hex>("eth_blockNumber"));
    const blocks = await simulate([{}, { blockOverrides: { number: `0x${(head + 4n).toString(16)}` } }]);
    expect(blocks.map(({ number }) => BigInt(number) - head)).toEqual([1n, 2n, 3n, 4n]);
    const times = blocks.map(({ timestamp }) => Number(timestamp));
    expect([...times].sort((a, b) => a - b)).toEqual(times);
    expect(new Set(times).size).toBe(4);
  });

  it("moves money, and tells of it as a log when asked", async () => {
    const transfer = { from: STRANGER.address, to: BOB.address, value: "0x1" };
    const [block] = await simulate([{ stateOverrides: RICH, calls: [transfer] }], { traceTransfers: true });
    expect(block?.calls[0]?.logs).toMatchObject([{ address: `0x${"ee".repeat(20)}` }]);
    const [plain] = await simulate([{ stateOverrides: RICH, calls: [transfer] }]);
    expect(plain?.calls[0]?.logs).toEqual([]);
  });

  it("tells why a call failed, and goes on with the next", async () => {
    const { contract } = chain.facts;
    const [block] = await simulate([
      { calls: [{ to: contract }, { to: contract, input: WORD, gas: "0x5800" }, { to: contract, input: WORD }] },
    ]);
    expect(block?.calls.map(({ status }) => status)).toEqual(["0x0", "0x0", "0x1"]);
    expect(block?.calls[0]?.error).toMatchObject({ code: 3, message: "execution reverted: no" });
    expect(block?.calls[1]?.error).toMatchObject({ code: -32_015, message: "vm execution error: out of gas" });
  });

  it("ends before it has gathered more than an answer may have", async () => {
    const to = STRANGER.address;
    const run = localJobs(chain.fixture.chain, { ...DEFAULT_LIMITS, answerBytes: 100_000 });
    /** Each call answers with so many bytes: PUSH3, PUSH1 0, RETURN. */
    const simulated = (bytes: number): Promise<string> => {
      const code = `0x62${bytes.toString(16).padStart(6, "0")}6000f3`;
      const calls = Array.from({ length: 10 }, () => ({ to }));
      const payload = { blockStateCalls: [{ stateOverrides: { [to]: { code } }, calls }] };
      const request = simulateRequest.read(payload, "payload");
      return run("simulate", { request, block: jobBlock(chain.fixture.chain, LATEST) });
    };
    expect(JSON.parse(await simulated(1_000))).toHaveLength(1);
    await expect(simulated(20_000)).rejects.toMatchObject({ body: { data: { code: "RESPONSE_TOO_LARGE" } } });
  });

  it("shows whole transactions when asked", async () => {
    const calls = [{ from: ALICE.address, to: BOB.address, value: "0x1" }];
    const [block] = await simulate([{ calls }], { returnFullTransactions: true });
    expect(block?.transactions[0]).toMatchObject({ from: ALICE.address, to: BOB.address, value: "0x1" });
  });

  it("is as strict as a block with validation, and asks for no fee without", async () => {
    const transfer = { from: ALICE.address, to: BOB.address, value: "0x1" };
    expect((await simulate([{ calls: [transfer] }]))[0]?.baseFeePerGas).toBe("0x0");
    const fee = { maxFeePerGas: "0xb2d05e00" };
    const [block] = await simulate([{ calls: [{ ...transfer, ...fee }] }], { validation: true });
    expect(BigInt(block?.baseFeePerGas ?? 0)).toBeGreaterThan(0n);
    const strict = { validation: true };
    expect(await refusal([{ calls: [{ ...transfer, ...fee, nonce: "0x0" }] }], strict)).toMatchObject({
      code: -38_010,
    });
    expect(await refusal([{ calls: [{ ...transfer, ...fee, nonce: "0x99" }] }], strict)).toMatchObject({
      code: -38_011,
    });
    expect(await refusal([{ calls: [{ ...transfer, maxFeePerGas: "0x1" }] }], strict)).toMatchObject({ code: -38_012 });
  });

  it("lets contracts call, also with validation", async () => {
    const { contract } = chain.facts;
    const stateOverrides = { [contract]: { balance: `0x${OGPU.toString(16)}` } };
    const call = { from: contract, to: BOB.address, value: "0x1", gas: "0x5208", maxFeePerGas: "0xb2d05e00" };
    const [block] = await simulate([{ stateOverrides, calls: [call] }], { validation: true });
    expect(block?.calls[0]?.status).toBe("0x1");
  });

  it("has no gas for free with validation, whatever else is wrong with the call", async () => {
    const poor = { from: STRANGER.address, to: BOB.address, value: "0x1", nonce: "0x99" };
    const strict = { validation: true };
    for (const fee of [{}, { maxFeePerGas: "0x0", maxPriorityFeePerGas: "0x0" }, { gasPrice: "0x0" }]) {
      expect(await refusal([{ calls: [{ ...poor, ...fee }] }], strict)).toMatchObject({ code: -38_012 });
    }
    const [block] = await simulate(
      [{ blockOverrides: { baseFeePerGas: "0x0" }, calls: [{ from: ALICE.address, to: BOB.address }] }],
      strict,
    );
    expect(block?.calls[0]?.status).toBe("0x1");
  });

  it.each([
    ["numbers that go back", [{ blockOverrides: { number: "0x1" } }], -38_020],
    ["times that go back", [{ blockOverrides: { time: "0x1" } }], -38_021],
    ["numbers of too many blocks", [{ blockOverrides: { number: "0xffffff" } }], -38_026],
    ["too many blocks", new Array<object>(257).fill({}), -38_026],
    ["money that is not there", [{ calls: [{ from: STRANGER.address, to: BOB.address, value: "0x1" }] }], -38_014],
    ["too little gas", [{ calls: [{ to: BOB.address, gas: "0x1" }] }], -38_013],
    [
      "more gas than a block has",
      [{ blockOverrides: { gasLimit: "0x5208" }, calls: [{ to: BOB.address, gas: "0x5209" }] }],
      -38_015,
    ],
    ["init code that no transaction may have", [{ calls: [{ input: TOO_LONG }] }], -38_025],
    ["no block at all", [], -32_602],
    ["members that nobody knows", [{ call: [] }], -32_602],
  ])("refuses %s", async (_what, blocks, code) => {
    expect(await refusal(blocks)).toMatchObject({ code });
  });
});

describe("overrides of eth_call", () => {
  it("gives an account money, a nonce, code and storage for one call", async () => {
    // SLOAD(1), SELFBALANCE, ADD, MSTORE, RETURN.
    const code = "0x600154470160005260206000f3";
    const one = `0x${"01".padStart(64, "0")}`;
    const call = (override: object): Promise<Hex> =>
      chain.fixture.call("eth_call", { to: STRANGER.address }, "latest", { [STRANGER.address]: { code, ...override } });
    expect(Number(await call({}))).toBe(0);
    expect(Number(await call({ balance: "0x5" }))).toBe(5);
    expect(Number(await call({ balance: "0x5", state: { [one]: `0x${"02".padStart(64, "0")}` } }))).toBe(7);
    expect(Number(await call({ stateDiff: { [one]: `0x${"03".padStart(64, "0")}` } }))).toBe(3);
  });

  it("keeps the other slots with stateDiff, and drops them with state", async () => {
    const { contract } = chain.facts;
    const reading = "0x60005460005260206000f3";
    const other = { [`0x${"01".padStart(64, "0")}`]: WORD };
    const call = (override: object): Promise<Hex> =>
      chain.fixture.call("eth_call", { to: contract }, "latest", { [contract]: { code: reading, ...override } });
    expect(await call({ stateDiff: other })).toBe(WORD);
    expect(Number(await call({ state: other }))).toBe(0);
  });

  it("shows another block", async () => {
    // NUMBER, TIMESTAMP, ADD, BASEFEE, ADD, GASLIMIT, ADD.
    const code = "0x43420148014501 60005260206000f3".replace(" ", "");
    const block = { number: "0x1", time: "0x2", baseFeePerGas: "0x3", gasLimit: "0x1000000" };
    const state = { [STRANGER.address]: { code } };
    expect(Number(await chain.fixture.call<Hex>("eth_call", { to: STRANGER.address }, "latest", state, block))).toBe(
      0x1000006,
    );
  });

  it("moves a precompile, whose own place is then free", async () => {
    const state = { [IDENTITY]: { movePrecompileToAddress: STRANGER.address } };
    const call = (to: string): Promise<Hex> => chain.fixture.call("eth_call", { to, data: "0x1234" }, "latest", state);
    expect(await call(STRANGER.address)).toBe("0x1234");
    expect(await call(IDENTITY)).toBe("0x");
  });

  it("moves nothing that is no precompile, and none onto itself", async () => {
    const refused = { [BOB.address]: STRANGER.address, [STRANGER.address]: STRANGER.address, [IDENTITY]: IDENTITY };
    for (const [from, to] of Object.entries(refused)) {
      const state = { [from]: { movePrecompileToAddress: to } };
      const error = { code: -32_000, message: expect.stringMatching(`^account ${from} is `) };
      expect((await chain.fixture.ask("eth_call", { to: BOB.address }, "latest", state)).error).toMatchObject(error);
      expect(await refusal([{ stateOverrides: state }])).toMatchObject(error);
    }
  });

  it("moves two precompiles to one address, as the tests of Ethereum's execution API do", async () => {
    const to = { movePrecompileToAddress: STRANGER.address };
    expect(await simulate([{ stateOverrides: { [SHA256]: to, [IDENTITY]: to } }])).toHaveLength(1);
  });

  it("refuses both kinds of storage at once", async () => {
    const both = { [STRANGER.address]: { state: {}, stateDiff: {} } };
    const { error } = await chain.fixture.ask("eth_call", { to: BOB.address }, "latest", both);
    expect(error?.code).toBe(-32_602);
  });
});

describe("eth_createAccessList", () => {
  it("lists what the call touches, and what it then costs", async () => {
    const { contract } = chain.facts;
    const call = { from: ALICE.address, to: contract, input: OTHER_WORD };
    const answer = (await chain.fixture.call("eth_createAccessList", call)) as { accessList: unknown; gasUsed: Hex };
    expect(answer.accessList).toEqual([{ address: contract, storageKeys: [`0x${"00".repeat(32)}`] }]);
    const withList = { ...call, accessList: answer.accessList };
    expect(await chain.fixture.call("eth_estimateGas", withList)).toBe(answer.gasUsed);
  });

  it("tells why a call fails", async () => {
    const { contract } = chain.facts;
    expect(await chain.fixture.call("eth_createAccessList", { to: contract })).toMatchObject({
      error: "execution reverted: no",
    });
  });
});

it("deploys with at most as much init code as a transaction may have, whatever is asked", async () => {
  const longest = { from: ALICE.address, data: TOO_LONG.slice(0, -2) };
  expect(await chain.fixture.call("eth_call", longest)).toBe("0x");
  const free = [{ blockOverrides: { baseFeePerGas: "0x0" }, calls: [{ data: TOO_LONG }] }];
  expect(await refusal(free, { validation: true })).toMatchObject({ code: -38_025 });
  for (const method of ["eth_call", "eth_estimateGas"]) {
    const { error } = await chain.fixture.ask(method, { from: ALICE.address, data: TOO_LONG });
    expect(error?.message, method).toContain("max initcode size exceeded");
  }
});

describe("gas that is paid for", () => {
  it("refuses to estimate beyond what the sender can pay", async () => {
    const { contract } = chain.facts;
    const price = "0xb2d05e00";
    const few = { [STRANGER.address]: { balance: `0x${(25_000n * 3_000_000_000n).toString(16)}` } };
    const call = { from: STRANGER.address, to: contract, input: OTHER_WORD, gasPrice: price };
    const { error } = await chain.fixture.ask("eth_estimateGas", call, "latest", few);
    expect(error).toMatchObject({
      code: -32_000,
      message: expect.stringContaining("gas required exceeds allowance (25000)"),
    });
  });

  it("tells of missing money where it does not pay for any transaction at all", async () => {
    const price = 3_000_000_000n;
    const call = { from: STRANGER.address, to: BOB.address, gasPrice: `0x${price.toString(16)}` };
    const withMoney = async (balance: bigint, gas?: Hex): Promise<unknown> => {
      const state = { [STRANGER.address]: { balance: `0x${balance.toString(16)}` } };
      return (await chain.fixture.ask("eth_estimateGas", { ...call, gas }, "latest", state)).error;
    };
    const noMoney = { code: -32_000, message: expect.stringMatching(/^insufficient funds for gas \* price \+ value/) };
    expect(await withMoney(0n)).toMatchObject(noMoney);
    expect(await withMoney(21_000n * price - 1n)).toMatchObject(noMoney);
    expect(await withMoney(21_000n * price)).toBeUndefined();
    expect(await withMoney(0n, "0x5207")).toMatchObject({ message: expect.stringMatching(/^intrinsic gas too low/) });
  });

  it("refuses a price below the base fee", async () => {
    const { error } = await chain.fixture.ask("eth_call", { from: ALICE.address, to: BOB.address, gasPrice: "0x1" });
    expect(error?.message).toContain("max fee per gas less than block base fee");
  });
});
