import { quantityText } from "../format.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { QUANTITY } from "../schema.ts";

export const ethBlockNumber: RpcMethod = defineRead({
  name: "eth_blockNumber",
  summary: "The number of the last block.",
  result: QUANTITY,
  parameters: [],
  run: ({ chain }) => quantityText(chain.head.header.number),
});
