/**
 * The agent's side of the queue: segments go to whichever worker is free. A job has the name of its segment, so that an
 * agent that starts again finds the one that it had sent, done or not.
 */
import { type Job, Queue, QueueEvents } from "bullmq";
import { bytesToHex, type Hex, utf8 } from "../../../base/bytes.ts";
import { CodedError } from "../../../base/errors.ts";
import { sha256 } from "../../../base/sha256.ts";
import type { DrawnPlace } from "../../program/draw-place.ts";
import { agentError } from "../errors.ts";
import { TILE_LIMITS } from "../limits.ts";
import type { BlobPort } from "../ports.ts";
import { type SegmentOutcome, type SegmentRunner, type SegmentTask, taskKey } from "../provider/segment-runner.ts";
import type { PlaceOpening } from "../provider/segment-work.ts";
import { fromPlain, toPlain } from "./plain-data.ts";
import {
  KEPT_RESULTS,
  MAX_ATTEMPTS,
  type QueueSettings,
  RETRY_MILLISECONDS,
  SEGMENT_PRIORITY,
} from "./queue-settings.ts";

export interface QueueRunnerOptions extends QueueSettings {
  readonly blobs: BlobPort;
  /** Base URL under which workers reach the agent's blobs. */
  readonly home: string;
}

export class QueueRunner implements SegmentRunner {
  readonly #queue: Queue;
  readonly #events: QueueEvents;
  readonly #options: QueueRunnerOptions;
  readonly #progress = new Map<string, (launches: number) => void>();

  constructor(options: QueueRunnerOptions) {
    const { connection, name } = options;
    this.#options = options;
    this.#queue = new Queue(name, { connection });
    this.#events = new QueueEvents(name, { connection });
    // Both reconnect by themselves; what waits meanwhile goes on then.
    this.#queue.on("error", () => undefined);
    this.#events.on("error", () => undefined);
    this.#events.on("progress", ({ jobId, data }) => {
      if (typeof data === "number") this.#progress.get(jobId)?.(data);
    });
  }

  async close(): Promise<void> {
    await this.#events.close();
    await this.#queue.close();
  }

  async run(task: SegmentTask, onProgress: (launches: number) => void, signal: AbortSignal): Promise<SegmentOutcome> {
    const id = `run-${taskKey(task)}`;
    this.#progress.set(id, onProgress);
    try {
      return (await this.#ask(id, { kind: "run", task: this.#fromHere(task) }, signal)) as SegmentOutcome;
    } finally {
      this.#progress.delete(id);
    }
  }

  async open(task: SegmentTask, places: readonly DrawnPlace[], signal: AbortSignal): Promise<readonly PlaceOpening[]> {
    const id = `open-${taskKey(task)}-${shortHash(JSON.stringify(places))}`;
    const order = { kind: "open", task: this.#fromHere(task), places };
    return (await this.#ask(id, order, signal)) as readonly PlaceOpening[];
  }

  /** They may be long: the worker brings them as a blob. */
  async inputs(task: SegmentTask, place: DrawnPlace, signal: AbortSignal): Promise<Uint8Array> {
    const id = `inputs-${taskKey(task)}-${place.launch}-${place.tile}`;
    const address = (await this.#ask(id, { kind: "inputs", task: this.#fromHere(task), place }, signal)) as Hex;
    const answer = await this.#options.blobs.get(address, TILE_LIMITS.answerBytes, [], signal);
    await this.#options.blobs.drop(address);
    return answer;
  }

  /** Workers look for blobs at the agent first. */
  #fromHere(task: SegmentTask): SegmentTask {
    return { ...task, places: [this.#options.home, ...task.places] };
  }

  async #ask(
    id: string,
    order: { readonly kind: string; readonly task: SegmentTask; readonly [part: string]: unknown },
    signal: AbortSignal,
  ): Promise<unknown> {
    signal.throwIfAborted();
    const job = await this.#queue.add(order.kind, toPlain(order), {
      jobId: id,
      ...(order.kind === "run" && { priority: SEGMENT_PRIORITY }),
      ...{ attempts: MAX_ATTEMPTS, backoff: { type: "fixed", delay: RETRY_MILLISECONDS } },
      ...{ removeOnComplete: KEPT_RESULTS, removeOnFail: true },
    });
    const ending = new Ending(signal, () => {
      // One that a worker has already is let run: nobody waits for it.
      job.remove().catch(() => undefined);
    });
    try {
      return fromPlain(await Promise.race([job.waitUntilFinished(this.#events), ending.promise]));
    } catch (error) {
      signal.throwIfAborted();
      throw codedFrom(error, job);
    } finally {
      ending.forget();
    }
  }
}

/** A promise that rejects when the signal aborts, and that leaves nothing at the signal, which outlives it. */
class Ending {
  readonly promise: Promise<never>;
  readonly forget: () => void;

  constructor(signal: AbortSignal, end: () => void) {
    let listener = (): void => undefined;
    this.promise = new Promise((_, reject) => {
      listener = () => {
        end();
        reject(signal.reason as Error);
      };
    });
    // Whoever waits has seen it; when nobody does, it is no failure of anything.
    this.promise.catch(() => undefined);
    signal.addEventListener("abort", listener);
    this.forget = () => signal.removeEventListener("abort", listener);
  }
}

function shortHash(text: string): string {
  return bytesToHex(sha256(utf8(text))).slice(2, 18);
}

/** What the worker said went wrong, with its code. */
function codedFrom(error: unknown, job: Job): CodedError {
  const text = error instanceof Error ? error.message : String(error);
  try {
    const { code, message, data } = JSON.parse(text) as { code: unknown; message: unknown; data: unknown };
    if (typeof code === "string" && typeof message === "string") {
      return new CodedError(code, message, fromPlain(data ?? {}) as Readonly<Record<string, unknown>>);
    }
  } catch (problem) {
    if (!(problem instanceof SyntaxError)) throw problem;
  }
  return agentError("QUEUE_FAILED", `the queue gave up on ${job.id}: ${text}`);
}
