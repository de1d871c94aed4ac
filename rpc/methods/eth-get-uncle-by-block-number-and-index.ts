import { blockReference } from "../block-reference.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { named, smallQuantity } from "../parameters.ts";
import { NULL } from "../schema.ts";

export const ethGetUncleByBlockNumberAndIndex: RpcMethod = defineMethod({
  name: "eth_getUncleByBlockNumberAndIndex",
  summary: "None: this chain has no uncles.",
  result: NULL,
  parameters: [blockReference, named("index", smallQuantity)],
  run: () => null,
});
