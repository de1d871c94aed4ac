import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { QUANTITY } from "../schema.ts";

export const netPeerCount: RpcMethod = defineMethod({
  name: "net_peerCount",
  summary: "How many peers the node has.",
  result: QUANTITY,
  parameters: [],
  run: async ({ chain, wait }) => quantityText((await wait(Promise.resolve(chain.status()))).peers.length),
});
