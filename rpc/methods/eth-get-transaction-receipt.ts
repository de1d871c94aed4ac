import type { Receipt } from "../../vm/receipt/receipt.ts";
import { findTransaction } from "../find-transaction.ts";
import { receiptJson } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { hash } from "../parameters.ts";

export const ethGetTransactionReceipt: RpcMethod = defineMethod({
  name: "eth_getTransactionReceipt",
  parameters: [hash],
  run: ({ chain }, wanted) => {
    const found = findTransaction(chain, wanted);
    if (found === undefined) return null;
    const { transaction, sender, place } = found;
    const receipts = chain.receipts(Number(place.block.header.number)) ?? [];
    const receipt = receipts[place.index] as Receipt;
    const logsBefore = receipts.slice(0, place.index).reduce((count, { logs }) => count + logs.length, 0);
    return receiptJson(receipt, transaction, sender, place, logsBefore);
  },
});
