import { defineMethod, type RpcMethod } from "../method.ts";
import { ADDRESS } from "../schema.ts";

export const ethCoinbase: RpcMethod = defineMethod({
  name: "eth_coinbase",
  summary: "The account that gets the tips of this node's blocks.",
  result: ADDRESS,
  parameters: [],
  run: async ({ chain, wait }) => (await wait(Promise.resolve(chain.status()))).coinbase,
});
