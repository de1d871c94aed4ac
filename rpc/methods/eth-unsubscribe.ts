import { defineMethod, type RpcMethod } from "../method.ts";
import { BOOLEAN } from "../schema.ts";
import { requireSubscriber, subscriptionId } from "../subscriptions/parameters.ts";

export const ethUnsubscribe: RpcMethod = defineMethod({
  name: "eth_unsubscribe",
  summary: "Ends a subscription of this connection; false when it has no such one.",
  result: BOOLEAN,
  parameters: [subscriptionId],
  run: ({ client, subscriptions }, id) => subscriptions.remove(requireSubscriber(client), id),
});
