import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMetrics } from "../../chain/observe/metrics.ts";
import { DEFAULT_LIMITS } from "../../rpc/limits.ts";
import { localJobRunner } from "../../rpc/local-jobs.ts";
import { type RpcServer, startRpcServer } from "../../rpc/server.ts";
import { SingleNode } from "../chain/runtime/support/single-node.ts";

const fixture = new SingleNode();
const metrics = createMetrics();
let server: RpcServer;
let isReady = true;

beforeAll(async () => {
  const chain = await fixture.open();
  server = await startRpcServer({
    chain,
    job: localJobRunner(chain, DEFAULT_LIMITS),
    ...{ host: "127.0.0.1", port: 0, clientVersion: "ogpu/test", onBug: (_, error) => fixture.failures.push(error) },
    // Not one request is taken: operators must get through nevertheless.
    limits: { requestsUnderWay: 0 },
    monitoring: {
      readiness: () => ({ ready: isReady, height: 7 }),
      metrics: async () => ({ contentType: metrics.contentType, text: await metrics.text() }),
    },
  });
});

afterAll(async () => {
  await server.close();
  metrics.close();
  await fixture.close();
  fixture.remove();
});

describe("a node that takes no more requests", () => {
  it("still says that it is alive", async () => {
    const headers = { "content-type": "application/json" };
    expect((await fetch(server.url, { method: "POST", headers, body: "{}" })).status).toBe(503);
    const health = await fetch(`${server.url}/health`);
    expect([health.status, await health.json()]).toEqual([200, { alive: true }]);
  });

  it("says with the status whether it is ready, and why in the body", async () => {
    for (const ready of [true, false]) {
      isReady = ready;
      const answer = await fetch(`${server.url}/ready`);
      expect([answer.status, await answer.json()]).toEqual([ready ? 200 : 503, { ready, height: 7 }]);
    }
  });

  it("tells its metrics as Prometheus reads them", async () => {
    metrics.height.set(7);
    const answer = await fetch(`${server.url}/metrics`);
    expect(answer.headers.get("content-type")).toContain("text/plain");
    const text = await answer.text();
    expect(text).toMatch(/^ogpu_height 7$/m);
    expect(text).toMatch(/^ogpu_rpc_connections [1-9]/m);
  });
});
