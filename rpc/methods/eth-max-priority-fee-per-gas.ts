import { quantityText } from "../format.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { QUANTITY } from "../schema.ts";
import { SUGGESTED_TIP } from "../suggested-fees.ts";

export const ethMaxPriorityFeePerGas: RpcMethod = defineRead({
  name: "eth_maxPriorityFeePerGas",
  summary: "The usual tip.",
  result: QUANTITY,
  parameters: [],
  run: () => quantityText(SUGGESTED_TIP),
});
