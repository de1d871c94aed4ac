import { findWholeBlock } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { hash } from "../parameters.ts";
import { orNull, QUANTITY } from "../schema.ts";

export const ethGetUncleCountByBlockHash: RpcMethod = defineRead({
  name: "eth_getUncleCountByBlockHash",
  summary: "None: this chain has no uncles.",
  result: orNull(QUANTITY),
  parameters: [hash],
  run: ({ chain }, wanted) => (findWholeBlock(chain, { hash: wanted }) === undefined ? null : quantityText(0)),
});
