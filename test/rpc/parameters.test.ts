import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { JsonRpc } from "../../rpc/json-rpc.ts";
import { DEFAULT_LIMITS, MAX_POOL_CONTENT, MAX_POOL_CONTENT_BYTES } from "../../rpc/limits.ts";
import { METHODS } from "../../rpc/methods.ts";
import { SyncWaits } from "../../rpc/sync-waits.ts";
import { ALICE, BOB } from "../chain/runtime/support/single-node.ts";
import { nodeContext, PATIENT, RpcFixture } from "./support/rpc-fixture.ts";

let fixture: RpcFixture;
beforeAll(async () => {
  fixture = await RpcFixture.open();
});
afterAll(() => fixture.close());

const HASH = `0x${"ab".repeat(32)}`;

describe("wrong parameters are refused with -32602 and the name of the parameter", () => {
  it.each([
    ["eth_getBalance", [], "parameter 1 (address)"],
    ["eth_getBalance", ["0x12"], "parameter 1 (address)"],
    ["eth_getBalance", [ALICE.address, "newest"], "parameter 2 (block)"],
    ["eth_getBalance", [ALICE.address, { blockNumber: "0x0", number: 1 }], "parameter 2 (block) has no member number"],
    ["eth_getBalance", [ALICE.address, { blockHash: HASH, blockNumber: "0x0" }], "both blockHash and blockNumber"],
    ["eth_getBalance", [ALICE.address, "latest", 1], "takes at most 2 parameters"],
    ["eth_call", [{ to: BOB.address, accessList: [{ colour: "red" }] }], "accessList[0] has no member colour"],
    ["eth_call", [{ to: BOB.address, gas: "0x01" }], "parameter 1 (transaction).gas"],
    ["eth_call", [{ to: BOB.address, gasPrice: "0x1", maxFeePerGas: "0x1" }], "both gasPrice and"],
    ["eth_call", [{ to: BOB.address, data: "0x01", input: "0x02" }], "both data and input"],
    ["eth_call", [{ to: BOB.address, blobVersionedHashes: [HASH] }], "blobVersionedHashes"],
    ["eth_call", [{ to: BOB.address, accessList: [{ storageKeys: [] }] }], "accessList[0].address is missing"],
    ["eth_call", [{ to: BOB.address, type: "0x3" }], "type must be"],
    ["eth_call", [{}, "latest", { [BOB.address]: { money: "0x1" } }], "has no member money"],
    ["eth_getLogs", [{ address: "0x1" }], "parameter 1 (filter).address"],
    ["eth_getLogs", [{ topics: ["0x1"] }], "parameter 1 (filter).topics[0]"],
    ["eth_getLogs", [{ from: "0x1" }], "parameter 1 (filter) has no member from"],
    ["eth_feeHistory", ["0x1", "latest", [101]], "parameter 3 (percentiles)[0]"],
    ["eth_getStorageValues", [{}], "names no slot"],
    ["debug_traceTransaction", [HASH, { tracer: 1 }], "parameter 2 (options).tracer"],
    ["debug_traceTransaction", [HASH, { colour: 1 }], "has no member colour"],
    ["ogpu_getValidators", [-1], "parameter 1 (epoch)"],
    ["web3_sha3", ["0x1"], "parameter 1 (data)"],
  ])("%s %j", async (method, params, words) => {
    const { error } = await fixture.ask(method, ...params);
    expect(error?.code).toBe(-32_602);
    expect(error?.message).toContain(words);
  });
});

it("takes addresses in any case, whether or not the capitals are a checksum", async () => {
  const balance = await fixture.call("eth_getBalance", BOB.address);
  expect(balance).not.toBe("0x0");
  const digits = [...BOB.address.slice(2)];
  const odd = `0x${digits.map((digit, index) => (index % 2 === 0 ? digit.toUpperCase() : digit)).join("")}`;
  for (const text of [`0x${digits.join("").toUpperCase()}`, odd]) {
    expect(await fixture.call("eth_getBalance", text)).toBe(balance);
  }
  const call = { to: BOB.address, value: balance, from: odd };
  expect(await fixture.call("eth_estimateGas", call)).toBe("0x5208");
});

describe("refusals in the words that clients match on", () => {
  const send = async (raw: Uint8Array): Promise<string> => {
    const { error } = await fixture.ask("eth_sendRawTransaction", bytesToHex(raw));
    expect(error?.code).toBe(-32_000);
    return error?.message ?? "";
  };

  it.each([
    ["exceeds block gas limit", { gasLimit: 16_000_000n }, 30_000_000n],
    ["max priority fee per gas higher than max fee per gas", { maxPriorityFeePerGas: 10n ** 12n }, undefined],
    ["nonce too high", { nonce: 1_000_000n }, undefined],
    ["insufficient funds for gas * price + value", { value: 10n ** 30n }, undefined],
  ] as const)("%s", async (words, fields, blockGas) => {
    if (blockGas !== undefined) {
      const small = { ...fixture.alone.spec, block: { ...fixture.alone.spec.block, gasLimit: 1_000_000n } };
      const other = await RpcFixture.open(false, small);
      const { error } = await other.ask("eth_sendRawTransaction", bytesToHex(other.alone.sign(ALICE, fields)));
      await other.close();
      expect(error?.message).toContain(words);
      return;
    }
    expect(await send(fixture.alone.sign(ALICE, fields))).toContain(words);
  });

  it("replacement transaction underpriced", async () => {
    await fixture.call("eth_sendRawTransaction", bytesToHex(fixture.alone.sign(BOB, { nonce: 3n })));
    expect(await send(fixture.alone.sign(BOB, { nonce: 3n, value: 1n }))).toContain(
      "replacement transaction underpriced",
    );
  });
});

describe("eth_sendRawTransactionSync", () => {
  it("answers with the receipt once the block is final", async () => {
    const raw = bytesToHex(fixture.alone.sign(ALICE));
    const answer = fixture.call("eth_sendRawTransactionSync", raw, 30_000);
    await fixture.alone.nextBlock(fixture.chain);
    expect(await answer).toMatchObject({ status: "0x1", from: ALICE.address });
  });

  it("waits for as long as usual when it is given no time, and refuses what is no number", async () => {
    const raw = bytesToHex(fixture.alone.sign(ALICE));
    for (const timeout of [0, -1, "0x0", null]) {
      const next = bytesToHex(fixture.alone.sign(ALICE, { nonce: fixture.chain.nextNonce(ALICE.address) }));
      const receipt = fixture.call("eth_sendRawTransactionSync", next, timeout);
      await fixture.alone.nextBlock(fixture.chain);
      expect(await receipt, String(timeout)).toMatchObject({ status: "0x1" });
    }
    for (const timeout of [1.5, "soon", {}]) {
      expect((await fixture.ask("eth_sendRawTransactionSync", raw, timeout)).error?.code).toBe(-32_602);
    }
  });

  it("gives up in time, and says which transaction it has taken", async () => {
    const raw = bytesToHex(fixture.alone.sign(ALICE, { nonce: 19n }));
    const { error } = await fixture.ask("eth_sendRawTransactionSync", raw, "0x1");
    expect(error).toMatchObject({ code: 4, data: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    expect(await fixture.call("eth_getTransactionByHash", error?.data as Hex)).not.toBeNull();
  });
});

describe("waiting for receipts", () => {
  it("looks for the transaction when there is a new block, and not all the time", async () => {
    let looks = 0;
    const chain = new Proxy(fixture.chain, {
      get: (target, name) => {
        if (name === "locate") looks++;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const rpc = new JsonRpc({ methods: METHODS, node: nodeContext(chain), onBug: () => undefined });
    const params = [bytesToHex(fixture.alone.sign(ALICE, { nonce: 10n })), 300];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_sendRawTransactionSync", params });
    expect(await rpc.answer(body, PATIENT)).toContain("was not processed in 300 ms");
    expect(looks).toBe(1);
  });

  it("is for so many at a time, and for a part of them from one address", async () => {
    const waits = new SyncWaits({ waits: 8, share: 1 / 4 });
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const from = (address: string): Promise<void> => waits.during(address, () => ended);
    const first = [from("192.0.2.1"), from("192.0.2.1")];
    await expect(from("192.0.2.1")).rejects.toMatchObject({ code: "RPC_BUSY" });
    const others = Array.from({ length: 6 }, () => from("127.0.0.1"));
    await expect(from("127.0.0.1")).rejects.toMatchObject({ code: "RPC_BUSY" });
    end();
    await Promise.all([...first, ...others]);
    await from("192.0.2.1");
  });
});

describe("txpool_", () => {
  it("shows no more than an answer holds: whoever fills the pool must not be able to fill the RPC's memory by it", async () => {
    const plain = await RpcFixture.open();
    try {
      const raws = [0n, 1n, 2n].map((nonce) => plain.alone.sign(BOB, { nonce, value: nonce }));
      for (const raw of raws) await plain.call("eth_sendRawTransaction", bytesToHex(raw));
      const bytes = (raws[0] as Uint8Array).length + (raws[1] as Uint8Array).length;
      expect(plain.chain.waitingContent({ limit: 10, bytes }).transactions).toHaveLength(2);
      expect(plain.chain.waitingContent({ limit: 10, bytes: bytes - 1 }).transactions).toHaveLength(1);
      expect(2 * MAX_POOL_CONTENT_BYTES + 600 * MAX_POOL_CONTENT).toBeLessThan(DEFAULT_LIMITS.answerBytes);
    } finally {
      await plain.close();
    }
  });

  it("tells what can be included from what misses a nonce", async () => {
    const plain = await RpcFixture.open();
    try {
      for (const nonce of [0n, 1n, 3n]) {
        await plain.call("eth_sendRawTransaction", bytesToHex(plain.alone.sign(BOB, { nonce })));
      }
      expect(await plain.call("txpool_status")).toEqual({ pending: "0x2", queued: "0x1" });
      const content = (await plain.call("txpool_contentFrom", BOB.address)) as Record<string, object>;
      expect(Object.keys(content["pending"] ?? {})).toEqual(["0", "1"]);
      expect(Object.keys(content["queued"] ?? {})).toEqual(["3"]);
      expect(await plain.call("txpool_content")).toEqual({
        pending: { [BOB.address]: content["pending"] },
        queued: { [BOB.address]: content["queued"] },
      });
      expect(await plain.call("txpool_contentFrom", ALICE.address)).toEqual({ pending: {}, queued: {} });
    } finally {
      await plain.close();
    }
  });
});
