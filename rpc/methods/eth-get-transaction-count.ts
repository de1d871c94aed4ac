import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { address, optional } from "../parameters.ts";
import { stateOf } from "../state-of.ts";

/** With "pending", transactions that wait count too: wallets send several in a row that way. */
export const ethGetTransactionCount: RpcMethod = defineMethod({
  name: "eth_getTransactionCount",
  parameters: [address, optional(blockReference, LATEST)],
  run: ({ chain }, account, block) => {
    if ("tag" in block && block.tag === "pending") return quantityText(chain.nextNonce(account));
    return quantityText(stateOf(chain, block).account(account)?.nonce ?? 0n);
  },
});
