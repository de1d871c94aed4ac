import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { Access } from "../../rpc/access.ts";
import { Addresses } from "../../rpc/addresses.ts";
import { DEFAULT_LIMITS, LIMITS, limitsFrom, type RpcLimits } from "../../rpc/limits.ts";
import { localJobRunner } from "../../rpc/local-jobs.ts";
import { METHODS, methodsFor } from "../../rpc/methods.ts";
import { type RpcServer, type RpcServerOptions, startRpcServer } from "../../rpc/server.ts";
import { SingleNode } from "../chain/runtime/support/single-node.ts";

describe("the limits of the RPC", () => {
  it("are read by name, within bounds", () => {
    expect(limitsFrom(["connections=7", "logs=9"])).toMatchObject({
      connections: 7,
      logs: 9,
      filters: LIMITS.filters.value,
    });
    for (const text of ["connections", "connections=", "conections=5", "connections=0", "connections=1e9", "x=1=2"]) {
      expect(() => limitsFrom([text])).toThrow(expect.objectContaining({ code: "RPC_LIMIT_INVALID" }));
    }
  });

  it("are all in docs/rpc.md, with the values that hold where nothing is said", () => {
    const text = readFileSync(new URL("../../docs/rpc.md", import.meta.url), "utf8");
    for (const [name, { value, means }] of Object.entries(LIMITS)) {
      expect(text).toContain(`| \`${name}\` | ${value} | ${means} |`);
    }
  });
});

describe("addresses", () => {
  it("have so many connections, and again when one is closed; loopback is not counted", () => {
    const addresses = new Addresses({ connectionsPerAddress: 2, requestsPerSecond: 1 });
    expect([1, 2, 3].map(() => addresses.connect("10.0.0.1"))).toEqual([true, true, false]);
    expect(addresses.connect("10.0.0.2")).toBe(true);
    addresses.disconnect("10.0.0.1");
    expect(addresses.connect("10.0.0.1")).toBe(true);
    for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
      expect([1, 2, 3].map(() => addresses.connect(address))).toEqual([true, true, true]);
    }
  });

  it("have so many requests per second, each of a batch counted, and a batch larger than that when they have waited", () => {
    let now = 0;
    const addresses = new Addresses({ connectionsPerAddress: 1, requestsPerSecond: 10 }, () => now);
    expect([addresses.charge("a", 9), addresses.charge("a", 2), addresses.charge("a", 1)]).toEqual([true, false, true]);
    now += 500;
    expect([addresses.charge("a", 5), addresses.charge("a", 1)]).toEqual([true, false]);
    now += 10_000;
    expect(addresses.charge("a", 25)).toBe(true);
    now += 1_500;
    expect(addresses.charge("a", 1)).toBe(false);
    now += 1_100;
    expect(addresses.charge("a", 1)).toBe(true);
    expect(addresses.charge("127.0.0.1", 1_000_000)).toBe(true);
  });
});

describe("access", () => {
  it("is under localhost, addresses and the names that are listed", () => {
    const access = new Access({ cors: [], hosts: ["Rpc.Example.org"], methods: [] });
    const allowed = ["localhost", "localhost:8545", "127.0.0.1:1", "[::1]:8545", "rpc.example.org:443", undefined];
    expect(allowed.map((host) => access.isHostAllowed(host))).toEqual(allowed.map(() => true));
    const refused = ["evil.example", "localhost.evil.example:8545", "127.0.0.1.evil.example", ""];
    expect(refused.map((host) => access.isHostAllowed(host))).toEqual(refused.map(() => false));
  });

  it("is for the origins that are listed, and for programs that have none", () => {
    const access = new Access({ cors: ["https://a.example"], hosts: [], methods: [] });
    expect([access.isOriginAllowed("https://a.example"), access.isOriginAllowed("https://b.example")]).toEqual([
      true,
      false,
    ]);
    expect([access.isOriginAllowed(undefined), access.allowedOrigin(undefined)]).toEqual([true, undefined]);
  });

  it("is to the methods that are listed, without those that are taken away", () => {
    const names = (lists: readonly string[]): readonly string[] =>
      methodsFor(lists, { development: true }).map(({ name }) => name);
    expect(names([])).toHaveLength(METHODS.length);
    expect(names(["net_*", "eth_chainId"])).toEqual(expect.arrayContaining(["net_version", "eth_chainId"]));
    expect(names(["eth_*", "-eth_get*"]).every((name) => name.startsWith("eth_") && !name.startsWith("eth_get"))).toBe(
      true,
    );
    expect(names(["-eth_call"])).toHaveLength(METHODS.length - 1);
  });
});

describe("a server within limits", () => {
  const fixture = new SingleNode();
  const opened: RpcServer[] = [];
  let options: RpcServerOptions;

  beforeAll(async () => {
    const chain = await fixture.open();
    options = {
      ...{ chain, host: "127.0.0.1", port: 0, clientVersion: "ogpu/test" },
      job: localJobRunner(chain, DEFAULT_LIMITS),
      onBug: (_method, error) => fixture.failures.push(error),
    };
  });

  afterAll(async () => {
    await Promise.all(opened.map((server) => server.close()));
    await fixture.close();
    fixture.remove();
    expect(fixture.failures).toEqual([]);
  });

  async function start(limits: Partial<RpcLimits>, changes: Partial<RpcServerOptions> = {}): Promise<RpcServer> {
    const server = await startRpcServer({ ...options, limits, ...changes });
    opened.push(server);
    return server;
  }

  const request = (method: string, ...params: readonly unknown[]): object => ({
    jsonrpc: "2.0",
    id: 1,
    method,
    params,
  });

  async function post(server: RpcServer, body: unknown): Promise<{ status: number; json: unknown }> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(server.url, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.status, json: await response.json() };
  }

  it("refuses a body that is too large, whether it says so or not", async () => {
    const server = await start({ bodyBytes: 1_024 });
    const large = { ...request("web3_clientVersion"), padding: "x".repeat(2_000) };
    expect((await post(server, large)).status).toBe(413);
    const status = await new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
      const sent = httpRequest(server.url, { method: "POST", headers }, (response) => resolve(response.statusCode));
      sent.on("error", reject);
      for (let i = 0; i < 4; i++) sent.write(" ".repeat(500));
      sent.end("{}");
    });
    expect(status).toBe(413);
  });

  it("refuses a batch that is too long, and an answer that is too large", async () => {
    const server = await start({ batchRequests: 2, answerBytes: 1_024 });
    const one = request("web3_clientVersion");
    expect((await post(server, [one, one, one])).json).toMatchObject({ error: { code: -32_600 } });
    expect((await post(server, request("eth_getBlockByNumber", "0x0", false))).json).toMatchObject({
      error: { data: { code: "RESPONSE_TOO_LARGE" } },
    });
  });

  it("gives a call no more gas than it may have", async () => {
    const limits = { ...DEFAULT_LIMITS, callGas: 60_000 };
    const server = await start(limits, { job: localJobRunner(options.chain, limits) });
    // GAS, PUSH1 0, MSTORE, PUSH1 20, PUSH1 0, RETURN.
    const { json } = await post(server, request("eth_call", { data: "0x5a60005260206000f3", gas: "0xffffff" }));
    expect(Number((json as { result: string }).result)).toBeLessThan(60_000);
  });

  it("refuses a range of logs that is too wide", async () => {
    const server = await start({ logBlocks: 0 });
    expect((await post(server, request("eth_getLogs", { fromBlock: "0x0" }))).json).toMatchObject({
      error: { data: { code: "LOG_RANGE_TOO_LONG" } },
    });
  });

  it("closes connections that are too many", async () => {
    const server = await start({ connections: 2 });
    const sockets = [1, 2].map(() => connect(server.port, "127.0.0.1"));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
    // What the server has accepted, it answers.
    for (const socket of sockets) {
      socket.write("OPTIONS / HTTP/1.1\r\nhost: localhost\r\n\r\n");
      await new Promise((resolve) => socket.once("data", resolve));
    }
    const third = connect(server.port, "127.0.0.1");
    await new Promise((resolve) => third.on("error", () => undefined).once("close", resolve));
    for (const socket of sockets) socket.destroy();
  });

  it("answers under no foreign name, and to no foreign page where pages are listed", async () => {
    const server = await start({}, { access: { cors: ["https://a.example"] } });
    const foreign = await new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", host: "evil.example" };
      httpRequest(server.url, { method: "POST", headers }, (response) => resolve(response.statusCode))
        .on("error", reject)
        .end(JSON.stringify(request("eth_chainId")));
    });
    expect(foreign).toBe(403);
    const headers = (origin: string): Record<string, string> => ({ "content-type": "application/json", origin });
    const allowOrigin = async (origin: string): Promise<string | null> => {
      const body = JSON.stringify(request("eth_chainId"));
      const response = await fetch(server.url, { method: "POST", headers: headers(origin), body });
      return response.headers.get("access-control-allow-origin");
    };
    expect([await allowOrigin("https://a.example"), await allowOrigin("https://b.example")]).toEqual([
      "https://a.example",
      null,
    ]);
    const socket = new WebSocket(server.url.replace("http", "ws"), { origin: "https://b.example" });
    const refusal = await new Promise<Error>((resolve) => socket.once("error", resolve));
    expect(refusal.message).toContain("403");
  });

  it("does not know the methods that are taken away", async () => {
    const server = await start({}, { access: { methods: ["eth_*", "rpc.discover", "-eth_call"] } });
    expect((await post(server, request("eth_chainId"))).json).toHaveProperty("result");
    for (const method of ["eth_call", "net_version"]) {
      expect((await post(server, request(method))).json).toMatchObject({ error: { code: -32_601 } });
    }
    const document = (await post(server, request("rpc.discover"))).json as { result: { methods: { name: string }[] } };
    const names = document.result.methods.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["eth_chainId", "rpc.discover"]));
    expect(names.filter((name) => name === "eth_call" || name.startsWith("net_"))).toEqual([]);
  });

  it("has admin methods under no name", async () => {
    const server = await start({});
    for (const method of ["admin_peers", "admin_addPeer", "admin_nodeInfo", "admin_logLevel"]) {
      expect((await post(server, request(method))).json).toMatchObject({ error: { code: -32_601 } });
    }
  });
});
