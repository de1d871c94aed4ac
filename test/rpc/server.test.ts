import { request as httpRequest } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SoloChain } from "../../chain/solo/solo-chain.ts";
import { type RpcServer, startRpcServer } from "../../rpc/server.ts";
import { SoloFixture } from "../chain/solo/support/solo-fixture.ts";

const fixture = new SoloFixture();
let chain: SoloChain;
let server: RpcServer;

const start = (port: number): Promise<RpcServer> =>
  startRpcServer({
    chain,
    host: "127.0.0.1",
    port,
    clientVersion: "ogpu/test",
    onBug: (_method, error) => fixture.failures.push(error),
  });

beforeAll(async () => {
  chain = await fixture.open();
  server = await start(0);
});

afterAll(async () => {
  await server.close();
  await chain.close();
  fixture.remove();
});

function post(
  body: string,
  headers: Readonly<Record<string, string>> = { "content-type": "application/json" },
): Promise<Response> {
  return fetch(server.url, { method: "POST", headers, body });
}

const REQUEST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "web3_clientVersion" });

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

  it("lets web pages of other origins ask", async () => {
    const preflight = await fetch(server.url, { method: "OPTIONS" });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("content-type");
    expect((await post(REQUEST)).headers.get("access-control-allow-origin")).toBe("*");
  });

  it("shows people a page with the chain's height and how to connect", async () => {
    const page = await (await fetch(server.url)).text();
    for (const part of ["777001", "Height", "eth_blockNumber", server.url]) expect(page).toContain(part);
  });

  it("does not put what the caller calls the host into the page as markup", async () => {
    const page = await new Promise<string>((resolve, reject) => {
      const headers = { host: 'x"><script>alert(1)</script>' };
      const sent = httpRequest(server.url, { headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("end", () => resolve(text));
      });
      sent.on("error", reject).end();
    });
    expect(page).not.toContain("<script>");
  });

  it("says clearly that a port is taken", async () => {
    await expect(start(server.port)).rejects.toMatchObject({ code: "RPC_PORT_TAKEN" });
  });
});
