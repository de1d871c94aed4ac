import { afterAll, beforeAll, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { OGPU } from "../../../base/units.ts";
import { ALICE, BOB, STRANGER } from "../../chain/runtime/support/single-node.ts";
import { HostedNode } from "../support/hosted-node.ts";

let hosted: HostedNode;
let hash: Hex;

beforeAll(async () => {
  hosted = await HostedNode.open({ archive: true });
  const { result } = await hosted.ask("eth_sendRawTransaction", bytesToHex(hosted.alone.sign(ALICE, { value: OGPU })));
  hash = result as Hex;
  await hosted.alone.nextBlock(hosted.node);
});
afterAll(() => hosted.close());

/** Requests and answers cross threads: tables, bytes, large integers and errors must arrive as they were sent. */
it.each([
  [
    "eth_call",
    [{ to: STRANGER.address }, "latest", { [STRANGER.address]: { code: "0x4760005260206000f3", balance: "0x1" } }],
  ],
  ["eth_estimateGas", [{ from: ALICE.address, to: BOB.address, value: "0x1" }]],
  ["eth_createAccessList", [{ from: ALICE.address, to: BOB.address }]],
  ["eth_simulateV1", [{ blockStateCalls: [{ calls: [{ from: ALICE.address, to: BOB.address, value: "0x1" }] }] }]],
  ["debug_traceCall", [{ from: ALICE.address, to: BOB.address }, "latest", { tracer: "callTracer" }]],
  ["debug_traceBlockByNumber", ["0x1", { tracer: "prestateTracer", tracerConfig: { diffMode: true } }]],
  ["ogpu_getProof", [ALICE.address, ["0x0"]]],
  ["ogpu_getStakingValidators", []],
  ["ogpu_status", []],
  ["txpool_content", []],
  ["eth_getLogs", [{ fromBlock: "0x0" }]],
] as const)("%s answers from a thread of its own", async (method, params) => {
  const { result, error } = await hosted.ask(method, ...params);
  expect(error).toBeUndefined();
  expect(result).toBeDefined();
});

it("traces a transaction of the chain there", async () => {
  const { result } = await hosted.ask("debug_traceTransaction", hash, { tracer: "callTracer" });
  expect(result).toMatchObject({ type: "CALL", from: ALICE.address, to: BOB.address, gasUsed: "0x5208" });
});

it("brings a revert back with its code, words and data", async () => {
  // MSTORE(0, 0x2a), REVERT(0, 32).
  const override = { [STRANGER.address]: { code: "0x602a60005260206000fd" } };
  const { error } = await hosted.ask("eth_call", { to: STRANGER.address }, "latest", override);
  expect(error).toEqual({ code: 3, message: "execution reverted", data: `0x${"2a".padStart(64, "0")}` });
});

it("refuses typed data that is nested too deep to cross, and lives on", async () => {
  const own = await HostedNode.open({ development: true });
  try {
    const [account] = await own.call<readonly Hex[]>("eth_accounts");
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"eth_signTypedData_v4","params":["${account}",{"message":${nested}}]}`;
    const headers = { "content-type": "application/json" };
    const response = await fetch(own.host.url, { method: "POST", headers, body });
    expect(await response.json()).toMatchObject({ error: { code: -32_602 } });
    expect(own.log).toEqual([]);
  } finally {
    await own.close();
  }
});
