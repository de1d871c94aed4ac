import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";

export const ethBlockNumber: RpcMethod = defineMethod({
  name: "eth_blockNumber",
  parameters: [],
  run: ({ chain }) => quantityText(chain.head.header.number),
});
