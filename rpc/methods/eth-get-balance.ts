import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineRead, type RpcMethod } from "../method.ts";
import { address, optional } from "../parameters.ts";
import { QUANTITY } from "../schema.ts";
import { stateOf } from "../state-of.ts";

export const ethGetBalance: RpcMethod = defineRead({
  name: "eth_getBalance",
  summary: "An account's balance in wei.",
  result: QUANTITY,
  parameters: [address, optional(blockReference, LATEST)],
  run: ({ chain }, account, block) => quantityText(stateOf(chain, block).account(account)?.balance ?? 0n),
});
