import { defineMethod, type RpcMethod } from "../method.ts";
import { BOOLEAN } from "../schema.ts";
import { filterId } from "../subscriptions/parameters.ts";

export const ethUninstallFilter: RpcMethod = defineMethod({
  name: "eth_uninstallFilter",
  summary: "Ends a filter; false when there is no such one.",
  result: BOOLEAN,
  parameters: [filterId],
  run: ({ filters }, id) => filters.remove(id),
});
