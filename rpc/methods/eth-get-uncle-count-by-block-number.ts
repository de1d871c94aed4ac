import { blockReference, findWholeBlock } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { orNull, QUANTITY } from "../schema.ts";

export const ethGetUncleCountByBlockNumber: RpcMethod = defineRead({
  name: "eth_getUncleCountByBlockNumber",
  summary: "None: this chain has no uncles.",
  result: orNull(QUANTITY),
  parameters: [blockReference],
  run: ({ chain }, wanted) => (findWholeBlock(chain, wanted) === undefined ? null : quantityText(0)),
});
