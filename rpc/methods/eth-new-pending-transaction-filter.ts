import { defineMethod, type RpcMethod } from "../method.ts";
import { ID_SCHEMA } from "../subscriptions/parameters.ts";

export const ethNewPendingTransactionFilter: RpcMethod = defineMethod({
  name: "eth_newPendingTransactionFilter",
  summary: "Makes a filter of transactions that begin to wait, to be polled.",
  result: ID_SCHEMA,
  parameters: [],
  run: ({ client, filters }) => filters.addPending(client.address),
});
