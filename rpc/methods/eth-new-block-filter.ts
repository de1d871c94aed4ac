import { defineMethod, type RpcMethod } from "../method.ts";
import { ID_SCHEMA } from "../subscriptions/parameters.ts";

export const ethNewBlockFilter: RpcMethod = defineMethod({
  name: "eth_newBlockFilter",
  summary: "Makes a filter of new blocks, to be polled.",
  result: ID_SCHEMA,
  parameters: [],
  run: ({ chain, client, filters }) =>
    filters.add({ kind: "blocks", next: Number(chain.head.header.number) + 1 }, client.address),
});
