import { type BlockReference, findBlock, LATEST } from "../block-reference.ts";
import type { ChainReads } from "../chain-view.ts";
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
    return filters.add({ kind: "logs", filter, next: firstBlock(chain, filter.fromBlock) }, client.address);
  },
});

/** Of a past block what has been is told first. The last block is not one: whoever names it wants what comes. */
function firstBlock(chain: ChainReads, from: BlockReference = LATEST): number {
  const next = chain.head.header.number + 1n;
  if ("number" in from && from.number > next) return Number(from.number);
  const isPast = !("tag" in from) || from.tag === "earliest";
  const found = isPast ? findBlock(chain, from) : undefined;
  return Number(found?.header.number ?? next);
}
