import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hexToBytes } from "../../base/bytes.ts";
import { GWEI, OGPU } from "../../base/units.ts";
import type { StoredHeader } from "../../chain/store/block-records.ts";
import { pricesOf, transactionAt } from "../../rpc/find-transaction.ts";
import { blockJson } from "../../rpc/format.ts";
import type { Receipt } from "../../vm/receipt/receipt.ts";
import { ALICE } from "../chain/runtime/support/single-node.ts";
import { RpcFixture } from "./support/rpc-fixture.ts";

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
