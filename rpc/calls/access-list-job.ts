import type { AccessListEntry } from "../../vm/transaction/transaction.ts";
import { messageOf, requireChain, revertMessage } from "../call-request.ts";
import { MAX_ACCESS_LIST_TRIALS } from "../limits.ts";
import { AccessListener } from "./access-listener.ts";
import type { CallJobRequest } from "./call-job.ts";
import { callSetting } from "./call-setting.ts";
import type { JobContext } from "./job-context.ts";

export interface AccessListResult {
  readonly accessList: readonly AccessListEntry[];
  readonly gasUsed: bigint;
  /** Why the call fails, also with the list. */
  readonly error: string | undefined;
}

/** What the call touches, as a list to send with it. The list changes what gas costs, so it is tried until it stays. */
export async function accessListJob(
  context: JobContext,
  { request, ...place }: CallJobRequest,
): Promise<AccessListResult> {
  requireChain(request, context.spec.chainId);
  const { state, environment, precompiles } = callSetting(context, place);
  let accessList = request.accessList ?? [];
  for (let trial = 1; ; trial++) {
    const message = messageOf({ ...request, accessList }, environment, context.limits.callGas);
    const listener = new AccessListener(accessList, message.from, message.to);
    const outcome = await context.caller.call(state, environment, message, { precompiles, listener });
    const found = listener.accessList(outcome.createdAddress, context.rules.fork);
    if (sizeOf(found) === sizeOf(accessList) || trial === MAX_ACCESS_LIST_TRIALS) {
      const { failure, output, gasUsed } = outcome;
      return { accessList: found, gasUsed, error: failure === "execution reverted" ? revertMessage(output) : failure };
    }
    accessList = found;
  }
}

/** Lists only grow. */
function sizeOf(list: readonly AccessListEntry[]): number {
  return list.reduce((size, { slots }) => size + 1 + slots.length, 0);
}
