/**
 * A worker's side of the queue: takes segments one at a time and runs them as an agent alone would. When it dies, the lock
 * on its job ends, and another worker takes the job from the start: the result is the same to the bit.
 */
import { type Job, UnrecoverableError, Worker } from "bullmq";
import { CodedError, isCoded } from "../../../base/errors.ts";
import type { DrawnPlace } from "../../program/draw-place.ts";
import { agentError } from "../errors.ts";
import type { BlobPort } from "../ports.ts";
import type { SegmentRunner, SegmentTask } from "../provider/segment-runner.ts";
import { fromPlain, toPlain } from "./plain-data.ts";
import { LOCK_MILLISECONDS, MAX_DEATHS, type QueueSettings } from "./queue-settings.ts";

export interface QueueWorkerOptions extends QueueSettings {
  readonly runner: SegmentRunner;
  readonly blobs: BlobPort;
  readonly onProblem: (error: Error) => void;
}

/** What may work on another machine or later; all else is the same everywhere. */
const PASSING: ReadonlySet<string> = new Set([
  ...["BLOB_ABSENT", "BLOB_QUOTA", "BLOB_BUSY", "BLOB_PLACE", "DEVICE_MEMORY", "DEVICE_ABSENT"],
]);
/** Milliseconds between two reports of progress. */
const PROGRESS_PAUSE = 250;

interface Order {
  readonly kind: string;
  readonly task: SegmentTask;
  readonly places: readonly DrawnPlace[];
  readonly place: DrawnPlace;
}

export class QueueWorker {
  readonly #worker: Worker;
  readonly #options: QueueWorkerOptions;
  readonly #stop = new AbortController();

  constructor(options: QueueWorkerOptions) {
    const { connection, name, lockMilliseconds = LOCK_MILLISECONDS } = options;
    this.#options = options;
    this.#worker = new Worker(name, (job) => this.#work(job), {
      ...{ connection, concurrency: 1, lockDuration: lockMilliseconds, maxStalledCount: MAX_DEATHS },
      stalledInterval: Math.ceil(lockMilliseconds / 2),
    });
    this.#worker.on("error", options.onProblem);
    this.#worker.on("failed", (_job, error) => options.onProblem(error));
  }

  async ready(): Promise<void> {
    await this.#worker.waitUntilReady();
  }

  /** What it works on fails here, and is tried again by another. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("the worker ends"));
    await this.#worker.close();
  }

  async #work(job: Job): Promise<unknown> {
    try {
      return toPlain(await this.#answer(job));
    } catch (error) {
      const { code, message, data } = isCoded(error) ? error : new CodedError("INTERNAL", String(error));
      const text = JSON.stringify({ code, message, data: toPlain(data) });
      throw PASSING.has(code) || this.#stop.signal.aborted ? new Error(text) : new UnrecoverableError(text);
    }
  }

  async #answer(job: Job): Promise<unknown> {
    const { runner, blobs } = this.#options;
    const { signal } = this.#stop;
    const order = fromPlain(job.data) as Order;
    if (order.kind === "run") return runner.run(order.task, progressOf(job), signal);
    if (order.kind === "open") return runner.open(order.task, order.places, signal);
    if (order.kind === "inputs") return blobs.put(await runner.inputs(order.task, order.place, signal));
    throw agentError("QUEUE_FAILED", `the queue has an order that is unknown here: ${order.kind}`);
  }
}

/** Now and then, and without waiting: progress is a courtesy. */
function progressOf(job: Job): (launches: number) => void {
  let last = 0;
  return (launches) => {
    const now = performance.now();
    if (now - last < PROGRESS_PAUSE) return;
    last = now;
    job.updateProgress(launches).catch(() => undefined);
  };
}
