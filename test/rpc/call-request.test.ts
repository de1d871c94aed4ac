import { afterAll, beforeAll, expect, it } from "vitest";
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
