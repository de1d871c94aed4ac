import { expect, it } from "vitest";
import type { StoredBody } from "../../chain/store/block-records.ts";
import type { ReadView } from "../../chain/store/read-view.ts";
import { ViewReads } from "../../rpc/view-reads.ts";
import type { Log } from "../../vm/receipt/log.ts";
import type { Receipt } from "../../vm/receipt/receipt.ts";
import { ALICE, singleSpec } from "../chain/runtime/support/single-node.ts";

const MIB = 1024 * 1024;
const RECEIPT: Receipt = {
  ...{ type: 2, succeeded: true, gasUsed: 21_000n, cumulativeGasUsed: 21_000n, effectiveGasPrice: 1n },
  ...{ logs: [], createdAddress: undefined, output: new Uint8Array(0) },
};

/** Blocks that are all alike, and how often one was read. */
function readsOf(body: StoredBody, receipts: readonly Receipt[]): { readonly reads: ViewReads; count(): number } {
  let count = 0;
  const counted = <Value>(value: Value): Value => {
    count++;
    return value;
  };
  const view = { body: () => counted(body), receipts: () => counted(receipts) } as unknown as ReadView;
  return { reads: new ViewReads(singleSpec(), view), count: () => count };
}

function bodyOf(bytes: number): StoredBody {
  return { transactions: [new Uint8Array(bytes)], senders: [ALICE.address], nextValidators: undefined };
}

function logged(logs: readonly Log[]): readonly Receipt[] {
  return [{ ...RECEIPT, logs }];
}

const LOG: Log = { address: ALICE.address, topics: [], data: new Uint8Array(0) };

it.each([
  ["small blocks", 200, logged([LOG]), 200],
  ["blocks of much calldata", MIB, logged([LOG]), 300],
  ["blocks with logs of much data", 200, logged([{ ...LOG, data: new Uint8Array(2 * MIB) }]), 300],
  ["blocks with very many logs", 200, logged(Array.from({ length: 20_000 }, () => LOG)), 300],
])("keeps %s by what they take, and not only by their transactions", (_, bytes, receipts, expected) => {
  const { reads, count } = readsOf(bodyOf(bytes), receipts);
  for (let round = 0; round < 2; round++) {
    for (let number = 0; number < 100; number++) {
      reads.body(number);
      reads.receipts(number);
    }
  }
  // 100 bodies and 100 lists of receipts, the second time from memory where they fit into it.
  expect(count()).toBe(expected);
});
