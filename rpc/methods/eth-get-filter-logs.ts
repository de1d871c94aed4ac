import { runGetLogs } from "../filters/get-logs.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { ref } from "../result-schemas.ts";
import { REFUSED, RpcError } from "../rpc-error.ts";
import { listOf } from "../schema.ts";
import { filterId } from "../subscriptions/parameters.ts";

export const ethGetFilterLogs: RpcMethod = defineMethod({
  name: "eth_getFilterLogs",
  summary: "All logs of a filter of logs, whether they were told before or not.",
  result: listOf(ref("Log")),
  parameters: [filterId],
  run: (context, id) => {
    const filter = context.filters.use(id);
    if (filter.kind === "logs") return runGetLogs(context, filter.filter);
    throw new RpcError(REFUSED, "filter not found: this one is not of logs", { code: "FILTER_UNKNOWN" });
  },
});
