import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { nextBlockBaseFee, SUGGESTED_TIP } from "../suggested-fees.ts";

/** For legacy transactions: the base fee of the next block and the usual tip. */
export const ethGasPrice: RpcMethod = defineMethod({
  name: "eth_gasPrice",
  parameters: [],
  run: ({ chain }) => quantityText(nextBlockBaseFee(chain) + SUGGESTED_TIP),
});
