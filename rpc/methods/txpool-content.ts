import { transactionJson } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { POOL_CONTENT } from "../result-schemas.ts";
import { bySender, waitingPool } from "../waiting-pool.ts";

export const txpoolContent: RpcMethod = defineMethod({
  name: "txpool_content",
  summary: "The transactions that wait, by sender and nonce.",
  result: POOL_CONTENT,
  parameters: [],
  run: async (context) => {
    const { pending, queued } = await waitingPool(context, undefined);
    const shown = bySender(({ transaction, sender }) => transactionJson(transaction, sender, undefined));
    return { pending: shown(pending), queued: shown(queued) };
  },
});
