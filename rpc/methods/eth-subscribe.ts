import { defineMethod, type RpcMethod } from "../method.ts";
import { named, text } from "../parameters.ts";
import { ID_SCHEMA, requireSubscriber, topicOptions } from "../subscriptions/parameters.ts";
import { ethTopic, MAX_TOPIC_NAME } from "../subscriptions/topic.ts";

export const ethSubscribe: RpcMethod = defineMethod({
  name: "eth_subscribe",
  summary: "Asks to be told of new heads, logs, waiting transactions or syncing, over WebSocket.",
  result: ID_SCHEMA,
  parameters: [named("subscription", text(MAX_TOPIC_NAME)), topicOptions],
  run: ({ client, subscriptions }, name, options) =>
    subscriptions.add(requireSubscriber(client), client.address, "eth", ethTopic(name, options)),
});
