import { defineMethod, type RpcMethod } from "../method.ts";
import { TEXT } from "../schema.ts";

export const netVersion: RpcMethod = defineMethod({
  name: "net_version",
  summary: "The chain id as decimal text.",
  result: TEXT,
  parameters: [],
  run: ({ chain }) => chain.spec.chainId.toString(),
});
