import { afterAll, beforeAll, expect, it } from "vitest";
import type { Hex } from "../../base/bytes.ts";
import { callRequest } from "../../rpc/call-request.ts";
import { ALICE, BOB } from "../chain/runtime/support/single-node.ts";
import { RpcFixture } from "./support/rpc-fixture.ts";

let fixture: RpcFixture;
beforeAll(async () => {
  fixture = await RpcFixture.open();
});
afterAll(() => fixture.close());

it("takes back what eth_fillTransaction filled in, although it has gasPrice beside maxFeePerGas", async () => {
  const asked = { from: ALICE.address, to: BOB.address, value: "0x1" };
  const { tx } = await fixture.call<{ readonly tx: Readonly<Record<string, unknown>> }>("eth_fillTransaction", asked);
  expect(tx["gasPrice"]).toBe(tx["maxFeePerGas"]);
  expect(await fixture.call("eth_estimateGas", { ...tx, from: ALICE.address })).toBe("0x5208");
  const other = { ...tx, from: ALICE.address, gasPrice: "0x1" };
  expect((await fixture.ask("eth_estimateGas", other)).error?.message).toContain("both gasPrice and");
});

it("takes transactions with members of no meaning, as web3.js sends them", async () => {
  const others = { chain: "mainnet", hardfork: "osaka", common: {}, networkId: "0x1" };
  const call = { from: ALICE.address, to: BOB.address, value: "0x1", ...others };
  expect(await fixture.call("eth_call", call)).toBe("0x");
  expect(await fixture.call("eth_estimateGas", call)).toBe("0x5208");
  const blockStateCalls = [{ calls: [call] }];
  expect(await fixture.call("eth_simulateV1", { blockStateCalls })).toMatchObject([{ calls: [{ status: "0x1" }] }]);
  expect(callRequest.schema).not.toHaveProperty("additionalProperties");
});

it("refuses a transaction that is meant for another chain, whatever is asked about it", async () => {
  const ours = await fixture.call<Hex>("eth_chainId");
  const methods = ["eth_call", "eth_estimateGas", "eth_createAccessList", "debug_traceCall", "eth_fillTransaction"];
  const call = { from: ALICE.address, to: BOB.address, chainId: "0x1" };
  for (const method of methods) {
    expect((await fixture.ask(method, { ...call, chainId: ours })).error, method).toBeUndefined();
    const error = { code: -32_602, message: `parameter 1 (transaction).chainId must be ${ours}` };
    expect((await fixture.ask(method, call)).error, method).toEqual(error);
  }
  const { error } = await fixture.ask("eth_simulateV1", { blockStateCalls: [{ calls: [call] }] });
  expect(error).toMatchObject({ code: -32_602, message: expect.stringContaining(`chainId must be ${ours}`) });
});

it("reads gasLimit as gas, where that is left out", () => {
  const gasOf = (request: object): bigint | undefined => callRequest.read(request, "transaction").gasLimit;
  expect(gasOf({ gasLimit: "0x5208" })).toBe(21_000n);
  expect(gasOf({ gasLimit: "0x5208", gas: "0x5209" })).toBe(21_001n);
  expect(() => gasOf({ gasLimit: 21_000 })).toThrow("transaction.gasLimit");
});
