/**
 * Runs launches in WebAssembly on several threads, each with an engine and a copy of the buffers of its own: blocks are
 * independent, because each stores only into its own tile. Ending the threads stops a kernel wherever it is.
 */
import { Worker } from "node:worker_threads";
import { CodedError } from "../../../base/errors.ts";
import type { ScheduledLaunch } from "../../program/schedule.ts";
import { blockCount, isWhole } from "../../program/tiles.ts";
import type { Program } from "../../program/types.ts";
import type { DeviceErrorCode } from "../engine.ts";
import type { BlockRange, ProgramTrap } from "../run-program.ts";
import type { JobMemory } from "./job-memory.ts";
import type { WorkerAnswer, WorkerJob, WorkerOrder } from "./messages.ts";

/** Parts that a launch is cut into for each thread, so that they end at about the same time. */
const PARTS = 4;

export class WasmWorkers {
  readonly #job: WorkerJob;
  readonly #memory: JobMemory;
  readonly #size: number;
  readonly #members: Member[] = [];

  constructor(program: Program, memory: JobMemory, threads: number) {
    this.#job = { program, buffers: memory.shared };
    this.#memory = memory;
    this.#size = threads;
  }

  /** The lowest tile that traps, if one does. `progress` gets the part of the launch that is done. */
  async run(scheduled: ScheduledLaunch, progress?: (part: number) => void): Promise<ProgramTrap | undefined> {
    const waiting = [...partsOf(scheduled, this.#size)];
    const total = waiting.length;
    const traps: ProgramTrap[] = [];
    const versions = [...this.#memory.versions];
    let done = 0;
    const work = async (member: Member): Promise<void> => {
      // Parts come in order: what lies before a trap is already under way, what lies after it is not wanted.
      for (let range = waiting.shift(); range !== undefined && traps.length === 0; range = waiting.shift()) {
        const answer = await member.run({ scheduled, range, versions });
        if (answer.kind === "trap") traps.push(answer.trap);
        if (answer.kind === "failed") {
          throw new CodedError<DeviceErrorCode>("DEVICE_MEMORY", answer.message, { reason: answer.code });
        }
        progress?.(++done / total);
      }
    };
    const wanted = Math.min(this.#size, total);
    while (this.#members.length < wanted) this.#members.push(new Member(this.#job));
    await Promise.all(this.#members.slice(0, wanted).map(work));
    return traps.sort((a, b) => a.tile - b.tile)[0];
  }

  /** Stops everything, also what is under way. */
  async close(): Promise<void> {
    await Promise.all(this.#members.splice(0).map((member) => member.end()));
  }
}

/** A launch that is one tile has one budget, which only one thread can keep. */
function partsOf({ launch }: ScheduledLaunch, threads: number): readonly BlockRange[] {
  const count = blockCount(launch.grid);
  if (isWhole(launch)) return [{ first: 0, end: count }];
  const size = Math.max(1, Math.ceil(count / (threads * PARTS)));
  return Array.from({ length: Math.ceil(count / size) }, (_, i) => ({
    ...{ first: i * size, end: Math.min(count, (i + 1) * size) },
  }));
}

/** One thread, which has at most one order at a time. */
class Member {
  readonly #worker: Worker;
  #settle: { resolve(answer: WorkerAnswer): void; reject(error: unknown): void } | undefined;

  constructor(workerData: WorkerJob) {
    this.#worker = new Worker(workerUrl(), { workerData });
    // A job that nobody waits for must not keep the process alive.
    this.#worker.unref();
    this.#worker.on("message", (answer: WorkerAnswer) => {
      this.#worker.unref();
      this.#settle?.resolve(answer);
    });
    this.#worker.on("error", (error) => this.#settle?.reject(error));
    this.#worker.on("exit", () => {
      this.#settle?.reject(new CodedError<DeviceErrorCode>("DEVICE_FAILED", "the thread of a kernel ended early"));
    });
  }

  run(order: WorkerOrder): Promise<WorkerAnswer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#worker.ref();
      this.#worker.postMessage(order);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Workers run compiled code: from the sources (tests do that) the compiled file is in `dist`. */
function workerUrl(): URL {
  const here = import.meta.url;
  return here.endsWith(".ts")
    ? new URL("../../../dist/compute/device/workers/wasm-worker.js", here)
    : new URL("./wasm-worker.js", here);
}
