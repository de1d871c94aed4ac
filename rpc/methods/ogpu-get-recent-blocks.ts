import { defineMethod, type RpcMethod } from "../method.ts";
import { integer, mapped, named, optional } from "../parameters.ts";
import { invalidParams } from "../rpc-error.ts";
import { listOf } from "../schema.ts";
import { BLOCK_FACTS, factsJson } from "../watch/block-facts.ts";
import { MAX_RECENT_BLOCKS } from "../watch/limits.ts";

const count = mapped(named("count", integer), (value, where) => {
  if (value > MAX_RECENT_BLOCKS) throw invalidParams(`${where} is at most ${MAX_RECENT_BLOCKS}`);
  return value;
});

export const ogpuGetRecentBlocks: RpcMethod = defineMethod({
  name: "ogpu_getRecentBlocks",
  summary: "The last blocks at a glance: when each was made and final, what it holds, and who signed it.",
  result: listOf(BLOCK_FACTS),
  parameters: [optional(count, MAX_RECENT_BLOCKS)],
  run: ({ watch }, wanted) => watch.recentBlocks(wanted).map(factsJson),
});
