import type { Hex } from "../../base/bytes.ts";
import { type CallRequest, callFailure, messageOf, outputText, requireChain } from "../call-request.ts";
import { type CallPlace, callSetting } from "./call-setting.ts";
import type { JobContext } from "./job-context.ts";

export interface CallJobRequest extends CallPlace {
  readonly request: CallRequest;
}

/** What the call returns. Throws what eth_call answers with. */
export async function callJob(context: JobContext, { request, ...place }: CallJobRequest): Promise<Hex> {
  requireChain(request, context.spec.chainId);
  const { state, environment, precompiles } = callSetting(context, place);
  const message = messageOf(request, environment, context.limits.callGas);
  const outcome = await context.caller.call(state, environment, message, { precompiles });
  if (!outcome.succeeded) throw callFailure(outcome, message.gasLimit);
  return outputText(outcome.output);
}
