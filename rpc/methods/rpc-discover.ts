import { defineMethod, type RpcMethod } from "../method.ts";
import { openRpcDocument } from "../open-rpc.ts";
import { ANYTHING, mapOf } from "../schema.ts";

/** The document of these methods, and of this one. */
export function rpcDiscover(methods: readonly RpcMethod[]): RpcMethod {
  const own: RpcMethod = defineMethod({
    name: "rpc.discover",
    summary: "The OpenRPC document of all methods.",
    result: mapOf(ANYTHING),
    parameters: [],
    run: ({ clientVersion }) => openRpcDocument([...methods, own], clientVersion),
  });
  return own;
}
