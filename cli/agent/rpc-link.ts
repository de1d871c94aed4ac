/** The typed client over a node's JSON-RPC, with this program's errors. */
import { type Client, createClient, custom } from "viem";
import { type CodedError, isCoded } from "../../base/errors.ts";
import { type OgpuActions, ogpuActions } from "../../rpc/client/ogpu-actions.ts";
import { callRpc } from "../json-rpc-client.ts";

/** As viem expects what a node refuses: it tells reverts by the code and the data. */
class Refusal extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ message, data }: CodedError) {
    super(message);
    this.code = Number(data["rpcCode"]);
    this.data = data["reason"];
  }
}

export type RpcLink = OgpuActions & { readonly url: string; readonly client: Client };

export function connectRpc(url: string): RpcLink {
  const request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    try {
      return await callRpc<unknown>(url, method, (params ?? []) as readonly unknown[]);
    } catch (error) {
      throw isCoded(error, "RPC_REFUSED") ? new Refusal(error) : error;
    }
  };
  const client = createClient({ transport: custom({ request }, { retryCount: 0 }) });
  return { ...ogpuActions(client), url, client };
}
