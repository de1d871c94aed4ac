import { defineMethod, type RpcMethod } from "../method.ts";

export const web3ClientVersion: RpcMethod = defineMethod({
  name: "web3_clientVersion",
  parameters: [],
  run: ({ clientVersion }) => clientVersion,
});
