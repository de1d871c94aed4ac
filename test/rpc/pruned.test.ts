import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChainView } from "../../rpc/chain-view.ts";
import { JsonRpc } from "../../rpc/json-rpc.ts";
import { METHODS } from "../../rpc/methods.ts";
import { DrivenChain } from "./support/driven-chain.ts";
import { nodeContext, PATIENT, type RpcAnswer } from "./support/rpc-fixture.ts";

/** A node that began with the state of that block has its header, and bodies and receipts of those after it alone. */
const BASE = 2;

let chain: DrivenChain;
let rpc: JsonRpc;
beforeAll(async () => {
  chain = await DrivenChain.open();
  rpc = new JsonRpc({ methods: METHODS, node: nodeContext(sinceBase(chain.fixture.chain)), onBug: () => undefined });
});
afterAll(() => chain.close());

function sinceBase(whole: ChainView): ChainView {
  const kept = new Map<PropertyKey, unknown>([
    ["base", BASE],
    ["header", (number: number) => (number < BASE ? undefined : whole.header(number))],
    ["body", (number: number) => (number <= BASE ? undefined : whole.body(number))],
    ["receipts", (number: number) => (number <= BASE ? undefined : whole.receipts(number))],
  ]);
  return new Proxy(whole, {
    get: (target, name) => {
      if (kept.has(name)) return kept.get(name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function ask(method: string, ...params: readonly unknown[]): Promise<RpcAnswer> {
  return JSON.parse((await rpc.answer(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), PATIENT)) ?? "null");
}

describe("a node that began with a snapshot", () => {
  it.each([
    ["eth_getBlockByNumber", ["0x1", false]],
    ["eth_getBlockByNumber", ["earliest", false]],
    ["eth_getBlockReceipts", ["0x2"]],
    ["eth_getBlockTransactionCountByNumber", ["0x0"]],
    ["debug_getRawBlock", ["0x1"]],
    ["debug_traceBlockByNumber", ["0x1"]],
    ["eth_getLogs", [{ fromBlock: "0x0" }]],
    ["eth_getLogs", [{ fromBlock: "0x2" }]],
    ["eth_getBalance", [`0x${"00".repeat(20)}`, "0x1"]],
    ["eth_feeHistory", ["0x1", "0x2", []]],
  ])("says of what was before it that it never had it: %s %j", async (method, params) => {
    expect((await ask(method, ...params)).error).toMatchObject({
      code: 4444,
      data: { code: "BLOCK_PRUNED", oldest: 3 },
    });
  });

  it("tells the fees of the blocks that it has, and says which is the first", async () => {
    const { result } = await ask("eth_feeHistory", "0x400", "latest", [50]);
    const { oldestBlock, baseFeePerGas, reward } = result as Record<string, readonly string[]>;
    const blocks = chain.fixture.chain.head.number - BASE;
    expect([oldestBlock, baseFeePerGas?.length, reward?.length]).toEqual(["0x3", blocks + 1, blocks]);
  });

  it("answers about everything after it, and knows no block that is to come", async () => {
    expect((await ask("eth_getBlockByNumber", "0x3", true)).result).toMatchObject({ number: "0x3" });
    expect((await ask("eth_getLogs", { fromBlock: "0x3" })).error).toBeUndefined();
    expect((await ask("eth_getBlockByNumber", "0xffff", false)).result).toBeNull();
    expect((await ask("eth_capabilities")).result).toMatchObject({ logs: { oldestBlock: "0x3" } });
  });
});
