import { blockReference, findWholeBlock } from "../block-reference.ts";
import { receiptsOf } from "../find-transaction.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { ref } from "../result-schemas.ts";
import { listOf, orNull } from "../schema.ts";

export const ethGetBlockReceipts: RpcMethod = defineRead({
  name: "eth_getBlockReceipts",
  summary: "The receipts of all transactions of a block.",
  result: orNull(listOf(ref("Receipt"))),
  parameters: [blockReference],
  run: ({ chain }, reference) => {
    const found = findWholeBlock(chain, reference);
    return found === undefined ? null : receiptsOf(chain, found);
  },
});
