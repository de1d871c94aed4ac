/** The methods of the admin socket. They are on no other. */
import { INVALID_PARAMS, RpcError } from "../rpc-error.ts";
import type { AdminPort } from "./admin-port.ts";

export interface AdminMethod {
  /** What its parameters are, all of them text. */
  readonly parameters: readonly string[];
  run(port: AdminPort, ...values: readonly string[]): unknown;
}

const MAX_TEXT = 1_024;

export const ADMIN_METHODS: Readonly<Record<string, AdminMethod>> = {
  admin_nodeInfo: { parameters: [], run: (port) => port.nodeInfo() },
  admin_peers: { parameters: [], run: (port) => port.peers() },
  admin_addPeer: {
    parameters: ["a multiaddr with the peer's id"],
    run: (port, address = "") => {
      port.addPeer(address);
      return true;
    },
  },
  admin_logLevel: {
    parameters: ["levels, such as info,consensus=debug"],
    run: (port, levels = "") => {
      port.setLogLevels(levels);
      return true;
    },
  },
};

/** Throws an RpcError, and what the method throws. */
export function callAdminMethod(
  port: AdminPort,
  { parameters, run }: AdminMethod,
  params: readonly unknown[],
): unknown {
  if (params.length > parameters.length) throw invalid(`at most ${parameters.length} parameters`);
  const values = parameters.map((wanted, index) => {
    const value = params[index];
    if (typeof value !== "string" || value.length > MAX_TEXT) throw invalid(`parameter ${index + 1} must be ${wanted}`);
    return value;
  });
  return run(port, ...values);
}

function invalid(message: string): RpcError {
  return new RpcError(INVALID_PARAMS, message);
}
