import { afterAll, beforeAll, expect, it } from "vitest";
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

it("reads gasLimit as gas, where that is left out", () => {
  const gasOf = (request: object): bigint | undefined => callRequest.read(request, "transaction").gasLimit;
  expect(gasOf({ gasLimit: "0x5208" })).toBe(21_000n);
  expect(gasOf({ gasLimit: "0x5208", gas: "0x5209" })).toBe(21_001n);
  expect(() => gasOf({ gasLimit: 21_000 })).toThrow("transaction.gasLimit");
});
