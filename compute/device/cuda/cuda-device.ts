/** A GPU through the CUDA driver: a context for each job, kernels as PTX that leaves nothing to the hardware. */
import { CodedError, isCoded } from "../../../base/errors.ts";
import type { CudaAddon, CudaDeviceInfo, CudaLaunch, CudaSession } from "../../native/addon.ts";
import { type ScheduledLaunch, scheduleOf } from "../../program/schedule.ts";
import type { Program, StepSpec } from "../../program/types.ts";
import type { CheckedProgram } from "../../ptx/check-program.ts";
import type { Device, DeviceOptions, DeviceResult } from "../device.ts";
import type { DeviceErrorCode } from "../engine.ts";
import { bufferOf, startOf } from "../run-program.ts";
import { ENTRY, printPtx } from "./print-ptx.ts";

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

  async run(
    checked: CheckedProgram,
    inputs: ReadonlyMap<string, Uint8Array>,
    options: DeviceOptions = {},
  ): Promise<DeviceResult> {
    const start = startOf(checked.program, inputs);
    options.signal?.throwIfAborted();
    const session = new this.#addon.Session(this.#library, this.#info.index, this.#memoryLimit);
    const cancel = (): void => session.cancel();
    options.signal?.addEventListener("abort", cancel);
    try {
      await prepare(session, checked, start);
      await this.#launchAll(session, checked.program, options);
      return { kind: "done", outputs: await outputsOf(session, checked.program) };
    } catch (error) {
      options.signal?.throwIfAborted();
      throw deviceError(error);
    } finally {
      options.signal?.removeEventListener("abort", cancel);
      await session.close();
    }
  }

  async #launchAll(session: CudaSession, program: Program, options: DeviceOptions): Promise<void> {
    const size = options.onLaunch === undefined ? BATCH : 1;
    let batch: ScheduledLaunch[] = [];
    const flush = async (): Promise<void> => {
      const [first] = batch;
      const last = batch.at(-1);
      if (first === undefined || last === undefined) return;
      const { onProgress } = options;
      const progress = onProgress === undefined ? undefined : (done: number): void => onProgress(first.index + done);
      await session.launch(batch.map(orderOf), this.#timeout, progress);
      await options.onLaunch?.({ scheduled: last, written: await writtenBy(session, program, last) });
      batch = [];
    };
    for (const scheduled of scheduleOf(program)) {
      batch.push(scheduled);
      if (batch.length === size) await flush();
    }
    await flush();
  }
}

async function prepare(
  session: CudaSession,
  { program, kernels }: CheckedProgram,
  start: readonly (Uint8Array | undefined)[],
): Promise<void> {
  const threads = largestBlocks(program);
  await session.open();
  for (const [index, kernel] of kernels.entries()) await session.load(printPtx(kernel, threads[index] ?? 1), ENTRY);
  await session.allocate(program.buffers.map(({ bytes }) => bytes));
  for (const [buffer, contents] of start.entries()) {
    if (contents !== undefined) await session.upload(buffer, 0, contents);
  }
}

/** Kernel -> threads of the largest block that it is launched with: a compiler gives each of them fewer registers. */
function largestBlocks({ kernels, steps }: Program): readonly number[] {
  const most = kernels.map(() => 1);
  const visit = (step: StepSpec): void => {
    if (step.kind === "loop") {
      step.body.forEach(visit);
      return;
    }
    const [x, y, z] = step.block;
    most[step.kernel] = Math.max(most[step.kernel] ?? 1, x * y * z);
  };
  steps.forEach(visit);
  return most;
}

/** Dynamic memory is cleared 16 bytes at a time. */
function orderOf({ launch, arguments: bound }: ScheduledLaunch): CudaLaunch {
  const { kernel, grid, block, dynamicShared } = launch;
  return {
    ...{ kernel, grid, block, shared: Math.ceil(dynamicShared / 16) * 16 },
    arguments: bound.map((value) => (value.kind === "bytes" ? value.bytes : value.buffer)),
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

async function writtenBy(session: CudaSession, program: Program, scheduled: ScheduledLaunch) {
  const written = [];
  for (const { parameter, tile } of scheduled.launch.tiles) {
    const buffer = bufferOf(scheduled, parameter);
    written.push({ buffer, tile, contents: await download(session, program, buffer) });
  }
  return written;
}

/** What the driver calls its errors goes along as data. A kernel that traps shows as one of them. */
function deviceError(error: unknown): unknown {
  if (isCoded(error)) return error;
  const { code = "", message = String(error) } = error as { readonly code?: string; readonly message?: string };
  const known = OWN_CODES.has(code) ? (code as DeviceErrorCode) : "DEVICE_FAILED";
  return new CodedError<DeviceErrorCode>(known, message, { driver: code });
}
