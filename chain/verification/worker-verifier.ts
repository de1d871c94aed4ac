/**
 * Signature checks on a thread of their own: a check takes one to two milliseconds of native code, in which the thread
 * that runs consensus would hear nothing. A thread that dies is replaced and its jobs are done again.
 */
import { Worker } from "node:worker_threads";
import type { Hex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import type { CheckJob, CheckResult } from "../consensus/check-job.ts";
import type { ValidatorSet } from "../consensus/validator-set.ts";
import { JobQueue, type Queued } from "./job-queue.ts";
import { DEFAULT_LIMITS, MAX_DEATHS, MAX_IN_HAND, MAX_SETS, type VerificationLimits } from "./limits.ts";
import { bytesOf, type FromWorker, packJob, settle, type ToWorker } from "./packed-job.ts";
import { type VerificationErrorCode, type Verifier, verificationClosed } from "./verifier.ts";

export interface WorkerVerifierOptions {
  readonly chainId: bigint;
  readonly limits?: VerificationLimits;
  /** The thread's program, for tests of crashes. */
  readonly workerUrl?: URL;
}

interface Entry extends Queued {
  /** Threads that died on it. */
  deaths: number;
  readonly resolve: (result: CheckResult) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  /** In the order in which it answers. */
  readonly inHand: Entry[];
  /** Sets that it has, the oldest first. */
  readonly sets: Set<Hex>;
  fault?: unknown;
}

export class WorkerVerifier implements Verifier {
  readonly #chainId: bigint;
  readonly #workerUrl: URL;
  readonly #queue: JobQueue<Entry>;
  #thread: Thread | undefined;
  #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor({ chainId, limits = DEFAULT_LIMITS, workerUrl = compiledWorkerUrl() }: WorkerVerifierOptions) {
    this.#chainId = chainId;
    this.#workerUrl = workerUrl;
    this.#queue = new JobQueue(limits);
  }

  get isBusy(): boolean {
    return this.#queue.isHalfFull;
  }

  async ready(): Promise<void> {
    if (this.isBusy) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async check(job: CheckJob): Promise<CheckResult> {
    if (this.#isClosed) throw verificationClosed();
    if (job.type === "pass") return { events: [job.event], blamed: [] };
    return new Promise((resolve, reject) => {
      const dropped = this.#queue.push({ job, bytes: bytesOf(job), deaths: 0, resolve, reject });
      for (const entry of dropped) entry.reject(overloaded());
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const entries = [...(this.#thread?.inHand.splice(0) ?? []), ...this.#queue.takeAll()];
    for (const entry of entries) entry.reject(verificationClosed());
    for (const resolve of this.#waiting.splice(0)) resolve();
    await this.#thread?.worker.terminate();
  }

  #dispatch(): void {
    while (this.#queue.size > 0) {
      this.#thread ??= this.#start();
      if (this.#thread.inHand.length >= MAX_IN_HAND) break;
      const entry = this.#queue.take();
      if (entry !== undefined) this.#give(this.#thread, entry);
    }
    if (!this.isBusy) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #start(): Thread {
    const worker = new Worker(this.#workerUrl, { workerData: { chainId: this.#chainId } });
    const thread: Thread = { worker, inHand: [], sets: new Set() };
    worker.on("message", (answer: FromWorker) => {
      const entry = thread.inHand.shift();
      // An idle thread must not keep the process alive.
      if (thread.inHand.length === 0) worker.unref();
      this.#dispatch();
      if ("fault" in answer) entry?.reject(new Error(answer.fault));
      else entry?.resolve(settle(entry.job, answer.verdict, this.#chainId));
    });
    // `exit` follows and does the rest; without a listener the error would end the process.
    worker.on("error", (error) => {
      thread.fault = error;
    });
    worker.on("exit", () => this.#bury(thread));
    return thread;
  }

  #give(thread: Thread, entry: Entry): void {
    const { worker, inHand } = thread;
    const { set } = entry.job;
    introduce(thread, set);
    inHand.push(entry);
    worker.ref();
    worker.postMessage({ type: "job", set: set.hash, job: packJob(entry.job) } satisfies ToWorker);
  }

  /** It worked on the first job in hand; the others did it no harm. */
  #bury(thread: Thread): void {
    if (this.#thread === thread) this.#thread = undefined;
    const [first, ...rest] = thread.inHand.splice(0);
    if (first === undefined || this.#isClosed) return;
    for (const entry of rest.reverse()) this.#queue.putBack(entry);
    first.deaths++;
    if (first.deaths < MAX_DEATHS) this.#queue.putBack(first);
    else first.reject(workerDied(thread.fault));
    this.#dispatch();
  }
}

/** Once per set and thread: it is the largest part of a job by far. */
function introduce({ worker, sets }: Thread, set: ValidatorSet): void {
  if (sets.has(set.hash)) return;
  sets.add(set.hash);
  worker.postMessage({ type: "set", set } satisfies ToWorker);
  const [oldest] = sets;
  if (oldest === undefined || sets.size <= MAX_SETS) return;
  sets.delete(oldest);
  worker.postMessage({ type: "forget", hash: oldest } satisfies ToWorker);
}

/** Threads run compiled code: from the sources (tests do that) the compiled file is in `dist`. */
function compiledWorkerUrl(): URL {
  const here = import.meta.url;
  return here.endsWith(".ts")
    ? new URL("../../dist/chain/verification/verification-worker.js", here)
    : new URL("./verification-worker.js", here);
}

function overloaded(): CodedError<VerificationErrorCode> {
  return new CodedError("VERIFICATION_OVERLOADED", "too many signatures wait to be checked");
}

function workerDied(cause: unknown): CodedError<VerificationErrorCode> {
  const reason = cause instanceof Error ? cause.message : "no reason given";
  return new CodedError(
    "VERIFICATION_WORKER_DIED",
    `the thread that checks signatures died twice on one job: ${reason}`,
    {
      reason,
    },
  );
}
