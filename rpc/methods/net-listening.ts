import { defineMethod, type RpcMethod } from "../method.ts";
import { BOOLEAN } from "../schema.ts";

export const netListening: RpcMethod = defineMethod({
  name: "net_listening",
  summary: "Whether the node takes connections.",
  result: BOOLEAN,
  parameters: [],
  run: () => true,
});
