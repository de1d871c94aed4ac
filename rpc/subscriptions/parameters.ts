/** What the methods of subscriptions and filters take and answer. */
import type { Hex } from "../../base/bytes.ts";
import { named, type Parameter } from "../parameters.ts";
import type { RpcClient, Subscriber } from "../request-budget.ts";
import { invalidParams, METHOD_NOT_FOUND, RpcError } from "../rpc-error.ts";
import { ANYTHING, DATA, type JsonSchema } from "../schema.ts";

export const ID_SCHEMA: JsonSchema = DATA;

/** Any that a node may have given: other nodes leave out leading zeros, and are to be told that there is no such one. */
const id: Parameter<Hex> = {
  wanted: "an id: 0x and at most 64 hexadecimal digits",
  schema: { title: "id", type: "string", pattern: "^0x[0-9a-fA-F]{1,64}$" },
  read(value, where) {
    if (typeof value === "string" && /^0x[0-9a-f]{1,64}$/i.test(value)) return value.toLowerCase() as Hex;
    throw invalidParams(`${where} must be ${this.wanted}`);
  },
};

export const subscriptionId: Parameter<Hex> = named("subscription", id);
export const filterId: Parameter<Hex> = named("filter", id);

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
