import { quantityText } from "../format.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { QUANTITY } from "../schema.ts";

export const ethChainId: RpcMethod = defineRead({
  name: "eth_chainId",
  summary: "The chain id that transactions are signed for.",
  result: QUANTITY,
  parameters: [],
  run: ({ chain }) => quantityText(chain.spec.chainId),
});
