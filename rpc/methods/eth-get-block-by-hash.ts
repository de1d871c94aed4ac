import { findWholeBlock } from "../block-reference.ts";
import { pricesOf } from "../find-transaction.ts";
import { blockJson } from "../format.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { boolean, hash, named, optional } from "../parameters.ts";
import { ref } from "../result-schemas.ts";
import { orNull } from "../schema.ts";

export const ethGetBlockByHash: RpcMethod = defineRead({
  name: "eth_getBlockByHash",
  summary: "The block with a hash.",
  result: orNull(ref("Block")),
  parameters: [hash, optional(named("withTransactions", boolean), false)],
  run: ({ chain }, wanted, isFull) => {
    const found = findWholeBlock(chain, { hash: wanted });
    return found === undefined ? null : blockJson(found.block, found.body, isFull, pricesOf(chain, found.block));
  },
});
