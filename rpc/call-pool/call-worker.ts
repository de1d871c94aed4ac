/** A thread that runs calls, one after the other, on its own view of the database. Started by call-pool.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../../base/errors.ts";
import { ReadView } from "../../chain/store/read-view.ts";
import { localJobs } from "../local-jobs.ts";
import { VIEW_LIMITS } from "../thread/settings.ts";
import { toWire } from "../thread/wire-error.ts";
import { ViewReads } from "../view-reads.ts";
import type { CallWorkerSettings, FromCallWorker, JobMessage, JobOutcome, ToCallWorker } from "./messages.ts";

/** Outcomes are told together, but none waits for longer. Milliseconds. */
const MAX_DELAY = 2;

const port = parentPort;
assert(port !== null, "this is the program of a thread");
const { spec, directory, limits, done, unwanted } = workerData as CallWorkerSettings;
const queue: JobMessage[] = [];
let isRunning = false;
let isLater = false;

const view = await ReadView.open(directory, VIEW_LIMITS);
const run = localJobs(new ViewReads(spec, view), limits, () => {
  isLater = true;
});

port.on("message", (jobs: ToCallWorker) => {
  // Also with nothing to do: the states of all blocks since are to be kept.
  if (jobs.length === 0) view.refresh();
  queue.push(...jobs);
  if (!isRunning) void runAll();
});

tell([]);

async function runAll(): Promise<void> {
  isRunning = true;
  let outcomes: JobOutcome[] = [];
  let toldAt = performance.now();
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    outcomes.push(await runOne(job));
    Atomics.add(done, 0, 1);
    if (queue.length > 0 && performance.now() - toldAt < MAX_DELAY) continue;
    tell(outcomes);
    outcomes = [];
    toldAt = performance.now();
  }
  isRunning = false;
}

async function runOne({ name, request }: JobMessage): Promise<JobOutcome> {
  const begun = performance.now();
  isLater = false;
  try {
    const number = (Atomics.load(done, 0) >>> 0) % unwanted.length;
    if (Atomics.load(unwanted, number) !== 0) return { result: undefined, milliseconds: 0 };
    // A caller who has seen a block must find it here.
    view.refresh();
    const result = await run(name, request as never);
    return { result, isLater, milliseconds: performance.now() - begun };
  } catch (error) {
    return { error: toWire(error), isLater, milliseconds: performance.now() - begun };
  }
}

function tell(outcomes: FromCallWorker): void {
  try {
    port?.postMessage(outcomes);
  } catch (error) {
    // One of them cannot cross: a bug, which must not end the others' jobs.
    port?.postMessage(outcomes.map(({ milliseconds }) => ({ error: toWire(error), milliseconds })));
  }
}
