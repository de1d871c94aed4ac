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
    limits: readValue("--rpc-limit", rpcLimit.join(","), path, () => limitsFrom(parts(rpcLimit))),
    access: { cors: rpcCors.length === 0 ? ["*"] : parts(rpcCors), hosts: parts(rpcHosts), methods: parts(rpcMethods) },
  };
}

/** Each may be given several times, or once with commas. */
function parts(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => value.split(",")).filter((part) => part !== "");
}
