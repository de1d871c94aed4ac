import { blockReference, findBlock } from "../block-reference.ts";
import { blockJson } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { boolean, optional } from "../parameters.ts";

export const ethGetBlockByNumber: RpcMethod = defineMethod({
  name: "eth_getBlockByNumber",
  parameters: [blockReference, optional(boolean, false)],
  run: ({ chain }, reference, isFull) => {
    const block = findBlock(chain, reference);
    const body = block && chain.body(Number(block.header.number));
    return block === undefined || body === undefined ? null : blockJson(block, body, isFull);
  },
});
