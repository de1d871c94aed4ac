import { blockReference, LATEST, requireBlock } from "../block-reference.ts";
import { callEnvironment } from "../call-environment.ts";
import { callFailure, callRequest, messageOf, outputText } from "../call-request.ts";
import { defineMethod, type RpcMethod } from "../method.ts";
import { optional } from "../parameters.ts";

export const ethCall: RpcMethod = defineMethod({
  name: "eth_call",
  parameters: [callRequest, optional(blockReference, LATEST)],
  run: async ({ chain, caller }, request, reference) => {
    const block = requireBlock(chain, reference);
    const state = chain.stateAt(Number(block.header.number));
    const message = messageOf(request, block);
    const outcome = await caller.call(state, callEnvironment(chain, block), message);
    if (!outcome.succeeded) throw callFailure(outcome, message.gasLimit);
    return outputText(outcome.output);
  },
});
