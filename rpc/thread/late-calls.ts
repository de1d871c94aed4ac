/**
 * Calls on a recent state that no worker has: one that has just been started, or was busy while blocks went by, knows fewer
 * of them than the RPC's thread, and a caller who was told of a block must find it. Such calls run here. They are few, and
 * the EVM is loaded when there is the first. What one takes, and what all take, is bounded: whoever kills workers with
 * calls that take too long could otherwise have the next ones run here, where everybody is answered.
 */
import { isCoded } from "../../base/errors.ts";
import type { JobCaller } from "../calls/job-caller.ts";
import type { JobName, JobRequest, JobResult, RunJob } from "../calls/jobs.ts";
import type { RpcLimits } from "../limits.ts";
import type { JobRunner } from "../method.ts";
import { EXECUTION_REVERTED, RpcError } from "../rpc-error.ts";
import type { Now } from "../turns.ts";
import type { ViewReads } from "../view-reads.ts";

/** Others may take longer than this thread can be spared. */
const LIGHT: readonly JobName[] = ["call", "estimateGas"];
/** Of one call. What needs more is told what it would be told without us. */
const LATE_GAS = 2_000_000;
/** Milliseconds of these calls at once, and of each millisecond that passes. */
const BURST = 200;
const SHARE = 0.1;

export function withLateCalls(
  pool: JobRunner,
  reads: ViewReads,
  limits: RpcLimits,
  now: Now = () => performance.now(),
): JobRunner {
  const late = new LateCalls(reads, limits, now);
  return (name, request, caller) =>
    pool(name, request, caller).catch((error: unknown) => {
      const isLate = isCoded(error, "STORE_NO_ARCHIVE") && reads.view.retains(Number(error.data["number"]));
      if (!isLate || !LIGHT.includes(name)) throw error;
      return late.run(name, request, caller, error);
    });
}

class LateCalls {
  readonly #reads: ViewReads;
  readonly #limits: RpcLimits;
  readonly #now: Now;
  #jobs: Promise<RunJob> | undefined;
  /** Settled when the last one is done. */
  #order: Promise<unknown> = Promise.resolve();
  #left = BURST;
  #leftAt: number;

  constructor(reads: ViewReads, limits: RpcLimits, now: Now) {
    this.#reads = reads;
    this.#limits = { ...limits, callGas: Math.min(limits.callGas, LATE_GAS) };
    this.#now = now;
    this.#leftAt = now();
  }

  /** One after the other, others having their turns between them. Rejects with `error` where it cannot be run. */
  run<Name extends JobName>(
    name: Name,
    request: JobRequest<Name>,
    caller: JobCaller,
    error: Error,
  ): Promise<JobResult<Name>> {
    const result = this.#after(this.#order, name, request, caller, error);
    const next = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    this.#order = result.then(next, next);
    return result;
  }

  async #after<Name extends JobName>(
    order: Promise<unknown>,
    name: Name,
    request: JobRequest<Name>,
    caller: JobCaller,
    error: Error,
  ): Promise<JobResult<Name>> {
    this.#jobs ??= import("../local-jobs.ts").then(({ localJobs }) => localJobs(this.#reads, this.#limits));
    const run = await this.#jobs;
    await order;
    caller.check();
    const begun = this.#now();
    this.#left = Math.min(BURST, this.#left + SHARE * (begun - this.#leftAt));
    this.#leftAt = begun;
    if (this.#left <= 0) throw error;
    try {
      return await run(name, request);
    } catch (failure) {
      // With so little gas only a revert is sure to be the call's own.
      if (failure instanceof RpcError && failure.body.code !== EXECUTION_REVERTED) throw error;
      throw failure;
    } finally {
      const took = this.#now() - begun;
      this.#left -= took;
      caller.spend(took);
    }
  }
}
