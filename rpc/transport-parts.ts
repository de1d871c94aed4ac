/** What every way into the RPC works with: plain sockets, Node.js' HTTP server, WebSocket. */
import type { Access } from "./access.ts";
import type { Addresses } from "./addresses.ts";
import type { Admission } from "./admission.ts";
import type { Connections } from "./connections.ts";
import type { JsonRpc, OnBug } from "./json-rpc.ts";
import type { RpcLimits } from "./limits.ts";

export interface TransportParts {
  readonly rpc: JsonRpc;
  readonly access: Access;
  readonly addresses: Addresses;
  readonly admission: Admission;
  readonly connections: Connections;
  readonly limits: RpcLimits;
  readonly onBug: OnBug;
}
