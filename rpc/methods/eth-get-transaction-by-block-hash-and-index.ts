import { findWholeBlock } from "../block-reference.ts";
import { transactionAt } from "../find-transaction.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { hash, named, smallQuantity } from "../parameters.ts";
import { ref } from "../result-schemas.ts";
import { orNull } from "../schema.ts";

export const ethGetTransactionByBlockHashAndIndex: RpcMethod = defineRead({
  name: "eth_getTransactionByBlockHashAndIndex",
  summary: "A transaction by its place.",
  result: orNull(ref("Transaction")),
  parameters: [hash, named("index", smallQuantity)],
  run: ({ chain }, wanted, index) => {
    const found = findWholeBlock(chain, { hash: wanted });
    return found === undefined ? null : transactionAt(chain, found, Number(index));
  },
});
