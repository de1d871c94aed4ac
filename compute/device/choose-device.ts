/** The device that a word names: `cpu`, `wasm` or `cuda:N`. */
import { CodedError } from "../../base/errors.ts";
import { loadAddon } from "../native/addon.ts";
import { CpuDevice } from "./cpu-device.ts";
import { CUDA_LIBRARY, CudaDevice, findCudaDevices } from "./cuda/cuda-device.ts";
import type { Device } from "./device.ts";
import type { DeviceErrorCode } from "./engine.ts";

/** `undefined` for a word that names none; throws DEVICE_ABSENT when this machine has not the one that it names. */
export function chooseDevice(word: string, cudaLibrary: string = CUDA_LIBRARY): Device | undefined {
  if (word === "wasm") return new CpuDevice(undefined);
  const addon = loadAddon();
  if (word === "cpu") return new CpuDevice("problem" in addon ? undefined : addon.cpu);
  const index = /^cuda(?::(\d{1,3}))?$/.exec(word);
  if (index === null) return undefined;
  if ("problem" in addon) throw absent(addon.problem);
  const found = findCudaDevices(addon.cuda, cudaLibrary);
  if ("problem" in found) throw absent(`no GPU: ${found.problem}`);
  const info = found.devices.find((device) => device.index === Number(index[1] ?? 0));
  if (info === undefined)
    throw absent(`this machine has ${found.devices.length} GPUs, none of them number ${index[1]}`);
  return new CudaDevice(addon.cuda, info, { library: cudaLibrary });
}

function absent(message: string): CodedError<DeviceErrorCode> {
  return new CodedError<DeviceErrorCode>("DEVICE_ABSENT", message, { hint: "See: ogpu compute selftest" });
}
