/** The processor: standard kernels natively on all cores, everything else in WebAssembly. */
import { availableParallelism } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { assert, CodedError } from "../../base/errors.ts";
import type { CpuAddon, CpuVariant } from "../native/addon.ts";
import type { ScheduledLaunch } from "../program/schedule.ts";
import type { LaunchRange } from "../program/segments.ts";
import { blockCount, isWhole } from "../program/tiles.ts";
import type { CheckedProgram } from "../ptx/check-program.ts";
import type { Device, DeviceLaunch, DeviceOptions, DeviceResult, PreparedProgram } from "./device.ts";
import type { DeviceErrorCode } from "./engine.ts";
import { NativeLaunches } from "./native-launch.ts";
import { launchesDone, NativeOrders } from "./native-orders.ts";
import { type Chain, type PlannedWindow, planLaunches } from "./plan-launches.ts";
import { contentsAt, contentsOf, outputsOf, type ProgramTrap, writtenBy } from "./run-program.ts";
import { WasmEngine } from "./wasm-engine.ts";
import { EngineCopy, JobMemory, type SharedContents, sharedCopy } from "./workers/job-memory.ts";
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

  prepare(checked: CheckedProgram, constants: ReadonlyMap<string, Uint8Array>): PreparedProgram {
    const settings = { addon: this.#addon, variant: this.#variant, threads: this.#threads };
    return new PreparedCpuProgram(checked, constants, settings);
  }

  async run(
    checked: CheckedProgram,
    inputs: ReadonlyMap<string, Uint8Array>,
    options: DeviceOptions = {},
  ): Promise<DeviceResult> {
    return await this.prepare(checked, inputs).run(inputs, options);
  }
}

class PreparedCpuProgram implements PreparedProgram {
  readonly #checked: CheckedProgram;
  readonly #constants: SharedContents;
  readonly #settings: CpuSettings;
  readonly #native: NativeLaunches;
  /** Of programs that are planned as one. */
  readonly #plans = new Map<boolean, readonly PlannedWindow[]>();
  /** Of a job that has ended: compiling kernels takes longer than small ones run, and new memory costs more than old. */
  #idle: { readonly engine: WasmEngine | undefined; readonly memory: JobMemory } | undefined;

  constructor(checked: CheckedProgram, constants: ReadonlyMap<string, Uint8Array>, settings: CpuSettings) {
    this.#checked = checked;
    this.#settings = settings;
    this.#native = new NativeLaunches(checked.program, settings.addon !== undefined);
    this.#constants = contentsOf(checked.program, "constant", constants).map(
      (contents) => contents && sharedCopy(contents, contents.length),
    );
  }

  async run(inputs: ReadonlyMap<string, Uint8Array>, options: DeviceOptions = {}): Promise<DeviceResult> {
    options.signal?.throwIfAborted();
    const contents = contentsAt(this.#checked.program, inputs, options.segment);
    const plan = this.#plan(options.onLaunch === undefined, options.segment);
    const engine = this.#idle?.engine;
    const memory = this.#takeMemory(contents, plan);
    const job = new CpuJob(this.#checked, memory, options, this.#settings, engine);
    // Ends the threads of kernels that are under way, whose promises then reject.
    const stop = (): void => void job.close().catch(() => undefined);
    options.signal?.addEventListener("abort", stop);
    let result: DeviceResult | undefined;
    try {
      result = await job.run(plan);
      return result;
    } catch (error) {
      options.signal?.throwIfAborted();
      throw error;
    } finally {
      options.signal?.removeEventListener("abort", stop);
      await job.close();
      // Not after a trap or a failure, which may have left them anywhere.
      if (result?.kind === "done") this.#idle ??= { engine: job.engine, memory };
    }
  }

  #plan(isChained: boolean, segment: LaunchRange | undefined): Iterable<PlannedWindow> {
    const { program } = this.#checked;
    // Gone through more than once: a generator would have ended by then.
    const anew = { [Symbol.iterator]: () => planLaunches(program, this.#native, isChained, segment) };
    if (segment !== undefined) return anew;
    const known = this.#plans.get(isChained);
    if (known !== undefined) return known;
    const first = [...take(planLaunches(program, this.#native, isChained), 2)];
    if (first.length > 1) return anew;
    this.#plans.set(isChained, first);
    return first;
  }

  #takeMemory(contents: readonly (Uint8Array | undefined)[], plan: Iterable<PlannedWindow>): JobMemory {
    const memory = this.#idle?.memory;
    this.#idle = undefined;
    if (memory === undefined) return new JobMemory(this.#checked.program, this.#constants, contents);
    const [window] = plan;
    memory.restart(contents, (buffer) => window?.isDead(buffer, 0) ?? false);
    return memory;
  }
}

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    yield item;
    if (--left === 0) return;
  }
}

/** Chains that go to native code in one call; coming back to this thread costs as much as a small launch. */
const MAX_BATCH = 256;

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
  /** What the last launch wrote, for somebody who looks at each: he does while the next one computes. */
  #unshown: DeviceLaunch | undefined;
  /** For small launches on this thread, once there was one. */
  engine: WasmEngine | undefined;

  constructor(
    checked: CheckedProgram,
    memory: JobMemory,
    options: DeviceOptions,
    settings: CpuSettings,
    engine: WasmEngine | undefined,
  ) {
    this.engine = engine;
    this.#checked = checked;
    this.#memory = memory;
    this.#options = options;
    this.#settings = settings;
    this.#workers = new WasmWorkers(checked.program, memory, settings.threads);
  }

  close(): Promise<void> {
    return this.#workers.close();
  }

  async run(windows: Iterable<PlannedWindow>): Promise<DeviceResult> {
    for (const window of windows) {
      const trap = await this.#runWindow(window);
      if (trap !== undefined) return { kind: "trap", trap };
    }
    return { kind: "done", outputs: outputsOf(this.#checked.program, this.#memory) };
  }

  async #runWindow(window: PlannedWindow): Promise<ProgramTrap | undefined> {
    const { signal, onLaunch, onProgress } = this.#options;
    const most = onLaunch === undefined ? MAX_BATCH : 1;
    let batch: Chain[] = [];
    const flush = async (end: number): Promise<void> => {
      const launches = batch.flatMap((chain) => chain.launches.map(({ scheduled }) => scheduled));
      if (batch.length > 0) await this.#native(batch, launches, (buffer) => !window.isDead(buffer, end));
      for (const scheduled of launches) await this.#ended(scheduled);
      batch = [];
    };
    for (const [at, step] of window.steps.entries()) {
      signal?.throwIfAborted();
      if (step.kind === "chain") {
        batch.push(step);
        if (batch.length === most) await flush(at + 1);
        continue;
      }
      await flush(at);
      await this.#show();
      const trap = await this.#portable(step.scheduled);
      if (trap !== undefined) return trap;
      await this.#ended(step.scheduled);
      onProgress?.(step.scheduled.index + 1);
    }
    await flush(window.steps.length);
    await this.#show();
    return undefined;
  }

  async #ended(scheduled: ScheduledLaunch): Promise<void> {
    this.#memory.wrote(scheduled);
    if (this.#options.onLaunch === undefined) return;
    await this.#show();
    this.#unshown = { scheduled, written: writtenBy(this.#memory, scheduled) };
  }

  async #show(): Promise<void> {
    const shown = this.#unshown;
    this.#unshown = undefined;
    if (shown !== undefined) await this.#options.onLaunch?.(shown);
  }

  /** Launches that follow each other, without coming back to this thread in between. */
  async #native(
    batch: readonly Chain[],
    scheduled: readonly ScheduledLaunch[],
    isLive: (buffer: number) => boolean,
  ): Promise<void> {
    const { signal, onProgress } = this.#options;
    const { addon, variant, threads } = this.#settings;
    assert(addon !== undefined, "without native code no launch is native");
    const overwrites = scheduled.some((launch) =>
      writtenBy(this.#memory, launch).some(({ buffer }) => this.#unshown?.written.some((one) => one.buffer === buffer)),
    );
    if (overwrites) await this.#show();
    const orders = new NativeOrders(this.#memory);
    const launches = batch.map((chain) => orders.orderOf(chain));
    const progress = onProgress && ((stages: number): void => onProgress(launchesDone(batch, stages)));
    const run = addon.run(variant, launches, threads, progress);
    const cancel = (): void => run.cancel();
    signal?.addEventListener("abort", cancel);
    let outcome: Awaited<typeof run.promise>;
    try {
      await this.#show();
    } finally {
      // Also when whoever looks has failed: native code still works in the memory.
      outcome = await run.promise;
      signal?.removeEventListener("abort", cancel);
    }
    if (outcome === "done") {
      orders.settle(isLive);
      return;
    }
    signal?.throwIfAborted();
    throw new CodedError<DeviceErrorCode>("DEVICE_MEMORY", "this machine has not the memory to run the kernel");
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
    this.engine ??= new WasmEngine(this.#checked);
    this.#inline ??= new EngineCopy(this.#checked.program, this.engine, buffers);
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
