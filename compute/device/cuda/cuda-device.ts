/** A GPU through the CUDA driver: a context for each job, kernels as PTX that leaves nothing to the hardware. */
import { CodedError, isCoded } from "../../../base/errors.ts";
import type { CudaAddon, CudaCopy, CudaDeviceInfo, CudaLaunch, CudaSession } from "../../native/addon.ts";
import { type ScheduledLaunch, scheduleOf } from "../../program/schedule.ts";
import type { Program, StepSpec } from "../../program/types.ts";
import type { CheckedProgram } from "../../ptx/check-program.ts";
import type { Device, DeviceOptions, DeviceResult, PreparedProgram } from "../device.ts";
import type { DeviceErrorCode } from "../engine.ts";
import { contentsAt, contentsOf } from "../run-program.ts";
import { ENTRY, type LaunchBounds, printPtx, roundsArgument } from "./print-ptx.ts";
import { ShownLaunches } from "./shown-launches.ts";

/** What a machine with NVIDIA's driver has. */
export const CUDA_LIBRARY = "libcuda.so.1";

export interface CudaDeviceOptions {
  readonly library?: string;
  /** Bytes that one job may have; nine tenths of the device when not given. */
  readonly memoryLimit?: number;
  /** Milliseconds that one batch of launches may take; 0 for no limit. */
  readonly timeout?: number;
}

export type CudaSearch =
  | { readonly problem: string }
  | { readonly version: number; readonly devices: readonly CudaDeviceInfo[] };

/** The GPUs of this machine, or why there are none. */
export function findCudaDevices(addon: CudaAddon, library: string = CUDA_LIBRARY): CudaSearch {
  const { problem, version = 0, devices = [] } = addon.devices(library);
  if (problem !== undefined) return { problem };
  return devices.length === 0 ? { problem: "the driver knows no device" } : { version, devices };
}

/** Launches that go to the driver in one call when nobody looks at what lies between them. */
const BATCH = 1_024;
const TIMEOUT = 600_000;

const OWN_CODES: ReadonlySet<string> = new Set(["DEVICE_MEMORY", "DEVICE_TIMEOUT"]);

export class CudaDevice implements Device {
  readonly name: string;
  readonly #addon: CudaAddon;
  readonly #info: CudaDeviceInfo;
  readonly #library: string;
  readonly #memoryLimit: number;
  readonly #timeout: number;

  constructor(addon: CudaAddon, info: CudaDeviceInfo, options: CudaDeviceOptions = {}) {
    this.#addon = addon;
    this.#info = info;
    this.#library = options.library ?? CUDA_LIBRARY;
    this.#memoryLimit = options.memoryLimit ?? Math.floor(info.memory * 0.9);
    this.#timeout = options.timeout ?? TIMEOUT;
    this.name = `CUDA ${info.index}: ${info.name}`;
  }

  prepare(checked: CheckedProgram, constants: ReadonlyMap<string, Uint8Array>): PreparedProgram {
    const kept = contentsOf(checked.program, "constant", constants).map((contents) => contents?.slice());
    return { run: (inputs, options = {}) => this.#run(checked, kept, inputs, options) };
  }

  async run(
    checked: CheckedProgram,
    inputs: ReadonlyMap<string, Uint8Array>,
    options: DeviceOptions = {},
  ): Promise<DeviceResult> {
    const constants = contentsOf(checked.program, "constant", inputs);
    return await this.#run(checked, constants, inputs, options);
  }

  async #run(
    checked: CheckedProgram,
    constants: readonly (Uint8Array | undefined)[],
    inputs: ReadonlyMap<string, Uint8Array>,
    options: DeviceOptions,
  ): Promise<DeviceResult> {
    const held = contentsAt(checked.program, inputs, options.segment);
    const start = held.map((contents, index) => contents ?? constants[index]);
    options.signal?.throwIfAborted();
    const session = new this.#addon.Session(this.#library, this.#info.index, this.#memoryLimit);
    const cancel = (): void => session.cancel();
    options.signal?.addEventListener("abort", cancel);
    try {
      await prepare(session, checked, start);
      await this.#launchAll(session, checked, options);
      return { kind: "done", outputs: await outputsOf(session, checked.program) };
    } catch (error) {
      options.signal?.throwIfAborted();
      throw deviceError(error);
    } finally {
      options.signal?.removeEventListener("abort", cancel);
      await session.close();
    }
  }

  async #launchAll(session: CudaSession, checked: CheckedProgram, options: DeviceOptions): Promise<void> {
    const { program } = checked;
    const bounds = launchBounds(program);
    const shown = options.onLaunch && new ShownLaunches(session, program, options.onLaunch);
    const size = shown === undefined ? BATCH : 1;
    let batch: ScheduledLaunch[] = [];
    const flush = async (): Promise<void> => {
      const [first] = batch;
      if (first === undefined) return;
      const { onProgress } = options;
      const progress = onProgress === undefined ? undefined : (done: number): void => onProgress(first.index + done);
      const orders = batch.map((scheduled) => orderOf(scheduled, bounds[scheduled.launch.kernel] as LaunchBounds));
      const launch = (copies: readonly CudaCopy[]): Promise<void> =>
        session.launch(orders, this.#timeout, progress, copies);
      await (shown === undefined ? launch([]) : shown.during(first, launch));
      batch = [];
    };
    for (const scheduled of scheduleOf(program, options.segment)) {
      batch.push(scheduled);
      if (batch.length === size) await flush();
    }
    await flush();
    await shown?.rest();
  }
}

/** Kernels are compiled while inputs and constants are on their way. */
async function prepare(
  session: CudaSession,
  { program, kernels }: CheckedProgram,
  start: readonly (Uint8Array | undefined)[],
): Promise<void> {
  const bounds = launchBounds(program);
  await session.open();
  await session.allocate(program.buffers.map(({ bytes }) => bytes));
  const copies = start.flatMap((bytes, buffer) => (bytes === undefined ? [] : [{ buffer, bytes }]));
  const texts = kernels.map((kernel, index) => printPtx(kernel, bounds[index] as LaunchBounds));
  await session.load(
    texts.map((ptx) => ({ ptx, entry: ENTRY })),
    copies,
  );
}

/** Of each kernel: a compiler gives the threads of a smaller block more registers. */
function launchBounds({ kernels, steps }: Program): readonly LaunchBounds[] {
  const most = kernels.map(() => ({ threads: 1, fuel: 1 }));
  const visit = (step: StepSpec): void => {
    if (step.kind === "loop") {
      step.body.forEach(visit);
      return;
    }
    const [x, y, z] = step.block;
    const { threads, fuel } = most[step.kernel] as LaunchBounds;
    most[step.kernel] = { threads: Math.max(threads, x * y * z), fuel: Math.max(fuel, step.fuel) };
  };
  steps.forEach(visit);
  return most;
}

/** Dynamic memory is cleared 16 bytes at a time. */
function orderOf({ launch, arguments: bound }: ScheduledLaunch, bounds: LaunchBounds): CudaLaunch {
  const { kernel, grid, block, dynamicShared } = launch;
  const given = bound.map((value) => (value.kind === "bytes" ? value.bytes : value.buffer));
  return {
    ...{ kernel, grid, block, shared: Math.ceil(dynamicShared / 16) * 16 },
    arguments: [...given, roundsArgument(bounds, launch.fuel)],
  };
}

async function download(session: CudaSession, program: Program, buffer: number): Promise<Uint8Array> {
  const contents = new Uint8Array(program.buffers[buffer]?.bytes ?? 0);
  await session.download(buffer, 0, contents);
  return contents;
}

async function outputsOf(session: CudaSession, program: Program): Promise<ReadonlyMap<string, Uint8Array>> {
  const outputs = new Map<string, Uint8Array>();
  for (const buffer of program.outputs) {
    outputs.set(program.buffers[buffer]?.name ?? "", await download(session, program, buffer));
  }
  return outputs;
}

/** What the driver calls its errors goes along as data. A kernel that traps shows as one of them. */
function deviceError(error: unknown): unknown {
  if (isCoded(error)) return error;
  const { code = "", message = String(error) } = error as { readonly code?: string; readonly message?: string };
  const known = OWN_CODES.has(code) ? (code as DeviceErrorCode) : "DEVICE_FAILED";
  return new CodedError<DeviceErrorCode>(known, message, { driver: code });
}
