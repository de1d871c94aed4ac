import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { QUANTITY } from "../schema.ts";

export const ethBlobBaseFee: RpcMethod = defineMethod({
  name: "eth_blobBaseFee",
  summary: "The least there can be: this chain has no blobs.",
  result: QUANTITY,
  parameters: [],
  run: () => quantityText(1),
});
