import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";

export const ethChainId: RpcMethod = defineMethod({
  name: "eth_chainId",
  parameters: [],
  run: ({ chain }) => quantityText(chain.spec.chainId),
});
