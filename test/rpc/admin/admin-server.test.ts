import { mkdtempSync, rmSync, statSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CodedError } from "../../../base/errors.ts";
import { type AdminServer, startAdminServer } from "../../../rpc/admin/admin-server.ts";

const folder = mkdtempSync(join(tmpdir(), "ogpu-admin-"));
const done: string[] = [];
const bugs: unknown[] = [];
let server: AdminServer;

const port = {
  nodeInfo: () => ({ network: "test" }),
  peers: () => {
    throw new Error("secret");
  },
  addPeer: (address: string) => {
    if (!address.startsWith("/ip4/")) throw new CodedError("NETWORK_BAD_ADDRESS", "it is no address");
    done.push(address);
  },
  setLogLevels: (text: string) => done.push(text),
};

beforeAll(async () => {
  server = await startAdminServer(folder, port, (_method, error) => bugs.push(error));
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

function post(body: string): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ socketPath: server.path, method: "POST" }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve(JSON.parse(text)));
    });
    sent.on("error", reject).end(body);
  });
}

const ask = (method: string, ...params: readonly unknown[]): Promise<Readonly<Record<string, unknown>>> =>
  post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));

describe("the admin socket", () => {
  it("is the node's user's alone", () => {
    expect(statSync(server.path).mode & 0o777).toBe(0o600);
  });

  it("does what its methods say", async () => {
    expect(await ask("admin_nodeInfo")).toEqual({ jsonrpc: "2.0", id: 1, result: { network: "test" } });
    expect(await ask("admin_addPeer", "/ip4/1.2.3.4")).toMatchObject({ result: true });
    expect(await ask("admin_logLevel", "debug")).toMatchObject({ result: true });
    expect(done).toEqual(["/ip4/1.2.3.4", "debug"]);
  });

  it("answers with the coded reason, and tells of a bug only the operator", async () => {
    expect(await ask("admin_addPeer", "nonsense")).toMatchObject({ error: { data: { code: "NETWORK_BAD_ADDRESS" } } });
    expect(await ask("admin_peers")).toMatchObject({ error: { code: -32_603, message: "internal error" } });
    expect(bugs).toEqual([new Error("secret")]);
  });

  it("answers anything else with an error", async () => {
    expect(await post("nonsense")).toMatchObject({ error: { code: -32_700 } });
    for (const body of ["null", "[]", "{}", '{"method":"admin_peers","params":{}}']) {
      expect(await post(body)).toMatchObject({ error: { code: -32_600 } });
    }
    for (const method of ["eth_chainId", "constructor", "__proto__"]) {
      expect(await ask(method)).toMatchObject({ error: { code: -32_601 } });
    }
    expect(await ask("admin_addPeer")).toMatchObject({ error: { code: -32_602 } });
    expect(await ask("admin_nodeInfo", 1)).toMatchObject({ error: { code: -32_602 } });
  });

  it("takes the place of one that a killed process left, and refuses a path that no socket can have", async () => {
    const again = await startAdminServer(dirname(server.path), port, () => undefined);
    expect(await ask("admin_nodeInfo")).toMatchObject({ result: { network: "test" } });
    await again.close();
    const long = startAdminServer(`/tmp/${"x".repeat(120)}`, port, () => undefined);
    await expect(long).rejects.toMatchObject({ code: "ADMIN_PATH_TOO_LONG" });
  });
});
