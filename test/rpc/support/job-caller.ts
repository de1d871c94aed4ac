import type { JobCaller } from "../../../rpc/calls/job-caller.ts";

/** Somebody who waits for as long as it takes. */
export function callerAt(address = "local", changes: Partial<JobCaller> = {}): JobCaller {
  return { address, spend: () => undefined, check: () => undefined, ...changes };
}
