import { blockReference, findWholeBlock } from "../block-reference.ts";
import { pricesOf } from "../find-transaction.ts";
import { blockJson } from "../format.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { boolean, named, optional } from "../parameters.ts";
import { ref } from "../result-schemas.ts";
import { orNull } from "../schema.ts";

export const ethGetBlockByNumber: RpcMethod = defineRead({
  name: "eth_getBlockByNumber",
  summary: "The block with a number or tag.",
  result: orNull(ref("Block")),
  parameters: [blockReference, optional(named("withTransactions", boolean), false)],
  run: ({ chain }, reference, isFull) => {
    const found = findWholeBlock(chain, reference);
    return found === undefined ? null : blockJson(found.block, found.body, isFull, pricesOf(chain, found.block));
  },
});
