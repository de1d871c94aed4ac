import { estimateGas } from "../../vm/execution/estimate-gas.ts";
import { blockReference, LATEST, requireBlock } from "../block-reference.ts";
import { callEnvironment } from "../call-environment.ts";
import { callFailure, callRequest, messageOf } from "../call-request.ts";
import { quantityText } from "../format.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { optional } from "../parameters.ts";

export const ethEstimateGas: RpcMethod = defineMethod({
  name: "eth_estimateGas",
  parameters: [callRequest, optional(blockReference, LATEST)],
  run: async ({ chain, caller }, request, reference) => {
    const block = requireBlock(chain, reference);
    const state = chain.stateAt(Number(block.header.number));
    const message = messageOf(request, block);
    const estimate = await estimateGas(caller, state, callEnvironment(chain, block), message);
    if ("failed" in estimate) throw callFailure(estimate.failed, message.gasLimit);
    return quantityText(estimate.gas);
  },
});
