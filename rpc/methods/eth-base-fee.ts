import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { QUANTITY } from "../schema.ts";
import { nextBlockBaseFee } from "../suggested-fees.ts";

export const ethBaseFee: RpcMethod = defineMethod({
  name: "eth_baseFee",
  summary: "The base fee of the next block.",
  result: QUANTITY,
  parameters: [],
  run: ({ chain }) => quantityText(nextBlockBaseFee(chain)),
});
