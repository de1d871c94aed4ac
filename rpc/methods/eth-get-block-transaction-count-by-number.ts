import { blockReference, findWholeBlock } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { orNull, QUANTITY } from "../schema.ts";

export const ethGetBlockTransactionCountByNumber: RpcMethod = defineRead({
  name: "eth_getBlockTransactionCountByNumber",
  summary: "How many transactions a block has.",
  result: orNull(QUANTITY),
  parameters: [blockReference],
  run: ({ chain }, wanted) => {
    const found = findWholeBlock(chain, wanted);
    return found === undefined ? null : quantityText(found.body.transactions.length);
  },
});
