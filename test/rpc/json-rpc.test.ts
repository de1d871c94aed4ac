import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { JsonRpc } from "../../rpc/json-rpc.ts";
import { DEFAULT_LIMITS } from "../../rpc/limits.ts";
import { defineMethod, type NodeContext } from "../../rpc/method.ts";
import { METHODS } from "../../rpc/methods.ts";
import { quantity } from "../../rpc/parameters.ts";
import { PATIENT, type RpcAnswer, RpcFixture } from "./support/rpc-fixture.ts";

let fixture: RpcFixture;

beforeAll(async () => {
  fixture = await RpcFixture.open();
});

afterAll(() => fixture.close());

async function answer(body: unknown): Promise<RpcAnswer> {
  const text = await fixture.rpc.answer(typeof body === "string" ? body : JSON.stringify(body), PATIENT);
  return JSON.parse(text ?? "null");
}

const request = { jsonrpc: "2.0", id: 7, method: "eth_chainId", params: [] };

describe("JSON-RPC 2.0", () => {
  it("answers with the id of the request, whatever its type", async () => {
    for (const id of [7, "seven", null, 1.5]) {
      expect(await answer({ ...request, id })).toEqual({ jsonrpc: "2.0", id, result: "0xbdb29" });
    }
  });

  it.each(["", "{", "nonsense", "[1,", '{"jsonrpc"'])("answers -32700 to %j, which is not JSON", async (body) => {
    expect(await answer(body)).toMatchObject({ id: null, error: { code: -32_700 } });
  });

  it.each([
    ["a number", 1],
    ["a string", "eth_chainId"],
    ["null", null],
    ["an object as id", { ...request, id: {} }],
    ["an object as id, and no version", { id: {}, method: "eth_chainId" }],
    ["no id, and no version", { method: "eth_chainId" }],
    ["an empty batch", []],
    ["a batch that is too long", Array(1_001).fill(request)],
  ])("answers -32600 to %s", async (_what, body) => {
    expect(await answer(JSON.stringify(body))).toMatchObject({ id: null, error: { code: -32_600 } });
  });

  it.each([
    ["no version", { ...request, jsonrpc: undefined }],
    ["another version", { ...request, jsonrpc: "1.0" }],
    ["no method", { ...request, method: undefined }],
    ["a method that is no text", { ...request, method: 1 }],
  ])("answers -32600 to %s, with the id of what was asked, also in a batch", async (_what, body) => {
    for (const id of [7, "seven", null]) {
      expect(await answer({ ...body, id })).toMatchObject({ id, error: { code: -32_600 } });
      expect(await answer([request, { ...body, id }])).toMatchObject([{ id: 7 }, { id, error: { code: -32_600 } }]);
    }
  });

  it("answers -32601 to a method that does not exist", async () => {
    for (const method of ["eth_mine", "", "toString", "__proto__"]) {
      expect(await answer({ ...request, method })).toMatchObject({ id: 7, error: { code: -32_601 } });
    }
  });

  it.each([
    ["parameters by name", "eth_getBalance", {}],
    ["a parameter that is missing", "eth_getBalance", []],
    ["too many parameters", "eth_chainId", [1]],
    ["a wrong address", "eth_getBalance", ["0x12", "latest"]],
    ["a leading zero in a quantity", "eth_getBlockByNumber", ["0x01", false]],
    ["a plain number for a block", "eth_getBlockByNumber", [1, false]],
    ["a tag that does not exist", "eth_getBlockByNumber", ["newest", false]],
    ["a hash that is too short", "eth_getTransactionByHash", ["0x1234"]],
    ["half a byte", "eth_sendRawTransaction", ["0x123"]],
    ["text for a flag", "eth_getBlockByNumber", ["latest", "true"]],
    ["a call that is no object", "eth_call", [[], "latest"]],
  ])("answers -32602 to %s", async (_what, method, params) => {
    expect(await answer({ ...request, method, params })).toMatchObject({ id: 7, error: { code: -32_602 } });
  });

  it("takes null for parameters that are left out", async () => {
    expect(await answer({ ...request, params: null })).toMatchObject({ id: 7, result: "0xbdb29" });
  });

  it("answers a batch in its order, each part by itself", async () => {
    const batch = [request, { ...request, id: 8, method: "none" }, 1, { ...request, id: 9, method: "net_version" }];
    expect(await answer(batch)).toMatchObject([
      { id: 7, result: "0xbdb29" },
      { id: 8, error: { code: -32_601 } },
      { id: null, error: { code: -32_600 } },
      { id: 9, result: "777001" },
    ]);
  });

  it("does not answer notifications", async () => {
    const { id: _id, ...notification } = request;
    expect(await fixture.rpc.answer(JSON.stringify(notification), PATIENT)).toBeUndefined();
    expect(await fixture.rpc.answer(JSON.stringify([notification, notification]), PATIENT)).toBeUndefined();
    expect(await answer([notification, request])).toHaveLength(1);
  });

  it("tells a bug of ours to the operator, and the caller only that there is one", async () => {
    const bugs: unknown[] = [];
    const broken = defineMethod({
      name: "broken",
      summary: "",
      result: {},
      parameters: [quantity],
      run: () => {
        throw new Error("secret path");
      },
    });
    const rpc = new JsonRpc({
      methods: [broken],
      node: { limits: DEFAULT_LIMITS } as NodeContext,
      onBug: (method, error) => bugs.push(method, error),
    });
    const text = await rpc.answer(JSON.stringify({ ...request, method: "broken", params: ["0x1"] }), PATIENT);
    expect(JSON.parse(text ?? "")).toEqual({
      jsonrpc: "2.0",
      id: 7,
      error: { code: -32_603, message: "internal error" },
    });
    expect(bugs).toEqual(["broken", new Error("secret path")]);
  });

  it("has every method under one name", () => {
    expect(new Set(METHODS.map(({ name }) => name)).size).toBe(METHODS.length);
  });

  it("never breaks on any JSON as parameters of any method", async () => {
    const params = fc.array(
      fc.oneof(
        fc.jsonValue(),
        fc.constantFrom("latest", "0x0", "0x", `0x${"11".repeat(20)}`, `0x${"22".repeat(32)}`, {}),
      ),
      { maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...METHODS), params, async ({ name }, values) => {
        const { result, error } = await fixture.ask(name, ...values);
        expect((result === undefined) !== (error === undefined)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
    expect(fixture.bugs).toEqual([]);
  });
});
