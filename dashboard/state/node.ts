/** The node that serves this page, as viem knows it. */
import { type Chain, type Client, createClient, custom, defineChain } from "viem";
import type { NodeStatus } from "../../rpc/client/answers.ts";
import { type OgpuActions, ogpuActions } from "../../rpc/client/ogpu-actions.ts";
import { RpcConnection, type Socket } from "../connection/rpc-connection.ts";

function openSocket(): Socket {
  const { protocol, host } = location;
  return new WebSocket(`${protocol === "https:" ? "wss" : "ws"}://${host}/`) as unknown as Socket;
}

export const connection: RpcConnection = new RpcConnection({
  open: openSocket,
  setTimer: (run, milliseconds) => setTimeout(run, milliseconds),
  clearTimer: (timer) => clearTimeout(timer as number),
});

/** Blocks come within a second, and the node is near: asking often costs nothing. */
const POLLING_MILLISECONDS = 250;

export type NodeClient = Client & OgpuActions;

export const node: NodeClient = createClient({
  transport: custom(connection, { retryCount: 0 }),
  pollingInterval: POLLING_MILLISECONDS,
}).extend(ogpuActions) as unknown as NodeClient;

export function ask<Result>(method: string, ...params: readonly unknown[]): Promise<Result> {
  return connection.request({ method, params }) as Promise<Result>;
}

export function chainOf({ chainId, network }: NodeStatus): Chain {
  return defineChain({
    id: chainId,
    name: `OpenGPU ${network}`,
    nativeCurrency: { name: "oGPU", symbol: "oGPU", decimals: 18 },
    rpcUrls: { default: { http: [location.origin] } },
  });
}
