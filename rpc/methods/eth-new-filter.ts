import { findBlock } from "../block-reference.ts";
import { logFilter } from "../log-filter.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { invalidParams } from "../rpc-error.ts";
import { ID_SCHEMA } from "../subscriptions/parameters.ts";

export const ethNewFilter: RpcMethod = defineMethod({
  name: "eth_newFilter",
  summary: "Makes a filter of logs, to be polled.",
  result: ID_SCHEMA,
  parameters: [logFilter],
  run: ({ chain, client, filters }, filter) => {
    if (filter.blockHash !== undefined) throw invalidParams("parameter 1: a filter that is polled has no blockHash");
    const head = Number(chain.head.header.number);
    const from = filter.fromBlock === undefined ? undefined : findBlock(chain, filter.fromBlock);
    const isAhead = filter.fromBlock !== undefined && "number" in filter.fromBlock && from === undefined;
    const next = isAhead ? head + 1 : from === undefined ? head + 1 : Math.min(Number(from.header.number), head + 1);
    return filters.add({ kind: "logs", filter, next }, client.address);
  },
});
