import { bytesToHex } from "../../base/bytes.ts";
import { encodeBlock } from "../../chain/blocks/block.ts";
import { blockReference, requireWholeBlock } from "../block-reference.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { DATA } from "../schema.ts";

export const debugGetRawBlock: RpcMethod = defineMethod({
  name: "debug_getRawBlock",
  summary: "A block as bytes: RLP of its header, transactions and, in a seal, the next validators.",
  result: DATA,
  parameters: [blockReference],
  run: ({ chain }, reference) => {
    const { block, body } = requireWholeBlock(chain, reference);
    return bytesToHex(encodeBlock({ header: block.header, ...body }));
  },
});
