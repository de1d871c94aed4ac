import { quantityText } from "../format.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { QUANTITY } from "../schema.ts";
import { nextBlockBaseFee, SUGGESTED_TIP } from "../suggested-fees.ts";

export const ethGasPrice: RpcMethod = defineRead({
  name: "eth_gasPrice",
  summary: "For legacy transactions: the base fee of the next block and the usual tip.",
  result: QUANTITY,
  parameters: [],
  run: ({ chain }) => quantityText(nextBlockBaseFee(chain) + SUGGESTED_TIP),
});
