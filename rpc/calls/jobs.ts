/**
 * What runs the EVM for callers, hashes what they want signed, and answers batches of reads. A job is a function of the chain and a request; it runs on a call worker, where it delays
 * nobody and is stopped when it takes too long, or in tests on the caller's thread. Requests and results cross threads:
 * plain objects of text, numbers, bigints and bytes. What it throws (CodedError, RpcError) reaches the method as it was.
 */
import { accessListJob } from "./access-list-job.ts";
import { callJob } from "./call-job.ts";
import { estimateJob } from "./estimate-job.ts";
import type { JobContext } from "./job-context.ts";
import { readsJob } from "./reads-job.ts";
import { simulateJob } from "./simulate/simulate-job.ts";
import { traceBlockJob, traceCallJob, traceTransactionJob } from "./trace-jobs.ts";
import { typedDataJob } from "./typed-data-job.ts";

interface CallJobs {
  readonly reads: typeof readsJob;
  readonly call: typeof callJob;
  readonly estimateGas: typeof estimateJob;
  readonly accessList: typeof accessListJob;
  readonly simulate: typeof simulateJob;
  readonly traceTransaction: typeof traceTransactionJob;
  readonly traceBlock: typeof traceBlockJob;
  readonly traceCall: typeof traceCallJob;
  readonly typedData: typeof typedDataJob;
}

export const CALL_JOBS: CallJobs = {
  reads: readsJob,
  call: callJob,
  estimateGas: estimateJob,
  accessList: accessListJob,
  simulate: simulateJob,
  traceTransaction: traceTransactionJob,
  traceBlock: traceBlockJob,
  traceCall: traceCallJob,
  typedData: typedDataJob,
};

export type JobName = keyof CallJobs;
export type JobRequest<Name extends JobName> = Parameters<CallJobs[Name]>[1];
export type JobResult<Name extends JobName> = Awaited<ReturnType<CallJobs[Name]>>;

/** Asks for a job, wherever it runs. */
export type RunJob = <Name extends JobName>(name: Name, request: JobRequest<Name>) => Promise<JobResult<Name>>;

/** Runs a job here. */
export async function runJob<Name extends JobName>(
  context: JobContext,
  name: Name,
  request: JobRequest<Name>,
): Promise<JobResult<Name>> {
  const job = CALL_JOBS[name] as (context: JobContext, request: JobRequest<Name>) => unknown;
  return (await job(context, request)) as JobResult<Name>;
}
