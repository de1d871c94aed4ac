/** From the options of a node to how its RPC runs. */
import type { RpcAccess } from "../../rpc/access.ts";
import { limitsFrom, type RpcLimits } from "../../rpc/limits.ts";
import { readValue } from "../failure.ts";
import type { NodeOptions } from "./node-options.ts";

export interface RpcOptions {
  readonly host: string;
  readonly port: number;
  readonly limits: RpcLimits;
  readonly access: RpcAccess;
}

/** `undefined`: there is none. `path` is how the command is called, for messages. */
export function rpcOptions(options: NodeOptions, path: string): RpcOptions | undefined {
  if (options.noRpc) return undefined;
  const { rpcHost: host, rpcPort: port, rpcCors, rpcHosts, rpcMethods, rpcLimit } = options;
  return {
    host,
    port,
    limits: readRpcLimits(rpcLimit, path),
    access: { cors: rpcCors.length === 0 ? ["*"] : parts(rpcCors), hosts: parts(rpcHosts), methods: parts(rpcMethods) },
  };
}

/** Throws USAGE. */
export function readRpcLimits(texts: readonly string[], path: string): RpcLimits {
  return readValue("--rpc-limit", texts.join(","), path, () => limitsFrom(parts(texts)));
}

/** Each may be given several times, or once with commas. */
function parts(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => value.split(",")).filter((part) => part !== "");
}
