import { findWholeBlock } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { hash } from "../parameters.ts";
import { orNull, QUANTITY } from "../schema.ts";

export const ethGetBlockTransactionCountByHash: RpcMethod = defineRead({
  name: "eth_getBlockTransactionCountByHash",
  summary: "How many transactions a block has.",
  result: orNull(QUANTITY),
  parameters: [hash],
  run: ({ chain }, wanted) => {
    const found = findWholeBlock(chain, { hash: wanted });
    return found === undefined ? null : quantityText(found.body.transactions.length);
  },
});
