import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { SUGGESTED_TIP } from "../suggested-fees.ts";

export const ethMaxPriorityFeePerGas: RpcMethod = defineMethod({
  name: "eth_maxPriorityFeePerGas",
  parameters: [],
  run: () => quantityText(SUGGESTED_TIP),
});
