import { defineMethod, type RpcMethod } from "../method.ts";
import { ANYTHING, listOf } from "../schema.ts";

export const debugGetBadBlocks: RpcMethod = defineMethod({
  name: "debug_getBadBlocks",
  summary: "None: blocks that are not valid are not kept.",
  result: listOf(ANYTHING),
  parameters: [],
  run: () => [],
});
