import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { address, optional } from "../parameters.ts";
import { stateOf } from "../state-of.ts";

export const ethGetBalance: RpcMethod = defineMethod({
  name: "eth_getBalance",
  parameters: [address, optional(blockReference, LATEST)],
  run: ({ chain }, account, block) => quantityText(stateOf(chain, block).account(account)?.balance ?? 0n),
});
