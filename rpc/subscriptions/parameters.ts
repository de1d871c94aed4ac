/** What the methods of subscriptions and filters take and answer. */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { data, mapped, named, type Parameter } from "../parameters.ts";
import type { RpcClient, Subscriber } from "../request-budget.ts";
import { METHOD_NOT_FOUND, RpcError } from "../rpc-error.ts";
import { ANYTHING, DATA, type JsonSchema } from "../schema.ts";

export const ID_SCHEMA: JsonSchema = DATA;

export const subscriptionId: Parameter<Hex> = mapped(named("subscription", data), (bytes) => bytesToHex(bytes));
export const filterId: Parameter<Hex> = mapped(named("filter", data), (bytes) => bytesToHex(bytes));

/** Read by the topic that it belongs to. */
export const topicOptions: Parameter<unknown> = {
  name: "options",
  wanted: "what the subscription wants to know more",
  schema: ANYTHING,
  read: (value) => value,
  fallback: { value: undefined },
};

/** Throws where nothing can be sent unasked. */
export function requireSubscriber({ subscriber }: RpcClient): Subscriber {
  if (subscriber !== undefined) return subscriber;
  throw new RpcError(METHOD_NOT_FOUND, "notifications not supported: subscribe over WebSocket");
}
