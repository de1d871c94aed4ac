import { bytesToHex } from "../../base/bytes.ts";
import { encodeReceipt } from "../../vm/receipt/receipt.ts";
import { blockReference, requireWholeBlock } from "../block-reference.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { DATA, listOf } from "../schema.ts";

export const debugGetRawReceipts: RpcMethod = defineMethod({
  name: "debug_getRawReceipts",
  summary:
    "The receipts of a block as bytes, those of the protocol's own work included: what receiptsRoot is the root of.",
  result: listOf(DATA),
  parameters: [blockReference],
  run: ({ chain }, reference) => {
    const { block } = requireWholeBlock(chain, reference);
    return (chain.receipts(Number(block.header.number)) ?? []).map((receipt) => bytesToHex(encodeReceipt(receipt)));
  },
});
