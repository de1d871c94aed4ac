/**
 * The public actions of a viem client for the compute market:
 *
 *     const client = createPublicClient({ transport: webSocket(url) }).extend(marketActions);
 *     for await (const job of client.watchJob({ job: 7n })) console.log(job.status);
 *     const [output] = await client.getJobOutputs({ job: 7n });
 */
import type { Client, Hex } from "viem";
import { bytesToHex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { readBody } from "../../base/read-body.ts";
import { MAX_BUFFER_BYTES } from "../../compute/program/limits.ts";
import { contentAddress } from "../../compute/program/merkle.ts";
import {
  isOver,
  type MarketJob,
  type MarketReceipt,
  type MarketSource,
  type ProgramSummary,
} from "./market-answers.ts";
import { ogpuActions } from "./ogpu-actions.ts";

export interface TaskQuote {
  /** For the worker and fees. */
  readonly price: bigint;
  /** For those who check. */
  readonly verification: bigint;
  readonly total: bigint;
  /** Of the client's trust lock, set aside until the job is over. */
  readonly lock: bigint;
}

export interface WatchOptions {
  readonly job: bigint;
  /** Milliseconds between two looks. */
  readonly interval?: number;
  readonly signal?: AbortSignal;
}

export interface OutputOptions {
  readonly job: bigint;
  /** Base URLs that serve `/blobs/<address>`, besides the worker's own and the node's. */
  readonly places?: readonly string[];
  readonly signal?: AbortSignal;
}

/** A type and not an interface: viem extends clients by what has any further names. */
export type MarketActions = {
  getJob(of: { readonly job: bigint }): Promise<MarketJob>;
  /** What the client got for its money, in numbers. */
  getJobReceipt(of: { readonly job: bigint }): Promise<MarketReceipt>;
  getSource(of: { readonly source: bigint }): Promise<MarketSource>;
  getProgramSummary(of: { readonly program: Hex }): Promise<ProgramSummary>;
  quoteTask(of: { readonly source: bigint }): Promise<TaskQuote>;
  /** The job now, and whenever it has changed, until it is over. */
  watchJob(options: WatchOptions): AsyncGenerator<MarketJob>;
  /**
   * The outputs of a job whose result was accepted, each checked to be exactly what verifiers checked. Throws
   * JOB_NOT_ACCEPTED, or JOB_OUTPUT_ABSENT when nobody gives them.
   */
  getJobOutputs(options: OutputOptions): Promise<readonly Uint8Array[]>;
};

const PAUSE_MILLISECONDS = 250;

export function marketActions(client: Client): MarketActions {
  const { readModule } = ogpuActions(client);
  const jobOf = (job: bigint): Promise<MarketJob> =>
    readModule({ module: "market", functionName: "jobOf", args: [job] });
  return {
    getJob: ({ job }) => jobOf(job),
    getJobReceipt: ({ job }) => readModule({ module: "market", functionName: "receiptOf", args: [job] }),
    getSource: ({ source }) => readModule({ module: "market", functionName: "sourceOf", args: [source] }),
    getProgramSummary: ({ program }) => readModule({ module: "programs", functionName: "summaryOf", args: [program] }),
    quoteTask: async ({ source }) => {
      const [price, verification, total, lock] = await readModule({
        ...{ module: "market", functionName: "quoteTask", args: [source] },
      });
      return { price, verification, total, lock };
    },
    watchJob: (options) => watch(jobOf, options),
    getJobOutputs: async ({ job: id, places = [], signal }) => {
      const [done, accepted, outputs] = await readModule({ module: "market", functionName: "resultOf", args: [id] });
      if (!done || !accepted) throw notAccepted(id, done);
      const { worker } = await jobOf(id);
      const { endpoint } = await readModule({ module: "providers", functionName: "providerOf", args: [worker] });
      const { url } = client.transport as { readonly url?: string };
      const bases = [...places, endpoint, url].filter((base) => base?.startsWith("http"));
      return Promise.all(outputs.map((address) => fetchBlob(address, bases as readonly string[], signal)));
    },
  };
}

async function* watch(
  jobOf: (job: bigint) => Promise<MarketJob>,
  { job: id, interval = PAUSE_MILLISECONDS, signal }: WatchOptions,
): AsyncGenerator<MarketJob> {
  let last = "";
  while (signal?.aborted !== true) {
    const job = await jobOf(id);
    const text = JSON.stringify(job, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
    if (text !== last) yield job;
    last = text;
    if (isOver(job.status)) return;
    await pause(interval, signal);
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done, { once: true });
  });
}

function notAccepted(job: bigint, isDone: boolean): CodedError {
  const what = isDone ? "was not accepted" : "is not over yet";
  return new CodedError("JOB_NOT_ACCEPTED", `job ${job} has no result: it ${what}`, { job: job.toString() });
}

/** From the first place that has it; what has another address is as good as nothing. */
async function fetchBlob(
  address: Hex,
  places: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  for (const place of places) {
    const contents = await fetchFrom(`${place.replace(/\/$/, "")}/blobs/${address}`, signal);
    if (contents !== undefined && bytesToHex(contentAddress(contents)) === address) return contents;
  }
  throw new CodedError("JOB_OUTPUT_ABSENT", `nobody gives the output ${address}`, {
    ...{ address, places },
    hint: "Try again, name other places, or demand it on chain: a worker that withholds its output is punished.",
  });
}

/** A worker's own address may lead anywhere, and send without end: nothing is followed, nor kept beyond what a buffer has. */
async function fetchFrom(
  url: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<Uint8Array | undefined> {
  try {
    const response = await fetch(url, { redirect: "error", signal });
    return response.ok ? await readBody(response.body, MAX_BUFFER_BYTES, signal) : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
