/** What a provider registers of a device: measured and checked here, so that nobody registers one that gives wrong bits. */
import { bytesToHex, type Hex, utf8 } from "../../../base/bytes.ts";
import { type Benchmark, benchmark, standardTasks } from "../../device/benchmark.ts";
import type { Device } from "../../device/device.ts";
import { selfTest } from "../../device/self-test.ts";
import { agentError } from "../errors.ts";

/** As docs/spec/providers.md has it. */
export interface DeviceDescription {
  readonly kind: 1 | 2;
  readonly memoryBytes: bigint;
  readonly tier: number;
  /** 16 bytes: short text, filled up with zeros. */
  readonly region: Hex;
  readonly capabilities: bigint;
  /** Of the benchmark's report. */
  readonly benchmark: Hex;
}

export interface DescribedDevice {
  readonly description: DeviceDescription;
  readonly report: Benchmark;
  /** Compute units in a second, roughly: what a provider's first estimates go by. */
  readonly speed: number;
}

/** Bits of `capabilities`. */
export const CAPABILITIES: Readonly<Record<"engineOne" | "nativeKernels" | "cuda", bigint>> = {
  /** Runs programs of engine version 1. */
  engineOne: 1n << 0n,
  /** Standard kernels in native code. */
  nativeKernels: 1n << 1n,
  /** PTX on a GPU. */
  cuda: 1n << 2n,
};

export interface DescribeOptions {
  readonly memoryBytes: number;
  /** Up to 16 bytes of UTF-8, such as `eu-west`. */
  readonly region: string;
  /** By what the device measures when not given. */
  readonly tier?: number;
  /** Of the matrices that are multiplied, and milliseconds for each task. */
  readonly side?: number;
  readonly duration?: number;
  readonly signal?: AbortSignal;
  readonly onStep?: (step: string) => void;
}

/** Operations in a second of float32 products from which on a device is of the tier: a factor of 8 for each. */
const TIER_STEP = 8;
const FIRST_TIER_RATE = 1e11;

/** 0 for what is slower than any tier, up to 15. */
export function tierOf(rate: number): number {
  if (rate < FIRST_TIER_RATE) return 0;
  return Math.min(15, 1 + Math.floor(Math.log(rate / FIRST_TIER_RATE) / Math.log(TIER_STEP)));
}

/** Throws DEVICE_WRONG for a device that differs from the reference, and JOB_REFUSED for a region that is none. */
export async function describeDevice(device: Device, options: DescribeOptions): Promise<DescribedDevice> {
  const region = regionOf(options.region);
  for await (const { kernel, same, problem } of selfTest(device)) {
    options.onStep?.(`self-test: ${kernel}`);
    options.signal?.throwIfAborted();
    if (same) continue;
    throw agentError(
      "DEVICE_WRONG",
      `${device.name} does not compute ${kernel} to the bit: ${problem ?? "other bits"}`,
      {
        hint: "It would lose its collateral. See: ogpu compute selftest",
      },
    );
  }
  const onTask = (task: string): void => options.onStep?.(`benchmark: ${task}`);
  const report = await benchmark(device, standardTasks(options.side ?? 512), {
    ...{ duration: options.duration ?? 200, onTask },
    ...(options.signal && { signal: options.signal }),
  });
  const rate = report.rows.find(({ task }) => task === "gemm f32")?.rate ?? 0;
  const isCuda = device.name.startsWith("CUDA");
  const isNative = isCuda || !device.name.includes("WebAssembly");
  const capabilities =
    CAPABILITIES.engineOne | (isNative ? CAPABILITIES.nativeKernels : 0n) | (isCuda ? CAPABILITIES.cuda : 0n);
  return {
    description: {
      ...{ kind: isCuda ? 2 : 1, memoryBytes: BigInt(Math.floor(options.memoryBytes)), region, capabilities },
      ...{ tier: options.tier ?? tierOf(rate), benchmark: report.digest as Hex },
    },
    // A multiply-add is two operations, and about one compute unit.
    ...{ report, speed: Math.max(1, Math.floor(rate / 2)) },
  };
}

export function regionOf(text: string): Hex {
  const bytes = utf8(text);
  if (bytes.length === 0 || bytes.length > 16) {
    throw agentError("JOB_REFUSED", "a region is a short text of 1 to 16 bytes, such as eu-west");
  }
  const padded = new Uint8Array(16);
  padded.set(bytes);
  return bytesToHex(padded);
}
