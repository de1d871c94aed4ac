import { defineMethod, type RpcMethod } from "../method.ts";
import { named, text } from "../parameters.ts";
import { ID_SCHEMA, requireSubscriber, topicOptions } from "../subscriptions/parameters.ts";
import { MAX_TOPIC_NAME, ogpuTopic } from "../subscriptions/topic.ts";

export const ogpuSubscribe: RpcMethod = defineMethod({
  name: "ogpu_subscribe",
  summary: "Asks to be told of finality, of the progress of a job, or of the events of one module, over WebSocket.",
  result: ID_SCHEMA,
  parameters: [named("subscription", text(MAX_TOPIC_NAME)), topicOptions],
  run: ({ chain, client, subscriptions }, name, options) =>
    subscriptions.add(requireSubscriber(client), client.address, "ogpu", ogpuTopic(name, options, chain.spec)),
});
