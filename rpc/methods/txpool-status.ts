import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { objectOf, QUANTITY } from "../schema.ts";

export const txpoolStatus: RpcMethod = defineMethod({
  name: "txpool_status",
  summary: "How many transactions wait: for a block, and for an earlier nonce.",
  result: objectOf({ pending: QUANTITY, queued: QUANTITY }),
  parameters: [],
  run: async ({ chain, wait }) => {
    const { total, ready } = await wait(Promise.resolve(chain.waitingContent({ limit: 0 })));
    return { pending: quantityText(ready), queued: quantityText(total - ready) };
  },
});
