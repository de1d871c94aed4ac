import { defineMethod, type RpcMethod } from "../method.ts";
import { BOOLEAN } from "../schema.ts";
import { requireSubscriber, subscriptionId } from "../subscriptions/parameters.ts";

export const ogpuUnsubscribe: RpcMethod = defineMethod({
  name: "ogpu_unsubscribe",
  summary: "Ends a subscription of this connection; false when it has no such one.",
  result: BOOLEAN,
  parameters: [subscriptionId],
  run: ({ client, subscriptions }, id) => subscriptions.remove(requireSubscriber(client), id),
});
