/** The worker thread of WasmWorkers: runs blocks of one job, part after part. */
import { parentPort, workerData } from "node:worker_threads";
import { assert, isCoded } from "../../../base/errors.ts";
import { checkProgram } from "../../ptx/check-program.ts";
import { WasmEngine } from "../wasm-engine.ts";
import { EngineCopy } from "./job-memory.ts";
import type { WorkerAnswer, WorkerJob, WorkerOrder } from "./messages.ts";

assert(parentPort !== null, "this file runs as a worker");
const port = parentPort;
const { program, buffers } = workerData as WorkerJob;
let copy: EngineCopy | undefined;

function run({ scheduled, range, versions }: WorkerOrder): WorkerAnswer {
  const memory = buffers.map((buffer) => new Uint8Array(buffer));
  copy ??= new EngineCopy(program, new WasmEngine(checkProgram(program)), memory);
  const steps = copy.run(scheduled, range, versions);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value === undefined ? { kind: "done" } : { kind: "trap", trap: value };
  }
}

port.on("message", (order: WorkerOrder) => {
  try {
    port.postMessage(run(order));
  } catch (error) {
    if (!isCoded(error)) throw error;
    port.postMessage({ kind: "failed", code: error.code, message: error.message } satisfies WorkerAnswer);
  }
});
