/** The addon that set-up compiles from the C++ sources beside this file, where there is a compiler. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

export type CpuVariant = "avx512" | "fma" | "portable";

export interface CpuRun {
  readonly promise: Promise<"done" | "cancelled" | "no memory">;
  cancel(): void;
}

export interface CpuAddon {
  features(): { readonly variants: readonly CpuVariant[]; readonly threads: number };
  /** Kernels with the sizes of their parameters. */
  kernels(): Readonly<Record<string, readonly number[]>>;
  /**
   * Runs launches one after the other, off this thread. Buffers must not be touched until the promise is settled. Nothing is
   * checked: the caller knows that the launches stay within their buffers. `progress` gets the launches that are done, with
   * the part of the one under way. Besides the standard kernels there is `tile_addresses`, the same in every variant
   * (hash/tile-addresses.h).
   */
  run(
    variant: CpuVariant,
    launches: readonly CpuLaunch[],
    threads: number,
    progress?: (launches: number) => void,
  ): CpuRun;
}

export interface CpuLaunch {
  readonly kernel: string;
  readonly grid: readonly number[];
  /** One for each parameter: the bytes of a scalar, or memory to work in. */
  readonly values: readonly Uint8Array[];
  readonly isBuffer: readonly boolean[];
  /** Of a launch that follows another: a bit for each operand that is what that one made. */
  readonly chained?: number;
  /** Launches of elementwise kernels that go on with each part of the result while it is at hand, and leave theirs there. */
  readonly followers?: readonly CpuLaunch[];
}

export interface CudaDeviceInfo {
  readonly index: number;
  readonly name: string;
  readonly memory: number;
  readonly major: number;
  readonly minor: number;
}

export interface CudaLaunch {
  readonly kernel: number;
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly shared: number;
  /** The number of a buffer, or the bytes of a scalar. */
  readonly arguments: readonly (number | Uint8Array)[];
}

/** All of a buffer, from memory or into it. */
export interface CudaCopy {
  readonly buffer: number;
  readonly bytes: Uint8Array;
}

/** Calls run one after the other, on a thread of the session. A call that fails rejects with a `code`. */
export interface CudaSession {
  open(): Promise<void>;
  /** Kernels are numbered in the order in which they are loaded. Meanwhile buffers get their contents. */
  load(
    kernels: readonly { readonly ptx: string; readonly entry: string }[],
    uploads: readonly CudaCopy[],
  ): Promise<void>;
  /** Buffers are numbered alike, and start as zeros. */
  allocate(lengths: readonly number[]): Promise<void>;
  upload(buffer: number, offset: number, bytes: Uint8Array): Promise<void>;
  download(buffer: number, offset: number, bytes: Uint8Array): Promise<void>;
  /** `timeout` in milliseconds, 0 for none. Meanwhile `downloads` are made, of buffers that the launches do not write. */
  launch(
    launches: readonly CudaLaunch[],
    timeout: number,
    progress?: (done: number) => void,
    downloads?: readonly CudaCopy[],
  ): Promise<void>;
  cancel(): void;
  close(): Promise<void>;
}

export interface CudaAddon {
  /** `version` is the driver's, 1000 * major + 10 * minor. `problem`: why there is none. */
  devices(library: string): {
    readonly problem?: string;
    readonly version?: number;
    readonly devices?: readonly CudaDeviceInfo[];
  };
  readonly Session: new (library: string, device: number, memoryLimit: number) => CudaSession;
}

export interface Addon {
  readonly cpu: CpuAddon;
  readonly cuda: CudaAddon;
}

/** Why there is no addon, for people. */
export interface NoAddon {
  readonly problem: string;
}

/** From the sources and from `dist`, which lies one folder further down. */
const PLACES = ["../../build/native/opengpu.node", "../../../build/native/opengpu.node"];

export function loadAddon(): Addon | NoAddon {
  const place = PLACES.map((path) => fileURLToPath(new URL(path, import.meta.url))).find(existsSync);
  if (place === undefined) return { problem: "the compute addon was not compiled: set-up found no C++ compiler" };
  try {
    return createRequire(import.meta.url)(place) as Addon;
  } catch (error) {
    return { problem: `the compute addon does not load: ${(error as Error).message}` };
  }
}
