import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { objectOf, QUANTITY } from "../schema.ts";

/** Peers say their height a moment before or after we reach it. */
const TOLERANCE = 3;

export const ethSyncing: RpcMethod = defineMethod({
  name: "eth_syncing",
  summary: "How far the node is behind its peers; false when it is not.",
  result: {
    anyOf: [{ type: "boolean" }, objectOf({ startingBlock: QUANTITY, currentBlock: QUANTITY, highestBlock: QUANTITY })],
  },
  parameters: [],
  run: async ({ chain, wait }) => {
    const { peers } = await wait(Promise.resolve(chain.status()));
    const current = Number(chain.head.header.number);
    const highest = peers.reduce((most, { height }) => Math.max(most, height), 0);
    if (highest <= current + TOLERANCE) return false;
    return {
      startingBlock: quantityText(chain.base),
      currentBlock: quantityText(current),
      highestBlock: quantityText(highest),
    };
  },
});
