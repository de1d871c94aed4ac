import { blockReference, LATEST } from "../block-reference.ts";
import { callRequest } from "../call-request.ts";
import { jobBlock } from "../calls/job-block.ts";
import { JsonText } from "../envelope.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { optional } from "../parameters.ts";
import { ANYTHING } from "../schema.ts";
import { traceCallOptions } from "../trace-options.ts";

export const debugTraceCall: RpcMethod = defineMethod({
  name: "debug_traceCall",
  summary: "Runs a call without changing anything and tells what it did.",
  result: ANYTHING,
  parameters: [
    callRequest,
    optional(blockReference, LATEST),
    optional(traceCallOptions, traceCallOptions.read({}, "options")),
  ],
  run: async ({ chain, job }, request, block, options) =>
    new JsonText(await job("traceCall", { request, block: jobBlock(chain, block), ...options })),
});
