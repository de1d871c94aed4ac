import type { LogFilter } from "../log-filter.ts";
import type { RpcContext } from "../method.ts";
import { ethGetLogs } from "../methods/eth-get-logs.ts";

/** What eth_getLogs answers to a filter that is already read. */
export async function runGetLogs(context: RpcContext, filter: LogFilter): Promise<unknown> {
  const run = ethGetLogs.run as (context: RpcContext, filter: LogFilter) => unknown;
  return await run(context, filter);
}
