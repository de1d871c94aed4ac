import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { listOf, objectOf, QUANTITY, TEXT } from "../schema.ts";

export const ogpuGetPeers: RpcMethod = defineMethod({
  name: "ogpu_getPeers",
  summary: "The peers of the node and the last block that each says it has.",
  result: listOf(objectOf({ id: TEXT, height: QUANTITY })),
  parameters: [],
  run: async ({ chain, wait }) => {
    const { peers } = await wait(Promise.resolve(chain.status()));
    return peers.map(({ peer, height }) => ({ id: peer, height: quantityText(height) }));
  },
});
