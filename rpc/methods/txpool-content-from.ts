import { transactionJson } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { address } from "../parameters.ts";
import { POOL_CONTENT_FROM } from "../result-schemas.ts";
import { byNonce, waitingPool } from "../waiting-pool.ts";

export const txpoolContentFrom: RpcMethod = defineMethod({
  name: "txpool_contentFrom",
  summary: "The transactions of one sender that wait, by nonce.",
  result: POOL_CONTENT_FROM,
  parameters: [address],
  run: async (context, sender) => {
    const { pending, queued } = await waitingPool(context, sender);
    const shown = byNonce(({ transaction }) => transactionJson(transaction, sender, undefined));
    return { pending: shown(pending), queued: shown(queued) };
  },
});
