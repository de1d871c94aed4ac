import { defineMethod, type RpcMethod } from "../method.ts";

/** A chain of one node has nobody to catch up with. */
export const ethSyncing: RpcMethod = defineMethod({
  name: "eth_syncing",
  parameters: [],
  run: () => false,
});
