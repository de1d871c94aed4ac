import { findBlock } from "../block-reference.ts";
import { blockJson } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { boolean, hash, optional } from "../parameters.ts";

export const ethGetBlockByHash: RpcMethod = defineMethod({
  name: "eth_getBlockByHash",
  parameters: [hash, optional(boolean, false)],
  run: ({ chain }, wanted, isFull) => {
    const block = findBlock(chain, { hash: wanted });
    const body = block && chain.body(Number(block.header.number));
    return block === undefined || body === undefined ? null : blockJson(block, body, isFull);
  },
});
