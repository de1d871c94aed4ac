/** The processor: standard kernels natively on all cores, everything else in WebAssembly. */
import { availableParallelism } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { CodedError } from "../../base/errors.ts";
import type { CpuAddon, CpuLaunch, CpuVariant } from "../native/addon.ts";
import { type ScheduledLaunch, scheduleOf } from "../program/schedule.ts";
import { blockCount } from "../program/tiles.ts";
import { type CheckedProgram, isWhole } from "../ptx/check-program.ts";
import type { Device, DeviceOptions, DeviceResult } from "./device.ts";
import type { DeviceErrorCode } from "./engine.ts";
import { NativeLaunches } from "./native-launch.ts";
import { outputsOf, type ProgramTrap, startOf, writtenBy } from "./run-program.ts";
import { EngineCopy, JobMemory } from "./workers/job-memory.ts";
import { WasmWorkers } from "./workers/wasm-workers.ts";

export interface CpuDeviceOptions {
  /** `portable` runs on every processor, and is slow; the default is the best that this one has. */
  readonly variant?: CpuVariant;
  /** All cores when not given. */
  readonly threads?: number;
}

/**
 * A launch of at most so much fuel, and of so much in a block, runs on the calling thread, which gives way between blocks:
 * a unit is about a nanosecond, and starting another thread takes longer.
 */
const SMALL_LAUNCH: number = 2 ** 27;
const SMALL_BLOCK: number = 2 ** 23;
/** A thread that computes gives way after so long, in milliseconds. */
const TURN = 5;

export class CpuDevice implements Device {
  readonly name: string;
  readonly #addon: CpuAddon | undefined;
  readonly #variant: CpuVariant;
  readonly #threads: number;

  /** Without the addon everything runs in WebAssembly. */
  constructor(addon: CpuAddon | undefined, options: CpuDeviceOptions = {}) {
    this.#addon = addon;
    const { variants = [], threads = availableParallelism() } = addon?.features() ?? {};
    this.#variant = options.variant ?? variants[0] ?? "portable";
    this.#threads = options.threads ?? threads;
    const how = addon === undefined ? "WebAssembly" : this.#variant;
    this.name = `CPU (${how}, ${this.#threads} threads)`;
    if (addon !== undefined && !variants.includes(this.#variant)) {
      throw new CodedError<DeviceErrorCode>("DEVICE_ABSENT", `this processor does not run the ${how} kernels`);
    }
  }

  async run(
    checked: CheckedProgram,
    inputs: ReadonlyMap<string, Uint8Array>,
    options: DeviceOptions = {},
  ): Promise<DeviceResult> {
    options.signal?.throwIfAborted();
    const job = new CpuJob(checked, new JobMemory(checked.program, startOf(checked.program, inputs)), options, {
      ...{ addon: this.#addon, variant: this.#variant, threads: this.#threads },
    });
    // Ends the threads of kernels that are under way, whose promises then reject.
    const stop = (): void => void job.close().catch(() => undefined);
    options.signal?.addEventListener("abort", stop);
    try {
      return await job.run();
    } catch (error) {
      options.signal?.throwIfAborted();
      throw error;
    } finally {
      options.signal?.removeEventListener("abort", stop);
      await job.close();
    }
  }
}

/** Launches that go to native code in one call; coming back to this thread costs as much as a small launch. */
const MAX_BATCH = 256;

interface NativeLaunch {
  readonly scheduled: ScheduledLaunch;
  readonly kernel: string;
}

interface CpuSettings {
  readonly addon: CpuAddon | undefined;
  readonly variant: CpuVariant;
  readonly threads: number;
}

class CpuJob {
  readonly #checked: CheckedProgram;
  readonly #memory: JobMemory;
  readonly #options: DeviceOptions;
  readonly #settings: CpuSettings;
  readonly #workers: WasmWorkers;
  #inline: EngineCopy | undefined;

  constructor(checked: CheckedProgram, memory: JobMemory, options: DeviceOptions, settings: CpuSettings) {
    this.#checked = checked;
    this.#memory = memory;
    this.#options = options;
    this.#settings = settings;
    this.#workers = new WasmWorkers(checked.program, memory, settings.threads);
  }

  close(): Promise<void> {
    return this.#workers.close();
  }

  async run(): Promise<DeviceResult> {
    const { program } = this.#checked;
    const { addon } = this.#settings;
    const { signal, onLaunch, onProgress } = this.#options;
    const native = new NativeLaunches(program, addon !== undefined);
    const most = onLaunch === undefined ? MAX_BATCH : 1;
    let batch: NativeLaunch[] = [];
    const flush = async (): Promise<void> => {
      if (addon !== undefined && batch.length > 0) await this.#native(addon, batch);
      for (const { scheduled } of batch) await this.#ended(scheduled);
      batch = [];
    };
    for (const scheduled of scheduleOf(program)) {
      signal?.throwIfAborted();
      const kernel = native.nameOf(scheduled);
      if (kernel !== undefined) {
        batch.push({ scheduled, kernel });
        if (batch.length === most) await flush();
        continue;
      }
      await flush();
      const trap = await this.#portable(scheduled);
      if (trap !== undefined) return { kind: "trap", trap };
      await this.#ended(scheduled);
      onProgress?.(scheduled.index + 1);
    }
    await flush();
    return { kind: "done", outputs: outputsOf(program, this.#memory) };
  }

  async #ended(scheduled: ScheduledLaunch): Promise<void> {
    this.#memory.wrote(scheduled);
    await this.#options.onLaunch?.({ scheduled, written: writtenBy(this.#memory, scheduled) });
  }

  /** Launches that follow each other, without coming back to this thread in between. */
  async #native(addon: CpuAddon, batch: readonly NativeLaunch[]): Promise<void> {
    const { signal, onProgress } = this.#options;
    const { variant, threads } = this.#settings;
    const first = batch[0]?.scheduled.index ?? 0;
    const progress = onProgress && ((launches: number): void => onProgress(first + launches));
    const run = addon.run(
      variant,
      batch.map((launch) => this.#order(launch)),
      threads,
      progress,
    );
    const cancel = (): void => run.cancel();
    signal?.addEventListener("abort", cancel);
    const outcome = await run.promise;
    signal?.removeEventListener("abort", cancel);
    if (outcome === "done") return;
    signal?.throwIfAborted();
    throw new CodedError<DeviceErrorCode>("DEVICE_MEMORY", "this machine has not the memory to run the kernel");
  }

  #order({ kernel, scheduled: { launch, arguments: bound } }: NativeLaunch): CpuLaunch {
    return {
      ...{ kernel, grid: launch.grid },
      values: bound.map((value) => (value.kind === "bytes" ? value.bytes : this.#memory.buffer(value.buffer))),
      isBuffer: bound.map(({ kind }) => kind === "buffer"),
    };
  }

  async #portable(scheduled: ScheduledLaunch): Promise<ProgramTrap | undefined> {
    const { launch, index } = scheduled;
    const { onProgress } = this.#options;
    const fuel = launch.fuel * (isWhole(launch) ? 1 : blockCount(launch.grid));
    if (launch.fuel <= SMALL_BLOCK && fuel <= SMALL_LAUNCH) return this.#here(scheduled);
    return this.#workers.run(scheduled, onProgress && ((part) => onProgress(index + part)));
  }

  /** On this thread, which gives way now and then. */
  async #here(scheduled: ScheduledLaunch): Promise<ProgramTrap | undefined> {
    const { versions } = this.#memory;
    const buffers = versions.map((_, buffer) => this.#memory.buffer(buffer));
    this.#inline ??= new EngineCopy(this.#checked, buffers);
    const steps = this.#inline.run(scheduled, { first: 0, end: blockCount(scheduled.launch.grid) }, versions);
    for (let start = performance.now(); ; ) {
      const { done, value } = steps.next();
      if (done) return value;
      if (performance.now() - start < TURN) continue;
      await nextTurn();
      this.#options.signal?.throwIfAborted();
      start = performance.now();
    }
  }
}
