import { blockReference, findWholeBlock } from "../block-reference.ts";
import { transactionAt } from "../find-transaction.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { named, smallQuantity } from "../parameters.ts";
import { ref } from "../result-schemas.ts";
import { orNull } from "../schema.ts";

export const ethGetTransactionByBlockNumberAndIndex: RpcMethod = defineRead({
  name: "eth_getTransactionByBlockNumberAndIndex",
  summary: "A transaction by its place.",
  result: orNull(ref("Transaction")),
  parameters: [blockReference, named("index", smallQuantity)],
  run: ({ chain }, wanted, index) => {
    const found = findWholeBlock(chain, wanted);
    return found === undefined ? null : transactionAt(chain, found, Number(index));
  },
});
