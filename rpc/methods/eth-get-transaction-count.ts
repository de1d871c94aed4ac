import { blockReference, LATEST } from "../block-reference.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { address, optional } from "../parameters.ts";
import { QUANTITY } from "../schema.ts";
import { stateOf } from "../state-of.ts";

export const ethGetTransactionCount: RpcMethod = defineMethod({
  name: "eth_getTransactionCount",
  summary:
    "An account's next nonce. With pending, transactions that wait count too: wallets send several in a row that way.",
  result: QUANTITY,
  parameters: [address, optional(blockReference, LATEST)],
  run: async ({ chain, wait }, account, block) => {
    if ("tag" in block && block.tag === "pending") {
      return quantityText(await wait(Promise.resolve(chain.nextNonce(account))));
    }
    return quantityText(stateOf(chain, block).account(account)?.nonce ?? 0n);
  },
});
