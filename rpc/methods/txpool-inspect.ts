import { defineMethod, type RpcMethod } from "../method.ts";
import { mapOf, objectOf, TEXT } from "../schema.ts";
import { bySender, waitingPool } from "../waiting-pool.ts";

export const txpoolInspect: RpcMethod = defineMethod({
  name: "txpool_inspect",
  summary: "The transactions that wait, each in one line of text.",
  result: objectOf({ pending: mapOf(mapOf(TEXT)), queued: mapOf(mapOf(TEXT)) }),
  parameters: [],
  run: async (context) => {
    const { pending, queued } = await waitingPool(context, undefined);
    const shown = bySender(({ transaction: { to, value, gasLimit, maxFeePerGas } }) => {
      const target = to ?? "contract creation";
      return `${target}: ${value} wei + ${gasLimit} gas × ${maxFeePerGas} wei`;
    });
    return { pending: shown(pending), queued: shown(queued) };
  },
});
