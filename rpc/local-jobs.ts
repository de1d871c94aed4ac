import { MessageCaller } from "../vm/execution/call-message.ts";
import { rulesOfSpec } from "../vm/rules-of-spec.ts";
import { answerReads } from "./answer-reads.ts";
import { type RunJob, runJob } from "./calls/jobs.ts";
import type { ChainReads } from "./chain-view.ts";
import type { RpcLimits } from "./limits.ts";
import type { JobRunner } from "./method.ts";

/** Jobs on the caller's own thread: on call workers, and where there is no pool of them. */
export function localJobs(chain: ChainReads, limits: RpcLimits, onLater?: () => void): RunJob {
  const { spec } = chain;
  const rules = rulesOfSpec(spec);
  const context = {
    ...{ chain, spec, rules, caller: new MessageCaller(rules), limits, onLater },
    answerReads: (body: string) => answerReads(body, chain),
  };
  return (name, request) => runJob(context, name, request);
}

/** The same for a server: everybody else has a turn between two calls. */
export function localJobRunner(chain: ChainReads, limits: RpcLimits): JobRunner {
  const run = localJobs(chain, limits);
  return (name, request) => new Promise((resolve) => setImmediate(resolve)).then(() => run(name, request));
}
