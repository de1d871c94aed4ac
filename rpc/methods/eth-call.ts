import { blockReference, LATEST } from "../block-reference.ts";
import { callRequest } from "../call-request.ts";
import { jobBlock } from "../calls/job-block.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { optional } from "../parameters.ts";
import { DATA } from "../schema.ts";
import { blockOverrides, NO_BLOCK_OVERRIDES, NO_OVERRIDES, stateOverrides } from "../state-override.ts";

export const ethCall: RpcMethod = defineMethod({
  name: "eth_call",
  summary: "Runs a call without changing anything, and answers with what it returns.",
  result: DATA,
  parameters: [
    callRequest,
    optional(blockReference, LATEST),
    optional(stateOverrides, NO_OVERRIDES),
    optional(blockOverrides, NO_BLOCK_OVERRIDES),
  ],
  run: ({ chain, job }, request, block, state, environment) =>
    job("call", { request, block: jobBlock(chain, block), stateOverrides: state, blockOverrides: environment }),
});
