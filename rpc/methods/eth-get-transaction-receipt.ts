import { findTransaction, receiptOf } from "../find-transaction.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { hash } from "../parameters.ts";
import { ref } from "../result-schemas.ts";
import { orNull } from "../schema.ts";

export const ethGetTransactionReceipt: RpcMethod = defineRead({
  name: "eth_getTransactionReceipt",
  summary: "What became of a transaction: there once its block is final.",
  result: orNull(ref("Receipt")),
  parameters: [hash],
  run: ({ chain }, wanted) => {
    const found = findTransaction(chain, wanted);
    return found === undefined ? null : receiptOf(chain, found);
  },
});
