import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { OGPU } from "../../../base/units.ts";
import { DEFAULT_ACCESS } from "../../../rpc/access.ts";
import { testAccount } from "../../../rpc/development/test-accounts.ts";
import { DEFAULT_LIMITS } from "../../../rpc/limits.ts";
import { RpcHost } from "../../../rpc/thread/rpc-host.ts";
import { ALICE, BOB, STRANGER } from "../../chain/runtime/support/single-node.ts";
import { until } from "../../processes/support/until.ts";
import { HostedNode } from "../support/hosted-node.ts";

let hosted: HostedNode;

beforeAll(async () => {
  hosted = await HostedNode.open({ limits: { callMilliseconds: 2_000 }, development: true });
});

afterAll(() => hosted.close());

/** Jumps to its own beginning until its gas is gone. */
const ENDLESS = "0x5b600056";

describe("the RPC on a thread of its own", () => {
  it("takes transactions to the node, and shows the block that they are in", async () => {
    const nonce = await hosted.call("eth_getTransactionCount", ALICE.address, "pending");
    const hash = await hosted.include(hosted.alone.sign(ALICE, { nonce: BigInt(nonce as string), value: OGPU }));
    const receipt = await hosted.call<{ status: string; blockNumber: string }>("eth_getTransactionReceipt", hash);
    expect([receipt.status, Number(receipt.blockNumber)]).toEqual(["0x1", hosted.node.head.number]);
    const balance = await hosted.call<string>("eth_getBalance", BOB.address);
    expect(BigInt(balance)).toBe(1001n * OGPU);
  });

  it("asks the node about what waits, and passes its refusals on with their codes", async () => {
    const raw = hosted.alone.sign(ALICE, { nonce: 5n });
    const hash = await hosted.call<string>("eth_sendRawTransaction", `0x${Buffer.from(raw).toString("hex")}`);
    const waiting = await hosted.call<{ nonce: string; blockHash: null }>("eth_getTransactionByHash", hash);
    expect([waiting.nonce, waiting.blockHash]).toEqual(["0x5", null]);
    const again = await hosted.ask("eth_sendRawTransaction", `0x${Buffer.from(raw).toString("hex")}`);
    expect(again.error).toMatchObject({
      message: expect.stringMatching(/^already known/),
      data: { code: "MEMPOOL_KNOWN" },
    });
    const poor = await hosted.ask(
      "eth_sendRawTransaction",
      `0x${Buffer.from(hosted.alone.sign(STRANGER)).toString("hex")}`,
    );
    expect(poor.error?.message).toMatch(/^insufficient funds/);
  });

  it("runs calls on yet another thread, with their results and their errors", async () => {
    // PUSH1 2a, PUSH1 0, MSTORE, PUSH1 20, PUSH1 0, RETURN; then PUSH1 0, DUP1, REVERT.
    expect(await hosted.call("eth_call", { data: "0x602a60005260206000f3" })).toBe(`0x${"2a".padStart(64, "0")}`);
    expect((await hosted.ask("eth_call", { data: "0x600080fd" })).error).toMatchObject({ code: 3 });
    expect(await hosted.call("eth_estimateGas", { to: BOB.address })).toBe("0x5208");
  });

  it("answers batches of reads, on as many threads as there are, each with the last block", async () => {
    const methods = ["eth_getBalance", "eth_blockNumber", "eth_chainId"] as const;
    const batch = Array.from({ length: 99 }, (_, id) => {
      const params = id % 3 === 0 ? [BOB.address, "latest"] : [];
      return { jsonrpc: "2.0", id, method: methods[id % 3], params };
    });
    for (let round = 0; round < 3; round++) {
      const nonce = BigInt((await hosted.call<string>("eth_getTransactionCount", ALICE.address, "latest")) as string);
      if (nonce < 5n) await hosted.include(hosted.alone.sign(ALICE, { nonce, value: OGPU }));
      const balance = await hosted.call("eth_getBalance", BOB.address);
      const results = [balance, `0x${hosted.node.head.number.toString(16)}`, "0xbdb29"];
      const wanted = batch.map(({ id }) => ({ jsonrpc: "2.0", id, result: results[id % 3] }));
      const answers = await Promise.all(Array.from({ length: 20 }, () => hosted.post(batch)));
      for (const answer of answers) expect(answer).toEqual(wanted);
    }
    const metrics = await (await fetch(`${hosted.host.url}/metrics`)).text();
    expect(metrics).toContain('ogpu_rpc_requests_total{method="eth_chainId",outcome="ok"} 1980');
    expect(metrics).toMatch(/^ogpu_rpc_call_workers [1-9]/m);
  });

  it("answers monitoring from the node's own thread", async () => {
    const ready = await fetch(`${hosted.host.url}/ready`);
    expect(await ready.json()).toEqual({ ready: true, height: hosted.node.head.number });
    const metrics = await (await fetch(`${hosted.host.url}/metrics`)).text();
    for (const line of ["of_the_node 1", 'ogpu_rpc_requests_total{method="eth_call",outcome="ok"}'])
      expect(metrics).toContain(line);
  });

  it("is started again when it dies, on the same port, and the node goes on", async () => {
    const { url } = hosted.host;
    await hosted.host.crash();
    const number = await hosted.makeBlock();
    for (;;) {
      const height = await hosted.call("eth_blockNumber").catch(() => undefined);
      if (height !== undefined) {
        expect([hosted.host.url, Number(height)]).toEqual([url, number]);
        break;
      }
    }
    expect(hosted.log).toEqual(["the RPC's thread died; it is started again", "the RPC answers again"]);
    const next = await hosted.makeBlock();
    while (Number(await hosted.call("eth_blockNumber")) < next);
  });
});

describe("a call that takes too long", () => {
  it("is stopped with an error, and the calls behind it are answered", async () => {
    const heavy = { data: ENDLESS, gas: "0xffffff" };
    const light = { data: "0x602a60005260206000f3" };
    const batch = [heavy, light, light].map((params, id) => ({
      jsonrpc: "2.0",
      id,
      method: "eth_call",
      params: [params],
    }));
    const slow = hosted.post(batch);
    // Blocks go on meanwhile.
    const before = hosted.node.head.number;
    for (let i = 0; i < 3; i++) await hosted.makeBlock();
    expect(hosted.node.head.number).toBe(before + 3);
    const answers = (await slow) as { id: number; result?: string; error?: { data?: { code?: string } } }[];
    expect(answers.map(({ error, result }) => error?.data?.code ?? result?.slice(-2))).toEqual([
      expect.stringMatching(/CALL_TIMEOUT|CALL_FAILED/),
      "2a",
      "2a",
    ]);
  });
});

/** Each type has the next one twice, by one name: hashing the message takes two to the power of their number. */
function endlessTypedData(depth: number): object {
  const types: Record<string, readonly object[]> = { [`T${depth}`]: [{ name: "text", type: "string" }] };
  let message: object = { text: "hello" };
  for (let index = depth - 1; index >= 0; index--) {
    const next = { name: "next", type: `T${index + 1}` };
    types[`T${index}`] = [next, next];
    message = { next: message };
  }
  return { domain: {}, types, primaryType: "T0", message };
}

describe("typed data that takes for ever to hash", () => {
  it("keeps nobody waiting, and is given up in time", async () => {
    const account = testAccount(0).address;
    const endless = hosted.ask("eth_signTypedData_v4", account, endlessTypedData(60));
    expect(await hosted.call("eth_blockNumber")).toMatch(/^0x/);
    expect((await endless).error).toMatchObject({ data: { code: "CALL_TIMEOUT" } });
    expect(await hosted.call("eth_signTypedData_v4", account, endlessTypedData(1))).toMatch(/^0x[0-9a-f]{130}$/);
  });
});

describe("an RPC that is stopped", () => {
  it("answers what is under way, over HTTP and WebSocket, and takes nothing more", async () => {
    const stopped = await HostedNode.open({ limits: { callMilliseconds: 2_000 }, development: true });
    await stopped.call("eth_call", { data: "0x" });
    // Only time ends it: however fast the machine is, it is under way when the RPC is stopped.
    const heavy = [testAccount(0).address, endlessTypedData(60)] as const;
    const socket = new WebSocket(stopped.host.url.replace("http", "ws"));
    await once(socket, "open");
    const told = once(socket, "message");
    const closed = once(socket, "close");
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "eth_signTypedData_v4", params: heavy }));
    const answer = stopped.ask("eth_signTypedData_v4", ...heavy);
    // The node knows of both when it shows them.
    await until("two calls are under way", async () => {
      const metrics = await (await fetch(`${stopped.host.url}/metrics`)).text();
      return /^ogpu_rpc_requests_under_way 2$/m.test(metrics) || undefined;
    });
    await stopped.host.close();
    expect((await answer).error).toMatchObject({ data: { code: "CALL_TIMEOUT" } });
    expect(JSON.parse(String((await told)[0]))).toMatchObject({ id: 2, error: { data: { code: "CALL_TIMEOUT" } } });
    expect((await closed)[0]).toBe(1001);
    await expect(stopped.ask("eth_chainId")).rejects.toThrow();
    await stopped.close();
  });
});

describe("an RPC that cannot start", () => {
  it("says why, and leaves no thread behind", async () => {
    const threads = (): number => process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;
    const before = threads();
    const { alone, node, host } = hosted;
    const second = RpcHost.start({
      settings: {
        ...{ spec: alone.spec, directory: join(alone.directory, "chain"), limits: DEFAULT_LIMITS },
        ...{ access: DEFAULT_ACCESS, host: "127.0.0.1", port: host.port, clientVersion: "ogpu/test" },
      },
      node,
      monitoring: { readiness: () => ({ ready: true }), metrics: async () => ({ contentType: "", text: "" }) },
      log: { error: () => undefined, info: () => undefined },
    });
    await expect(second).rejects.toMatchObject({ code: "RPC_PORT_TAKEN" });
    while (threads() > before) await new Promise((resolve) => setImmediate(resolve));
  });
});

describe("an archive behind the RPC", () => {
  it("answers for past states, also in calls", async () => {
    const archive = await HostedNode.open({ archive: true });
    for (let nonce = 0n; nonce < 3n; nonce++) await archive.include(archive.alone.sign(ALICE, { nonce, value: OGPU }));
    const balances: bigint[] = [];
    for (const block of ["0x0", "0x1", "0x2", "latest"]) {
      balances.push(BigInt(await archive.call<string>("eth_getBalance", BOB.address, block)));
    }
    expect(balances).toEqual([1000n, 1001n, 1002n, 1003n].map((amount) => amount * OGPU));
    // PUSH20 bob, BALANCE, PUSH1 0, MSTORE, PUSH1 20, PUSH1 0, RETURN.
    const data = `0x73${BOB.address.slice(2)}3160005260206000f3`;
    expect(BigInt(await archive.call<string>("eth_call", { data }, "0x1"))).toBe(1001n * OGPU);
    await archive.close();
  });
});
