import { defineMethod, type RpcMethod } from "../method.ts";
import { TEXT } from "../schema.ts";

export const web3ClientVersion: RpcMethod = defineMethod({
  name: "web3_clientVersion",
  summary: "The program and its version.",
  result: TEXT,
  parameters: [],
  run: ({ clientVersion }) => clientVersion,
});
