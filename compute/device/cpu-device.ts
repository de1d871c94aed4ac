/** The processor: standard kernels natively on all cores, everything else in WebAssembly. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { CodedError } from "../../base/errors.ts";
import type { CpuAddon, CpuVariant } from "../native/addon.ts";
import { type ScheduledLaunch, scheduleOf } from "../program/schedule.ts";
import type { Program } from "../program/types.ts";
import type { CheckedProgram } from "../ptx/check-program.ts";
import type { Device, DeviceOptions, DeviceResult } from "./device.ts";
import type { DeviceErrorCode, Engine, Memory } from "./engine.ts";
import { isNative, standardNames } from "./native-launch.ts";
import { launchSteps, outputsOf, type ProgramTrap, startOf, writtenBy } from "./run-program.ts";
import { WasmEngine } from "./wasm-engine.ts";

export interface CpuDeviceOptions {
  /** `portable` runs on every processor, and is slow; the default is the best that this one has. */
  readonly variant?: CpuVariant;
  /** All cores when not given. */
  readonly threads?: number;
}

/** A thread that computes WebAssembly gives way after so long, in milliseconds. */
const TURN = 10;

export class CpuDevice implements Device {
  readonly name: string;
  readonly #addon: CpuAddon | undefined;
  readonly #variant: CpuVariant;
  readonly #threads: number;

  /** Without the addon everything runs in WebAssembly. */
  constructor(addon: CpuAddon | undefined, options: CpuDeviceOptions = {}) {
    this.#addon = addon;
    const { variants = [], threads = 1 } = addon?.features() ?? {};
    this.#variant = options.variant ?? variants[0] ?? "portable";
    this.#threads = options.threads ?? threads;
    this.name = addon === undefined ? "CPU (WebAssembly)" : `CPU (${this.#variant}, ${this.#threads} threads)`;
    if (addon !== undefined && !variants.includes(this.#variant)) {
      throw new CodedError<DeviceErrorCode>(
        "DEVICE_ABSENT",
        `this processor does not run the ${this.#variant} kernels`,
      );
    }
  }

  async run(
    checked: CheckedProgram,
    inputs: ReadonlyMap<string, Uint8Array>,
    options: DeviceOptions = {},
  ): Promise<DeviceResult> {
    const { program } = checked;
    const memory = new JobMemory(checked, startOf(program, inputs));
    const names = this.#addon === undefined ? [] : standardNames(program);
    for (const scheduled of scheduleOf(program)) {
      options.signal?.throwIfAborted();
      const name = names[scheduled.launch.kernel];
      if (this.#addon !== undefined && name !== undefined && isNative(program, name, scheduled)) {
        await this.#native(this.#addon, name, memory, scheduled, options);
      } else {
        const trap = await portable(program, memory.engine(), scheduled, options.signal);
        if (trap !== undefined) return { kind: "trap", trap };
      }
      await options.onLaunch?.({ scheduled, written: writtenBy(memory, scheduled) });
      options.onProgress?.(scheduled.index + 1);
    }
    return { kind: "done", outputs: outputsOf(program, memory) };
  }

  async #native(
    addon: CpuAddon,
    name: string,
    memory: Memory,
    { launch, arguments: bound, index }: ScheduledLaunch,
    { signal, onProgress }: DeviceOptions,
  ): Promise<void> {
    const values = bound.map((value) => (value.kind === "bytes" ? value.bytes : memory.buffer(value.buffer)));
    const isBuffer = bound.map(({ kind }) => kind === "buffer");
    const progress =
      onProgress === undefined ? undefined : (done: number, pieces: number) => onProgress(index + done / pieces);
    const run = addon.run(this.#variant, name, launch.grid, values, isBuffer, this.#threads, progress);
    const cancel = (): void => run.cancel();
    signal?.addEventListener("abort", cancel);
    const outcome = await run.promise;
    signal?.removeEventListener("abort", cancel);
    if (outcome === "done") return;
    signal?.throwIfAborted();
    throw new CodedError<DeviceErrorCode>("DEVICE_MEMORY", "this machine has not the memory to run the kernel");
  }
}

/** In WebAssembly on this thread, which gives way now and then. */
async function portable(
  program: Program,
  engine: Engine,
  scheduled: ScheduledLaunch,
  signal: AbortSignal | undefined,
): Promise<ProgramTrap | undefined> {
  const steps = launchSteps(program, engine, scheduled);
  for (let start = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value.trap;
    if (performance.now() - start < TURN) continue;
    await nextTurn();
    signal?.throwIfAborted();
    start = performance.now();
  }
}

/** The buffers of a job: plain memory, until something needs the WebAssembly engine, which has its own. */
class JobMemory implements Memory {
  readonly #checked: CheckedProgram;
  #plain: readonly Uint8Array[];
  #engine: WasmEngine | undefined;

  constructor(checked: CheckedProgram, start: readonly (Uint8Array | undefined)[]) {
    this.#checked = checked;
    this.#plain = start.map((contents, i) => contents?.slice() ?? zeros(checked.program.buffers[i]?.bytes ?? 0));
  }

  buffer(index: number): Uint8Array {
    return this.#engine?.buffer(index) ?? (this.#plain[index] as Uint8Array);
  }

  engine(): WasmEngine {
    if (this.#engine === undefined) {
      const engine = new WasmEngine(this.#checked);
      this.#plain.forEach((contents, index) => {
        engine.buffer(index).set(contents);
      });
      this.#engine = engine;
      this.#plain = [];
    }
    return this.#engine;
  }
}

function zeros(bytes: number): Uint8Array {
  try {
    return new Uint8Array(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CodedError<DeviceErrorCode>("DEVICE_MEMORY", `this machine does not give ${bytes} bytes to one buffer`, {
      bytes,
    });
  }
}
