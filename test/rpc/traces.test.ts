import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { OGPU } from "../../base/units.ts";
import { DEFAULT_LIMITS } from "../../rpc/limits.ts";
import { localJobs } from "../../rpc/local-jobs.ts";
import { EVERY_OPCODE } from "../../rpc/trace-options.ts";
import { ALICE, BOB, STRANGER } from "../chain/runtime/support/single-node.ts";
import { DrivenChain, initCode, TOPIC, WORD } from "./support/driven-chain.ts";
import { RpcFixture } from "./support/rpc-fixture.ts";

type Json = Record<string, unknown>;

let chain: DrivenChain;
beforeAll(async () => {
  chain = await DrivenChain.open();
});
afterAll(() => chain.close());

const SLOT_0 = `0x${"00".repeat(32)}`;
const call = <Result = Json>(method: string, ...params: readonly unknown[]): Promise<Result> =>
  chain.fixture.call<Result>(method, ...params);

describe("callTracer", () => {
  const options = { tracer: "callTracer", tracerConfig: { withLog: true } };

  it("shows a transfer, which the EVM never sees", async () => {
    const { transfer } = chain.facts;
    expect(await call("debug_traceTransaction", transfer, options)).toEqual({
      type: "CALL",
      from: ALICE.address,
      to: BOB.address,
      value: `0x${OGPU.toString(16)}`,
      gas: "0x5208",
      gasUsed: "0x5208",
      input: "0x",
    });
  });

  it("shows logs and output, and the gas of the receipt", async () => {
    const { logging, contract } = chain.facts;
    const receipt = await call("eth_getTransactionReceipt", logging);
    expect(await call("debug_traceTransaction", logging, options)).toMatchObject({
      type: "CALL",
      to: contract,
      output: WORD,
      gasUsed: receipt["gasUsed"],
      logs: [{ address: contract, topics: [TOPIC], data: WORD, index: "0x0", position: "0x0" }],
    });
  });

  it("shows a creation with the code it stored", async () => {
    const { creation, contract } = chain.facts;
    const code = await call<Hex>("eth_getCode", contract);
    expect(await call("debug_traceTransaction", creation, options)).toMatchObject({
      type: "CREATE",
      to: contract,
      output: code,
    });
  });

  it("shows why a call reverted", async () => {
    const { reverted } = chain.facts;
    expect(await call("debug_traceTransaction", reverted, options)).toMatchObject({
      error: "execution reverted",
      revertReason: "no",
      output: expect.stringMatching(/^0x08c379a0/),
    });
  });

  it("shows the calls of a contract, drops the logs of what failed, and hides all but the top when asked", async () => {
    const { contract } = chain.facts;
    // CALL(gas, contract, 0, 0, 0, 0, 0), which reverts; STATICCALL with one word, which fails at its SSTORE; CALL with it.
    const fails = `60006000600060006000${`73${contract.slice(2)}`}5af150`;
    const writes = `602a600052600060006020600073${contract.slice(2)}5afa50`;
    const works = `6000600060206000600073${contract.slice(2)}5af150`;
    const code = `0x${fails}${writes}${works}00`;
    const target = STRANGER.address;
    const override = { stateOverrides: { [target]: { code } } };
    const trace = await call("debug_traceCall", { to: target }, "latest", { ...options, ...override });
    expect(trace).toMatchObject({
      calls: [
        { type: "CALL", from: target, to: contract, error: "execution reverted", revertReason: "no" },
        { type: "STATICCALL", from: target, to: contract, error: "write protection" },
        { type: "CALL", from: target, to: contract, logs: [{ address: contract }] },
      ],
    });
    expect((trace["calls"] as Json[])[1]).not.toHaveProperty("value");
    const top = { tracer: "callTracer", tracerConfig: { onlyTopCall: true }, ...override };
    expect(await call("debug_traceCall", { to: target }, "latest", top)).not.toHaveProperty("calls");
  });

  it("numbers logs through the whole transaction, without those of messages that failed", async () => {
    const { contract } = chain.facts;
    const [target, failing] = [STRANGER.address, `0x${"77".repeat(20)}`];
    // LOG0 of nothing. The failing one reverts after it; the target calls that one and the contract between two of its own.
    const log = "60006000a0";
    const calls = `60006000600060006000${`73${failing.slice(2)}`}5af1506000600060206000600073${contract.slice(2)}5af150`;
    const stateOverrides = {
      [failing]: { code: `0x${log}60006000fd` },
      [target]: { code: `0x602a600052${log}${calls}${log}00` },
    };
    const trace = await call("debug_traceCall", { to: target }, "latest", { ...options, stateOverrides });
    expect(trace).toMatchObject({
      logs: [
        { index: "0x0", position: "0x0" },
        { index: "0x2", position: "0x2" },
      ],
      calls: [{ error: "execution reverted" }, { logs: [{ index: "0x1", position: "0x0" }] }],
    });
  });

  it("traces all transactions of a block", async () => {
    const { number, block, logging } = chain.facts;
    const traces = await call<Json[]>("debug_traceBlockByNumber", number, options);
    expect(traces).toEqual([{ txHash: logging, result: await call("debug_traceTransaction", logging, options) }]);
    expect(await call("debug_traceBlockByHash", block, options)).toEqual(traces);
  });
});

describe("prestateTracer", () => {
  it("shows what a transaction found", async () => {
    const { logging, contract, number } = chain.facts;
    const found = await call("debug_traceTransaction", logging, { tracer: "prestateTracer" });
    expect(found[contract]).toMatchObject({ nonce: 1, storage: { [SLOT_0]: `0x${"00".repeat(32)}` } });
    const before = await call<Hex>("eth_getBalance", BOB.address, `0x${(Number(number) - 1).toString(16)}`);
    expect(found[BOB.address]).toEqual({ balance: before });
  });

  it("shows what it changed in diff mode", async () => {
    const { logging, contract } = chain.facts;
    const options = { tracer: "prestateTracer", tracerConfig: { diffMode: true } };
    const { pre, post } = (await call("debug_traceTransaction", logging, options)) as { pre: Json; post: Json };
    expect(post[contract]).toEqual({ storage: { [SLOT_0]: WORD } });
    expect(pre[contract]).not.toHaveProperty("storage");
    expect(post[BOB.address]).toMatchObject({ nonce: 1 });
    expect(Object.keys(pre)).toContain(BOB.address);
  });

  it("shows a new contract after and not before", async () => {
    const { creation, contract } = chain.facts;
    const options = { tracer: "prestateTracer", tracerConfig: { diffMode: true } };
    const { pre, post } = (await call("debug_traceTransaction", creation, options)) as { pre: Json; post: Json };
    expect(pre).not.toHaveProperty([contract]);
    expect(post[contract]).toEqual({ nonce: 1, code: await call("eth_getCode", contract) });
  });
});

describe("every opcode", () => {
  it("adds up to the gas of the transaction, with stack, storage and memory", async () => {
    const { logging } = chain.facts;
    const trace = (await call("debug_traceTransaction", logging, { enableMemory: true })) as {
      gas: number;
      failed: boolean;
      returnValue: Hex;
      structLogs: {
        op: string;
        gas: number;
        gasCost: number;
        depth: number;
        stack: Hex[];
        storage?: Json;
        memory?: Hex[];
      }[];
    };
    const { gasUsed } = (await call("eth_getTransactionReceipt", logging)) as { gasUsed: Hex };
    expect(trace).toMatchObject({ gas: Number(gasUsed), failed: false, returnValue: WORD });
    const [first] = trace.structLogs;
    expect(first).toMatchObject({ op: "CALLDATASIZE", depth: 1, stack: [] });
    for (const [index, { gas, gasCost }] of trace.structLogs.entries()) {
      const next = trace.structLogs[index + 1];
      if (next !== undefined) expect(gas - gasCost).toBe(next.gas);
    }
    const store = trace.structLogs.find(({ op }) => op === "SSTORE");
    expect(store).toMatchObject({ storage: { [SLOT_0]: WORD }, gasCost: 22_100 });
    expect(trace.structLogs.at(-1)).toMatchObject({ op: "RETURN", memory: [WORD] });
  });

  it("counts the gas that a call hands on as its price, and shows the depth", async () => {
    const { contract } = chain.facts;
    const code = `0x602a60005260006000602060006000${`73${contract.slice(2)}`}5af100`;
    const options = { stateOverrides: { [STRANGER.address]: { code } } };
    const { structLogs } = (await call("debug_traceCall", { to: STRANGER.address }, "latest", options)) as {
      structLogs: { op: string; gas: number; gasCost: number; depth: number }[];
    };
    const at = structLogs.findIndex(({ op }) => op === "CALL");
    const [calling, inner] = structLogs.slice(at);
    expect(inner?.depth).toBe(2);
    // 2,600 for the cold account, and what the message gets.
    expect(calling?.gasCost).toBe((inner?.gas ?? 0) + 2_600);
  });

  it("says at which opcode it failed, and stops where it is told to", async () => {
    const options = { stateOverrides: { [STRANGER.address]: { code: "0x6001fe" } }, limit: 2 };
    const trace = (await call("debug_traceCall", { to: STRANGER.address }, "latest", options)) as {
      structLogs: Json[];
    };
    expect(trace).toMatchObject({ failed: true });
    expect(trace.structLogs).toHaveLength(2);
    expect(trace.structLogs[1]).toMatchObject({ op: "INVALID", error: "invalid opcode: INVALID" });
  });

  it("refuses a trace that would be too large", async () => {
    // JUMPDEST, PUSH1 0, JUMP: for as long as the gas lasts.
    const options = { stateOverrides: { [STRANGER.address]: { code: "0x5b600056" } } };
    const { error } = await chain.fixture.ask("debug_traceCall", { to: STRANGER.address }, "latest", options);
    expect(error).toMatchObject({ code: -32_000, data: { code: "TRACE_TOO_LARGE" } });
  });
});

it("says what it cannot trace", async () => {
  const unknown = await chain.fixture.ask("debug_traceTransaction", `0x${"00".repeat(32)}`);
  expect(unknown.error).toMatchObject({ code: -32_000, message: "transaction not found" });
  const genesis = await chain.fixture.ask("debug_traceBlockByNumber", "0x0");
  expect(genesis.error).toMatchObject({ data: { code: "GENESIS_NOT_TRACEABLE" } });
  const tracer = await chain.fixture.ask("debug_traceBlockByNumber", "0x1", { tracer: "noopTracer" });
  expect(tracer.error).toMatchObject({ code: -32_602, message: expect.stringContaining("options).tracer") });
});

it("asks for an archive to trace what is long past", async () => {
  const plain = await RpcFixture.openForgetful(3);
  try {
    const hash = await plain.include(plain.alone.sign(ALICE));
    for (let nonce = 1n; nonce < 6n; nonce++) await plain.include(plain.alone.sign(ALICE, { nonce }));
    const { error } = await plain.ask("debug_traceTransaction", hash);
    expect(error).toMatchObject({ code: -32_000, data: { code: "STORE_NO_ARCHIVE" } });
    expect(error?.message).toContain("not kept");
  } finally {
    await plain.close();
  }
});

it("replays several transactions of one block, each on what the ones before it left", async () => {
  const fixture = await RpcFixture.open(true);
  try {
    const { alone } = fixture;
    const code = initCode("60005460010160005560005460005260206000f3");
    const creation = await fixture.include(
      alone.sign(ALICE, { to: undefined, value: 0n, data: code, gasLimit: 500_000n }),
    );
    const { contractAddress: to } = (await fixture.call("eth_getTransactionReceipt", creation)) as {
      contractAddress: Hex;
    };
    const raws = [1n, 2n, 3n].map((nonce) => alone.sign(ALICE, { nonce, to, value: 0n, gasLimit: 100_000n }));
    for (const raw of raws) await fixture.call("eth_sendRawTransaction", bytesToHex(raw));
    await alone.nextBlock(fixture.chain);
    const traces = (await fixture.call("debug_traceBlockByNumber", "latest", { tracer: "callTracer" })) as {
      result: { output: Hex; gasUsed: Hex };
    }[];
    expect(traces.map(({ result }) => Number(result.output))).toEqual([1, 2, 3]);
    const receipts = (await fixture.call("eth_getBlockReceipts", "latest")) as { gasUsed: Hex }[];
    expect(traces.map(({ result }) => result.gasUsed)).toEqual(receipts.map(({ gasUsed }) => gasUsed));
    expect(hexToBytes(to)).toHaveLength(20);
  } finally {
    await fixture.close();
  }
});

it("is one text where it is made, and the same in the answer", async () => {
  const { fixture, facts } = chain;
  const run = localJobs(fixture.chain, DEFAULT_LIMITS);
  const text = await run("traceTransaction", { hash: hexToBytes(facts.logging), options: EVERY_OPCODE });
  expect(JSON.parse(text)).toEqual(await call("debug_traceTransaction", facts.logging));
});
