import { blockReference, LATEST } from "../block-reference.ts";
import { jobBlock } from "../calls/job-block.ts";
import { JsonText } from "../envelope.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { optional } from "../parameters.ts";
import { ANYTHING, listOf, mapOf } from "../schema.ts";
import { simulateRequest } from "../simulate-request.ts";

export const ethSimulateV1: RpcMethod = defineMethod({
  name: "eth_simulateV1",
  summary: "Runs blocks of calls on top of a block without changing anything. The state root of such a block is zeros.",
  result: listOf(mapOf(ANYTHING)),
  parameters: [simulateRequest, optional(blockReference, LATEST)],
  run: async ({ chain, job }, request, block) =>
    new JsonText(await job("simulate", { request, block: jobBlock(chain, block) })),
});
