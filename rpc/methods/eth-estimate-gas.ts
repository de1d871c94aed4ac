import { blockReference, LATEST } from "../block-reference.ts";
import { callRequest } from "../call-request.ts";
import { jobBlock } from "../calls/job-block.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { optional } from "../parameters.ts";
import { QUANTITY } from "../schema.ts";
import { blockOverrides, NO_BLOCK_OVERRIDES, NO_OVERRIDES, stateOverrides } from "../state-override.ts";

export const ethEstimateGas: RpcMethod = defineMethod({
  name: "eth_estimateGas",
  summary: "The least gas limit with which a transaction succeeds.",
  result: QUANTITY,
  parameters: [
    callRequest,
    optional(blockReference, LATEST),
    optional(stateOverrides, NO_OVERRIDES),
    optional(blockOverrides, NO_BLOCK_OVERRIDES),
  ],
  run: async ({ chain, job }, request, block, state, environment) =>
    quantityText(
      await job("estimateGas", {
        request,
        block: jobBlock(chain, block),
        stateOverrides: state,
        blockOverrides: environment,
      }),
    ),
});
