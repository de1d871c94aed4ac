import { defineMethod, type RpcMethod } from "../method.ts";

/** Decimal, unlike everything else: so it was before quantities were. */
export const netVersion: RpcMethod = defineMethod({
  name: "net_version",
  parameters: [],
  run: ({ chain }) => chain.spec.chainId.toString(),
});
