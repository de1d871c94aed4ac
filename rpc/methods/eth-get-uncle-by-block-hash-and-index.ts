import { defineMethod, type RpcMethod } from "../method.ts";
import { hash, named, smallQuantity } from "../parameters.ts";
import { NULL } from "../schema.ts";

export const ethGetUncleByBlockHashAndIndex: RpcMethod = defineMethod({
  name: "eth_getUncleByBlockHashAndIndex",
  summary: "None: this chain has no uncles.",
  result: NULL,
  parameters: [hash, named("index", smallQuantity)],
  run: () => null,
});
