import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex, hexToBytes } from "../../base/bytes.ts";
import { GWEI, OGPU } from "../../base/units.ts";
import type { StoredHeader } from "../../chain/store/block-records.ts";
import type { ChainView } from "../../rpc/chain-view.ts";
import { pricesOf, transactionAt } from "../../rpc/find-transaction.ts";
import { blockJson } from "../../rpc/format.ts";
import { JsonRpc } from "../../rpc/json-rpc.ts";
import { METHODS } from "../../rpc/methods.ts";
import type { Receipt } from "../../vm/receipt/receipt.ts";
import { ALICE } from "../chain/runtime/support/single-node.ts";
import { nodeContext, PATIENT, type RpcAnswer, RpcFixture } from "./support/rpc-fixture.ts";

let fixture: RpcFixture;
beforeAll(async () => {
  fixture = await RpcFixture.open(true);
});
afterAll(() => fixture.close());

describe("gasPrice of a transaction in a block", () => {
  it("is what its receipt says where somebody's turn was paid at the floor price, and else follows from the base fee", async () => {
    const hash = await fixture.include(fixture.alone.sign(ALICE, { value: OGPU }));
    const { chain } = fixture;
    const { number } = chain.locate(hexToBytes(hash)) ?? { number: 0 };
    const [block, body] = [chain.header(number), chain.body(number)];
    if (block === undefined || body === undefined) throw new Error("the block is final");
    const receipts = chain.receipts(number) ?? [];
    const paid = receipts[0]?.effectiveGasPrice;
    const priceOf = (json: object | null) => BigInt((json as { gasPrice: string }).gasPrice);
    expect(pricesOf(chain, block)).toBeUndefined();
    expect(priceOf(transactionAt(chain, { block, body }, 0))).toBe(paid);
    // The same block, as if the transaction had been one whose turn it was.
    const { header } = block;
    const extra = { ...header.extra, reservedGas: header.gasUsed };
    const reserved: StoredHeader = { ...block, header: { ...header, extra } };
    const reads = {
      receipts: () => receipts.map((receipt): Receipt => ({ ...receipt, effectiveGasPrice: 7n * GWEI })),
    };
    expect(priceOf(transactionAt(reads, { block: reserved, body }, 0))).toBe(7n * GWEI);
    const whole = blockJson(reserved, body, true, pricesOf(reads, reserved)) as { transactions: { hash: string }[] };
    expect(whole.transactions.map((json) => [json.hash, priceOf(json)])).toEqual([[hash, 7n * GWEI]]);
  });
});

describe("a transaction that gets into a block while the node is asked whether it waits", () => {
  it("is found, though it waited no more when the node was asked", async () => {
    const raw = fixture.alone.sign(ALICE, { nonce: fixture.chain.nextNonce(ALICE.address) });
    const hash = await fixture.include(raw);
    let isAsked = false;
    /** Shows the block only after the question, which finds nothing. */
    const changed: Pick<ChainView, "locate" | "waiting"> = {
      locate: (wanted) => (isAsked ? fixture.chain.locate(wanted) : undefined),
      waiting: () => {
        isAsked = true;
        return undefined;
      },
    };
    const view: ChainView = new Proxy(fixture.chain, {
      get: (target, name) => {
        if (Object.hasOwn(changed, name)) return Reflect.get(changed, name);
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const ask = async (method: string): Promise<unknown> => {
      isAsked = false;
      const rpc = new JsonRpc({ methods: METHODS, node: nodeContext(view), onBug: () => undefined });
      const answer = await rpc.answer(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [hash] }), PATIENT);
      return (JSON.parse(answer ?? "null") as RpcAnswer).result;
    };
    expect(await ask("eth_getTransactionByHash")).toMatchObject({ hash, blockNumber: expect.stringMatching(/^0x/) });
    expect(await ask("debug_getRawTransaction")).toBe(bytesToHex(raw));
  });
});
