import { defineMethod, type RpcMethod } from "../method.ts";

/** The node holds nobody's keys. */
export const ethAccounts: RpcMethod = defineMethod({
  name: "eth_accounts",
  parameters: [],
  run: () => [],
});
