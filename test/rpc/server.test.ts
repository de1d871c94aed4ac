import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { Node } from "../../chain/runtime/node.ts";
import type { BlobsPort } from "../../rpc/blobs.ts";
import type { ChainView } from "../../rpc/chain-view.ts";
import { DEFAULT_LIMITS } from "../../rpc/limits.ts";
import { localJobRunner } from "../../rpc/local-jobs.ts";
import { type RpcServer, type RpcServerOptions, startRpcServer } from "../../rpc/server.ts";
import { SingleNode } from "../chain/runtime/support/single-node.ts";

const fixture = new SingleNode();
let chain: Node;
let server: RpcServer;

const start = (port: number, changes: Partial<RpcServerOptions> = {}): Promise<RpcServer> =>
  startRpcServer({
    chain,
    job: localJobRunner(changes.chain ?? chain, DEFAULT_LIMITS),
    host: "127.0.0.1",
    port,
    clientVersion: "ogpu/test",
    onBug: (_method, error) => fixture.failures.push(error),
    ...changes,
  });

beforeAll(async () => {
  chain = await fixture.open();
  server = await start(0);
});

afterAll(async () => {
  await server.close();
  await fixture.close();
  fixture.remove();
});

function post(
  body: string,
  headers: Readonly<Record<string, string>> = { "content-type": "application/json" },
): Promise<Response> {
  return fetch(server.url, { method: "POST", headers, body });
}

/** The node, with another way of finding states. */
function withStateAt(stateAt: Node["stateAt"]): ChainView {
  return new Proxy(chain, {
    get: (target, name) => {
      if (name === "stateAt") return stateAt;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const REQUEST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "web3_clientVersion" });

/** Takes a turn of the event loop, at least. */
const CALL = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_call", params: [{ data: "0x" }] });

describe("the RPC over HTTP", () => {
  it("answers JSON-RPC, also errors, with status 200 and JSON", async () => {
    const response = await post(REQUEST);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: "ogpu/test" });
    const garbage = await post("\u0000\u0001 not json");
    expect(garbage.status).toBe(200);
    expect(await garbage.json()).toMatchObject({ error: { code: -32_700 } });
  });

  it("answers any bytes with an error, and goes on", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
        const headers = { "content-type": "application/json" };
        const response = await fetch(server.url, { method: "POST", headers, body: Buffer.from(bytes) });
        expect(await response.json()).toMatchObject({ error: { code: expect.any(Number) } });
      }),
      { numRuns: 100 },
    );
    expect((await post(REQUEST)).status).toBe(200);
    expect(fixture.failures).toEqual([]);
  });

  it("answers 204 without a body to a notification", async () => {
    const response = await post(JSON.stringify({ jsonrpc: "2.0", method: "eth_chainId" }));
    expect([response.status, await response.text()]).toEqual([204, ""]);
  });

  it("accepts JSON with a charset and refuses other content types", async () => {
    expect((await post(REQUEST, { "content-type": "application/json; charset=utf-8" })).status).toBe(200);
    for (const older of ["application/json-rpc", "application/jsonrequest"]) {
      expect((await post(REQUEST, { "content-type": older })).status).toBe(200);
    }
    const response = await post(REQUEST, { "content-type": "text/plain" });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({
      error: { code: -32_600, message: expect.stringContaining("application/json") },
    });
  });

  it("refuses a body that is too large", async () => {
    const response = await post(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x", params: ["a".repeat(6_000_000)] }),
    );
    expect(response.status).toBe(413);
  });

  it("refuses other paths and methods", async () => {
    expect((await fetch(`${server.url}/admin`)).status).toBe(404);
    expect((await fetch(server.url, { method: "DELETE" })).status).toBe(404);
  });

  it("takes no notice of what a URL has after its path", async () => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${server.url}/?key=1`, { method: "POST", headers, body: REQUEST });
    expect(await response.json()).toMatchObject({ result: "ogpu/test" });
    expect((await fetch(`${server.url}/x?key=1`, { method: "POST", headers, body: REQUEST })).status).toBe(404);
    const socket = new WebSocket(`${server.url.replace("http", "ws")}/?key=1`);
    await once(socket, "open");
    socket.terminate();
  });

  it("lets web pages of other origins ask", async () => {
    const preflight = await fetch(server.url, { method: "OPTIONS" });
    expect(preflight.status).toBe(204);
    // Whatever a page's own libraries add, such as those that trace its requests.
    expect(preflight.headers.get("access-control-allow-headers")).toBe("*, authorization");
    expect((await post(REQUEST)).headers.get("access-control-allow-origin")).toBe("*");
  });

  it("shows people a page with the chain's height and how to connect", async () => {
    const page = await (await fetch(server.url)).text();
    for (const part of ["777001", "Height", "eth_blockNumber", server.url]) expect(page).toContain(part);
  });

  it("does not put what the caller calls the host into the page as markup", async () => {
    const other = await start(0, { access: { hosts: ["*"] } });
    const page = await new Promise<string>((resolve, reject) => {
      const headers = { host: 'x"><script>alert(1)</script>' };
      const sent = httpRequest(other.url, { headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("end", () => resolve(text));
      });
      sent.on("error", reject).end();
    });
    expect(page).not.toContain("<script>");
    expect(page).toContain("OpenGPU");
    await other.close();
  });

  it("keeps blobs from the pages that it keeps from everything else, and has browsers run none of them", async () => {
    const blobs: BlobsPort = {
      handle: (_request, response) => void response.writeHead(200, { "access-control-allow-origin": "*" }).end(),
      find: () => undefined,
      part: async () => undefined,
      close: async () => undefined,
    };
    const other = await start(0, { blobs, access: { cors: ["https://good.example"] } });
    const asks = (origin?: string, method = "GET"): Promise<Response> =>
      fetch(`${other.url}/blobs/0x12`, { method, headers: origin === undefined ? {} : { origin } });
    for (const method of ["OPTIONS", "GET", "PUT"]) {
      const refused = await asks("https://evil.example", method);
      expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([403, null]);
    }
    for (const origin of [undefined, "https://good.example", other.url]) {
      const answered = await asks(origin);
      expect([answered.status, answered.headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
    }
    await other.close();
  });

  it("says clearly that a port is taken", async () => {
    await expect(start(server.port)).rejects.toMatchObject({ code: "RPC_PORT_TAKEN" });
  });

  it("says clearly that the machine has no such address", async () => {
    await expect(start(0, { host: "198.51.100.77" })).rejects.toMatchObject({
      code: "RPC_CANNOT_LISTEN",
      message: expect.stringContaining("cannot listen on 198.51.100.77:0: "),
    });
  });

  it("tells the operator of a bug outside JSON-RPC too, and the caller only that there is one", async () => {
    const bugs: unknown[] = [];
    const broken = withStateAt(() => {
      throw new Error("secret path");
    });
    const other = await start(0, { chain: broken, onBug: (method, error) => bugs.push(method, error) });
    const response = await fetch(other.url);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32_603, message: "internal error" },
    });
    expect(bugs).toEqual(["GET /", new Error("secret path")]);
    await other.close();
  });
});

/** Calls of a contract that loops until its gas is gone: some milliseconds each. */
function heavyBatch(length: number): string {
  const params = [{ data: "0x5b600056", gas: "0x30000" }];
  return JSON.stringify(Array.from({ length }, (_, id) => ({ jsonrpc: "2.0", id, method: "eth_call", params })));
}

describe("the RPC under load", () => {
  it("answers a second client while a heavy batch is under way", async () => {
    const order: string[] = [];
    const batch = post(heavyBatch(150)).then(async (response) => {
      order.push("batch");
      return (await response.json()) as unknown[];
    });
    for (const name of ["first", "second"]) {
      await (await post(REQUEST)).json();
      order.push(name);
    }
    expect(await batch).toHaveLength(150);
    expect(order).toEqual(["first", "second", "batch"]);
  });

  it("stops working for a client that has hung up", async () => {
    let calls = 0;
    const counted = withStateAt((number) => {
      calls++;
      return chain.stateAt(number);
    });
    const other = await start(0, { chain: counted });
    const ask = async (): Promise<unknown> => (await fetch(other.url, { method: "OPTIONS" })).status;
    const headers = { "content-type": "application/json" };
    const sent = httpRequest(other.url, { method: "POST", headers });
    sent.on("error", () => undefined).end(heavyBatch(400));
    while (calls === 0) await ask();
    sent.destroy();
    let before = -1;
    while (before !== calls) {
      before = calls;
      for (let i = 0; i < 10; i++) await ask();
    }
    expect(calls).toBeLessThan(400);
    await other.close();
  });

  it("counts requests that one connection sends without waiting, and refuses those above its limit", async () => {
    const other = await start(0, { limits: { requestsUnderWay: 2 } });
    const head = [
      "POST / HTTP/1.1",
      "host: localhost",
      "content-type: application/json",
      `content-length: ${CALL.length}`,
    ];
    const request = [...head, "", CALL].join("\r\n");
    const last = [...head, "connection: close", "", CALL].join("\r\n");
    const pipelined = [request, request, request, request, last].join("");
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(other.port, "127.0.0.1", () => socket.write(pipelined));
      let received = "";
      socket.setEncoding("utf8").on("data", (part: string) => {
        received += part;
      });
      socket.on("error", reject).on("end", () => resolve(received));
    });
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(["200", "200", "503", "503", "503"]);
    expect(text).toContain("RPC_BUSY");
    const later = await fetch(other.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: REQUEST,
    });
    expect(later.status).toBe(200);
    await other.close();
  });

  it("has room again after clients that hung up without reading", async () => {
    const other = await start(0, { limits: { requestsUnderWay: 2 } });
    const headers = { "content-type": "application/json" };
    const status = async (): Promise<number> =>
      (await fetch(other.url, { method: "POST", headers, body: REQUEST })).status;
    for (let i = 0; i < 5; i++) {
      const sent = httpRequest(other.url, { method: "POST", headers });
      sent.on("error", () => undefined).end(heavyBatch(20));
      await new Promise((resolve) => sent.on("finish", resolve));
      sent.destroy();
    }
    let last = 0;
    while (last !== 200) last = await status();
    expect(await Promise.all([status(), status()])).toEqual([200, 200]);
    await other.close();
  });
});
