/** Follows a job to its end: where it is, what its workers report, and at last the receipt and the outputs. */
import type { Hex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { isOver, type MarketJob, type MarketReceipt, statusName } from "../../rpc/client/market-answers.ts";
import type { CommandContext } from "../command.ts";
import { InputAnswers } from "./answer-inputs.ts";
import { fetchBlob } from "./bring-blobs.ts";
import { CheckpointHolder } from "./hold-checkpoint.ts";
import { progressBar, watchProgress } from "./job-progress.ts";
import type { MarketSession } from "./market-session.ts";
import { jobLine } from "./receipt-text.ts";
import { OutputWatch } from "./watch-outputs.ts";

export interface EndedJob {
  readonly job: MarketJob;
  readonly receipt: MarketReceipt;
}

/** Says each change once; `undefined` when the signal came first. */
export async function followJob(
  session: MarketSession,
  id: bigint,
  { event, progress, bar, signal }: CommandContext,
): Promise<EndedJob | undefined> {
  let told = "";
  let last: MarketJob | undefined;
  const holder = new CheckpointHolder(session, progress);
  const outputs = new OutputWatch(session, progress);
  const inputs = new InputAnswers(session, progress);
  let best = 0;
  const endProgress = watchProgress(session.link.url, id, (share) => {
    // Racers are not equally fast: what counts is who is first.
    best = Math.max(best, share);
    event({ event: "progress", job: id, share: best });
    if (last?.status === 3) bar(progressBar(best));
  });
  try {
    for await (const job of session.watch(id, signal)) {
      last = job;
      holder.onJob(job);
      outputs.onJob(job);
      inputs.onJob(job);
      const { status, reason, segment, worker } = job;
      const state = `${status} ${reason} ${segment} ${worker}`;
      if (state !== told) {
        best = 0;
        bar("");
        event({ event: "job", job: id, status: statusName(status), reason, segment, worker, by: job.by });
        progress(`job ${id} ${jobLine(job, await session.protocolTime())}`);
      }
      told = state;
    }
  } finally {
    endProgress();
    await outputs.close();
    bar("");
  }
  if (last === undefined || !isOver(last.status)) return undefined;
  return { job: last, receipt: await session.receipt(id) };
}

/** Checked to be what verifiers checked, by the names of the program's outputs. Throws JOB_NOT_ACCEPTED, JOB_OUTPUT_ABSENT. */
export async function fetchOutputs(
  session: MarketSession,
  { id, status, outputs, worker, traps }: MarketJob,
  names: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (statusName(status) !== "settled" || outputs.length === 0) {
    const why = traps ? "its program traps" : `it is ${statusName(status)}`;
    throw new CodedError("JOB_NOT_ACCEPTED", `job ${id} has no result: ${why}`, {
      hint: `ogpu job watch ${id} says what became of it.`,
    });
  }
  const places = [session.link.url, ...(await endpointOf(session, worker))];
  const contents = await Promise.all(outputs.map((address) => fetchBlob(address, places, session.web)));
  return new Map(contents.map((bytes, index) => [names[index] ?? `output${index}`, bytes]));
}

async function endpointOf({ link }: MarketSession, worker: Hex): Promise<readonly string[]> {
  const { endpoint } = await link.readModule({ module: "providers", functionName: "providerOf", args: [worker] });
  return endpoint.startsWith("http") ? [endpoint] : [];
}
