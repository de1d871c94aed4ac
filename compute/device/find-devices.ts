/** What of this machine can compute, and what cannot and why. */
import { loadAddon } from "../native/addon.ts";
import { CpuDevice } from "./cpu-device.ts";
import { CUDA_LIBRARY, CudaDevice, findCudaDevices } from "./cuda/cuda-device.ts";
import type { Device } from "./device.ts";

export interface FindOptions {
  /** Another library than the driver's own. */
  readonly cudaLibrary?: string;
  /** Also the processor's slower forms, to compare them. */
  readonly allVariants?: boolean;
}

export interface FoundDevices {
  /** The processor first; there is always one. */
  readonly devices: readonly Device[];
  /** For people: what is missing. */
  readonly notices: readonly string[];
}

export function findDevices({ cudaLibrary = CUDA_LIBRARY, allVariants = false }: FindOptions = {}): FoundDevices {
  const addon = loadAddon();
  if ("problem" in addon) {
    return { devices: [new CpuDevice(undefined)], notices: [`${addon.problem}: everything runs in WebAssembly`] };
  }
  const { variants } = addon.cpu.features();
  const processors: Device[] = (allVariants ? variants : variants.slice(0, 1)).map(
    (variant) => new CpuDevice(addon.cpu, { variant }),
  );
  if (allVariants) processors.push(new CpuDevice(undefined));
  const found = findCudaDevices(addon.cuda, cudaLibrary);
  if ("problem" in found) return { devices: processors, notices: [`no GPU: ${found.problem}`] };
  const cards = found.devices.map((info) => new CudaDevice(addon.cuda, info, { library: cudaLibrary }));
  return { devices: [...processors, ...cards], notices: [] };
}
