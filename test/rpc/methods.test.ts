import { decodeFunctionResult, encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { GWEI, OGPU } from "../../base/units.ts";
import { hashHeader } from "../../chain/blocks/header.ts";
import { stakingAbi } from "../../vm/interfaces/abi/staking.ts";
import { tokenAbi } from "../../vm/interfaces/abi/token.ts";
import { STAKING_ADDRESS, TOKEN_ADDRESS } from "../../vm/modules/addresses.ts";
import { ALICE, BOB, STRANGER } from "../chain/runtime/support/single-node.ts";
import { RpcFixture } from "./support/rpc-fixture.ts";

type Json = Record<string, unknown>;

/**
 * A contract that stores the first word of its input at slot 0, emits it under the topic 0x11..11 and answers with it:
 * PUSH1 0, CALLDATALOAD, DUP1, PUSH1 0, SSTORE, DUP1, PUSH1 0, MSTORE, PUSH32 topic, PUSH1 32, PUSH1 0, LOG1,
 * PUSH1 32, PUSH1 0, RETURN.
 */
const STORING = `60003580600055806000527f${"11".repeat(32)}60206000a160206000f3`;

const quantity = (value: bigint): Hex => `0x${value.toString(16)}`;

let fixture: RpcFixture;
let transferHash: Hex;
let contract: Hex;

/** Wraps runtime code: CODECOPY all after the first 12 bytes, RETURN. */
function initCode(runtime: string): Uint8Array {
  const length = (runtime.length / 2).toString(16).padStart(4, "0");
  return hexToBytes(`0x61${length}80600c6000396000f3${runtime}`);
}

beforeAll(async () => {
  fixture = await RpcFixture.open(true);
  const { alone } = fixture;
  transferHash = await fixture.include(alone.sign(ALICE, { value: OGPU }));
  const creation = await fixture.include(
    alone.sign(ALICE, { nonce: 1n, to: undefined, value: 0n, data: initCode(STORING), gasLimit: 500_000n }),
  );
  contract = ((await fixture.call("eth_getTransactionReceipt", creation)) as Json)["contractAddress"] as Hex;
  const data = hexToBytes(`0x${"2a".padStart(64, "0")}`);
  await fixture.include(alone.sign(BOB, { to: contract, value: 0n, data, gasLimit: 200_000n }));
});

afterAll(() => fixture.close());

describe("state", () => {
  it("reads balances, nonces, code and storage at the head", async () => {
    expect(BigInt(await fixture.call<Hex>("eth_getBalance", BOB.address, "latest"))).toBeGreaterThan(1000n * OGPU);
    expect(await fixture.call("eth_getBalance", STRANGER.address)).toBe("0x0");
    expect(await fixture.call("eth_getTransactionCount", ALICE.address, "latest")).toBe("0x2");
    expect(await fixture.call("eth_getCode", contract, "latest")).toBe(`0x${STORING}`);
    expect(await fixture.call("eth_getCode", ALICE.address, "latest")).toBe("0x");
    expect(await fixture.call("eth_getStorageAt", contract, "0x0", "latest")).toBe(`0x${"2a".padStart(64, "0")}`);
    expect(await fixture.call("eth_getStorageAt", contract, `0x${"00".repeat(32)}`)).toBe(
      `0x${"2a".padStart(64, "0")}`,
    );
  });

  it("reads any block of an archive, by number, tag and hash", async () => {
    const genesis = bytesToHex(fixture.chain.header(0)?.hash ?? new Uint8Array());
    for (const block of [
      "0x0",
      "earliest",
      { blockNumber: "0x0" },
      { blockNumber: "earliest" },
      { blockHash: genesis },
    ]) {
      expect(await fixture.call("eth_getBalance", ALICE.address, block)).toBe(`0x${(1000n * OGPU).toString(16)}`);
    }
    expect(await fixture.call("eth_getStorageAt", contract, "0x0", "0x2")).toBe(`0x${"00".repeat(32)}`);
  });

  it("takes latest, safe, finalized and pending for one block, since every block is final", async () => {
    const tags = ["latest", "safe", "finalized", "pending"];
    const balances = await Promise.all(tags.map((tag) => fixture.call("eth_getBalance", ALICE.address, tag)));
    expect(new Set(balances).size).toBe(1);
  });

  it("refuses a block that is not there", async () => {
    const { error } = await fixture.ask("eth_getBalance", ALICE.address, "0xffff");
    expect(error).toMatchObject({ code: -32_000, data: { code: "BLOCK_UNKNOWN" } });
  });

  it("counts waiting transactions in the pending nonce", async () => {
    await fixture.call("eth_sendRawTransaction", bytesToHex(fixture.alone.sign(BOB, { nonce: 1n })));
    expect(await fixture.call("eth_getTransactionCount", BOB.address, "pending")).toBe("0x2");
    expect(await fixture.call("eth_getTransactionCount", BOB.address, "latest")).toBe("0x1");
    await fixture.alone.nextBlock(fixture.chain);
  });
});

describe("transactions and blocks", () => {
  it("shows a transaction with its place", async () => {
    expect(await fixture.call("eth_getTransactionByHash", transferHash)).toMatchObject({
      hash: transferHash,
      from: ALICE.address,
      to: BOB.address,
      value: `0x${OGPU.toString(16)}`,
      type: "0x2",
      blockNumber: "0x1",
      transactionIndex: "0x0",
      chainId: "0xbdb29",
    });
    expect(await fixture.call("eth_getTransactionByHash", `0x${"00".repeat(32)}`)).toBeNull();
  });

  it("shows a waiting transaction without a place", async () => {
    const raw = bytesToHex(fixture.alone.sign(BOB, { nonce: 5n }));
    const hash = await fixture.call("eth_sendRawTransaction", raw);
    expect(await fixture.call("eth_getTransactionByHash", hash)).toMatchObject({
      hash,
      blockHash: null,
      blockNumber: null,
    });
    expect(await fixture.call("eth_getTransactionReceipt", hash)).toBeNull();
  });

  it("shows receipts with their logs", async () => {
    const block = (await fixture.call("eth_getBlockByNumber", "0x3", false)) as Json;
    const [hash] = block["transactions"] as [Hex];
    const receipt = (await fixture.call("eth_getTransactionReceipt", hash)) as Json;
    expect(receipt).toMatchObject({
      status: "0x1",
      blockNumber: "0x3",
      blockHash: block["hash"],
      from: BOB.address,
      to: contract,
      contractAddress: null,
      logsBloom: expect.stringMatching(/^0x[0-9a-f]{512}$/),
      logs: [
        { address: contract, topics: [`0x${"11".repeat(32)}`], data: `0x${"2a".padStart(64, "0")}`, logIndex: "0x0" },
      ],
    });
  });

  it("shows blocks by number and by hash, with hashes or with whole transactions", async () => {
    const byNumber = (await fixture.call("eth_getBlockByNumber", "0x1", false)) as Json;
    const header = fixture.chain.header(1)?.header;
    if (header === undefined) throw new Error("block 1 is there");
    expect(byNumber).toMatchObject({
      number: "0x1",
      hash: bytesToHex(hashHeader(header)),
      transactions: [transferHash],
    });
    expect(await fixture.call("eth_getBlockByHash", byNumber["hash"], false)).toEqual(byNumber);
    const full = (await fixture.call("eth_getBlockByNumber", "0x1", true)) as { transactions: Json[] };
    expect(full.transactions[0]).toMatchObject({ hash: transferHash, from: ALICE.address });
    expect(await fixture.call("eth_getBlockByNumber", "0xffff", false)).toBeNull();
    expect(await fixture.call("eth_getBlockByHash", `0x${"00".repeat(32)}`, false)).toBeNull();
  });

  it.each([
    ["nonce too low", "TX_NONCE_TOO_LOW", () => fixture.alone.sign(ALICE)],
    ["insufficient funds for gas * price + value", "TX_INSUFFICIENT_FUNDS", () => fixture.alone.sign(STRANGER)],
    ["intrinsic gas too low", "TX_INTRINSIC_GAS_TOO_LOW", () => fixture.alone.sign(ALICE, { nonce: 2n, gasLimit: 1n })],
    ["transaction type not supported", "TX_TYPE_UNSUPPORTED", () => new Uint8Array([3, 0xc0])],
    ["invalid chain id", "TX_WRONG_CHAIN", () => fixture.alone.sign(ALICE, { nonce: 2n, chainId: 1n })],
    [
      "less than block base fee",
      "TX_FEE_BELOW_BASE_FEE",
      () => fixture.alone.sign(ALICE, { nonce: 2n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }),
    ],
  ])("refuses with the words that wallets know: %s", async (words, code, raw) => {
    const { error } = await fixture.ask("eth_sendRawTransaction", bytesToHex(raw()));
    expect(error?.code).toBe(-32_000);
    expect(error?.message).toContain(words);
    expect(error?.data).toMatchObject({ code });
  });

  it("says already known to a transaction that waits", async () => {
    const raw = bytesToHex(fixture.alone.sign(BOB, { nonce: 6n }));
    await fixture.call("eth_sendRawTransaction", raw);
    const { error } = await fixture.ask("eth_sendRawTransaction", raw);
    expect(error).toMatchObject({ code: -32_000, data: { code: "MEMPOOL_KNOWN" } });
    expect(error?.message).toContain("already known");
  });
});

describe("calls", () => {
  const token = (functionName: "totalSupply" | "cap" | "symbol"): Json => ({
    to: TOKEN_ADDRESS,
    data: encodeFunctionData({ abi: tokenAbi, functionName }),
  });

  it("runs contracts and modules without changing anything", async () => {
    const before = fixture.chain.head.number;
    const data = `0x${"07".padStart(64, "0")}`;
    expect(await fixture.call("eth_call", { to: contract, data }, "latest")).toBe(data);
    expect(await fixture.call("eth_getStorageAt", contract, "0x0")).toBe(`0x${"2a".padStart(64, "0")}`);
    const symbol = await fixture.call<Hex>("eth_call", token("symbol"), "latest");
    expect(decodeFunctionResult({ abi: tokenAbi, functionName: "symbol", data: symbol })).toBe("oGPU");
    expect(fixture.chain.head.number).toBe(before);
  });

  it("calls at a past block see its state", async () => {
    const supply = async (block: string): Promise<bigint> =>
      BigInt(await fixture.call<Hex>("eth_call", token("totalSupply"), block));
    const total = async (block: string): Promise<bigint> =>
      BigInt(((await fixture.call("ogpu_getSupply", block)) as { total: Hex }).total);
    expect(await supply("0x0")).toBe(await total("0x0"));
    expect(await supply("0x1")).toBe(await total("0x1"));
    expect(await supply("0x1")).not.toBe(await supply("0x0"));
  });

  it("answers a revert with code 3, its reason and its data", async () => {
    const data = encodeFunctionData({ abi: tokenAbi, functionName: "burn" });
    const { error } = await fixture.ask("eth_call", { to: TOKEN_ADDRESS, data }, "latest");
    expect(error?.code).toBe(3);
    expect(error?.message).toMatch(/^execution reverted/);
    expect(error?.data).toMatch(/^0x[0-9a-f]{8}/);
  });

  it("refuses a value that the caller does not have", async () => {
    const { error } = await fixture.ask("eth_call", { from: STRANGER.address, to: BOB.address, value: "0x1" });
    expect(error?.data).toMatchObject({ code: "TX_INSUFFICIENT_FUNDS" });
  });

  it("lets a contract be the caller", async () => {
    expect(await fixture.call("eth_call", { from: contract, ...token("cap") })).toBe(
      `0x${(21_000_000n * OGPU).toString(16).padStart(64, "0")}`,
    );
  });

  it("runs many at once, each on its own", async () => {
    const words = Array.from({ length: 20 }, (_, index) => `0x${index.toString(16).padStart(64, "0")}`);
    expect(await Promise.all(words.map((data) => fixture.call("eth_call", { to: contract, data })))).toEqual(words);
  });

  it("estimates 21,000 gas for a transfer, and exactly enough for a call", async () => {
    const transfer = { from: ALICE.address, to: STRANGER.address, value: "0x1" };
    expect(await fixture.call("eth_estimateGas", transfer)).toBe("0x5208");
    const data = `0x${"07".padStart(64, "0")}`;
    const gas = await fixture.call<Hex>("eth_estimateGas", { from: ALICE.address, to: contract, data });
    expect(await fixture.call("eth_call", { to: contract, data, gas })).toBe(data);
    const { error } = await fixture.ask("eth_call", {
      to: contract,
      data,
      gas: `0x${(BigInt(gas) - 1n).toString(16)}`,
    });
    expect(error).toMatchObject({ code: -32_000, data: { code: "CALL_FAILED" } });
  });

  it("leaves room where a native module changes: others may come first, and make it dearer", async () => {
    const [operator] = fixture.chain.spec.validators.map((validator) => validator.operator);
    const data = encodeFunctionData({ abi: stakingAbi, functionName: "delegate", args: [operator as Hex] });
    const call = { from: BOB.address, to: STAKING_ADDRESS, value: quantity(OGPU), data };
    const gasLimit = BigInt(await fixture.call<Hex>("eth_estimateGas", call));
    const nonce = BigInt(await fixture.call<Hex>("eth_getTransactionCount", BOB.address));
    const delegation = { nonce, to: STAKING_ADDRESS, value: OGPU, data: hexToBytes(data), gasLimit };
    const hash = await fixture.include(fixture.alone.sign(BOB, delegation));
    const { status, gasUsed } = (await fixture.call("eth_getTransactionReceipt", hash)) as Record<string, Hex>;
    expect(status).toBe("0x1");
    expect(gasLimit).toBeGreaterThanOrEqual((3n * BigInt(gasUsed as Hex)) / 2n + 200_000n);
    // No more than the sender can pay, at twice today's price where none is named; what is needed in any case.
    const balance = BigInt(await fixture.call<Hex>("eth_getBalance", BOB.address)) - OGPU;
    const maxFeePerGas = quantity(balance / (BigInt(gasUsed as Hex) + 50_000n));
    const tight = BigInt(await fixture.call<Hex>("eth_estimateGas", { ...call, maxFeePerGas }));
    expect(tight).toBeLessThanOrEqual(BigInt(gasUsed as Hex) + 50_000n);
    expect(tight).toBeGreaterThan(BigInt(gasUsed as Hex) / 2n);
    // Reading changes nothing, and costs what it costs.
    const read = { from: BOB.address, ...token("cap") };
    const gas = BigInt(await fixture.call<Hex>("eth_estimateGas", read));
    expect((await fixture.ask("eth_call", { ...read, gas: quantity(gas - 1n) })).error?.code).toBe(-32_000);
  });

  it("estimates for contract creation and says why one would fail", async () => {
    const gas = BigInt(
      await fixture.call<Hex>("eth_estimateGas", { from: ALICE.address, data: bytesToHex(initCode(STORING)) }),
    );
    expect(gas).toBeGreaterThan(53_000n);
    const { error } = await fixture.ask("eth_estimateGas", { from: ALICE.address, data: "0xfe" });
    expect(error).toMatchObject({ code: -32_000, data: { code: "CALL_FAILED" } });
  });

  it("finds enough gas for a contract that hands on 63/64 of it", async () => {
    // MSTORE(0, 42), CALL(gas, contract, 0, 0, 32, 0, 0), ISZERO, then JUMPI to a revert at 0x2b, or STOP.
    const runtime = `602a6000526000600060206000600073${contract.slice(2)}5af115602b57005b60006000fd`;
    const code = initCode(runtime);
    const hash = await fixture.include(
      fixture.alone.sign(ALICE, { nonce: 2n, to: undefined, value: 0n, data: code, gasLimit: 500_000n }),
    );
    const outer = ((await fixture.call("eth_getTransactionReceipt", hash)) as Json)["contractAddress"];
    const gas = await fixture.call<Hex>("eth_estimateGas", { from: ALICE.address, to: outer });
    expect(await fixture.call("eth_call", { to: outer, gas })).toBe("0x");
  });
});

describe("fees", () => {
  it("suggests the next base fee and a tip", async () => {
    const price = BigInt(await fixture.call<Hex>("eth_gasPrice"));
    const tip = BigInt(await fixture.call<Hex>("eth_maxPriorityFeePerGas"));
    const history = (await fixture.call("eth_feeHistory", "0x1", "latest", [])) as { baseFeePerGas: Hex[] };
    expect(price - tip).toBe(BigInt(history.baseFeePerGas[1] as Hex));
  });

  it("tells the history of base fees, use and tips", async () => {
    const history = (await fixture.call("eth_feeHistory", "0x2", "0x1", [0, 50, 100])) as Json;
    expect(history).toEqual({
      oldestBlock: "0x0",
      baseFeePerGas: ["0x3b9aca00", `0x${(875_000_000n).toString(16)}`, expect.stringMatching(/^0x/)],
      gasUsedRatio: [0, 21_000 / 30_000_000],
      reward: [["0x0", "0x0", "0x0"], Array(3).fill(`0x${GWEI.toString(16)}`)],
    });
    const { error } = await fixture.ask("eth_feeHistory", "0x2", "0x1", [50, 0]);
    expect(error?.code).toBe(-32_602);
  });
});

describe("eth_getLogs", () => {
  const topic = `0x${"11".repeat(32)}`;

  it.each([
    ["no address but our own", { fromBlock: "earliest", address: () => [contract] }, 1],
    ["the address", { fromBlock: "0x0", toBlock: "latest", address: () => contract }, 1],
    ["one of several addresses", { fromBlock: "0x0", address: () => [ALICE.address, contract] }, 1],
    ["another address", { fromBlock: "0x0", address: ALICE.address }, 0],
    ["the topic", { fromBlock: "0x0", topics: [topic] }, 1],
    ["one of several topics", { fromBlock: "0x0", topics: [[`0x${"22".repeat(32)}`, topic]] }, 1],
    ["another topic", { fromBlock: "0x0", topics: [`0x${"22".repeat(32)}`] }, 0],
    ["any topic, then one that is not there", { fromBlock: "0x0", topics: [null, topic] }, 0],
    ["blocks before it", { fromBlock: "0x0", toBlock: "0x2", address: () => contract }, 0],
    ["the head alone, when no block is named", { address: () => contract }, 0],
    ["a range beyond the head", { fromBlock: "0x0", toBlock: "0xfffff", address: () => contract }, 1],
    ["a range wholly beyond the head", { fromBlock: "0xffff0", toBlock: "0xfffff" }, 0],
  ])("finds logs by %s", async (_what, filter, count) => {
    const { address } = filter as { address?: unknown };
    const asked = { ...filter, ...(typeof address === "function" && { address: address() }) };
    expect(await fixture.call("eth_getLogs", asked)).toHaveLength(count);
  });

  it("finds the logs of a block by its hash", async () => {
    const blockHash = bytesToHex(fixture.chain.header(3)?.hash ?? new Uint8Array());
    expect(await fixture.call("eth_getLogs", { blockHash, address: contract })).toHaveLength(1);
    const { error } = await fixture.ask("eth_getLogs", { blockHash, fromBlock: "0x0" });
    expect(error?.code).toBe(-32_602);
  });

  it("refuses a range turned round", async () => {
    const { error } = await fixture.ask("eth_getLogs", { fromBlock: "0x2", toBlock: "0x1" });
    expect(error?.code).toBe(-32_602);
  });

  it("has nothing yet for whoever polls from a block to come", async () => {
    for (const fromBlock of ["0xffff", `0x${"f".repeat(60)}`]) {
      expect(await fixture.call("eth_getLogs", { fromBlock })).toEqual([]);
      expect(await fixture.call("eth_getLogs", { fromBlock, toBlock: "latest" })).toEqual([]);
      expect(await fixture.call("eth_getLogs", { fromBlock, toBlock: fromBlock })).toEqual([]);
    }
  });
});

describe("a node without an archive", () => {
  it("refuses a state that it does not keep, and says how to get it", async () => {
    const plain = await RpcFixture.openForgetful(3);
    try {
      for (let nonce = 0n; nonce < 5n; nonce++) await plain.include(plain.alone.sign(ALICE, { nonce }));
      const { error } = await plain.ask("eth_getBalance", ALICE.address, "0x1");
      expect(error).toMatchObject({ code: -32_000, data: { code: "STORE_NO_ARCHIVE" } });
      expect(await plain.call("eth_getBlockByNumber", "0x1", false)).toMatchObject({ number: "0x1" });
    } finally {
      await plain.close();
    }
  });
});
