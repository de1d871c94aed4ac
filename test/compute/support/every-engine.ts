/** Runs a program everywhere and holds the results to each other. */
import { CpuDevice } from "../../../compute/device/cpu-device.ts";
import { CudaDevice, findCudaDevices } from "../../../compute/device/cuda/cuda-device.ts";
import { runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { loadAddon } from "../../../compute/native/addon.ts";
import type { Program } from "../../../compute/program/types.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";
import { buildStandIn } from "../../native/stand-in.ts";
import { sameBytes } from "./inputs.ts";

/** What WebAssembly makes of it, which the processor and the stand-in for a GPU must make too. */
export async function onEveryEngine(
  program: Program,
  inputs: ReadonlyMap<string, Uint8Array>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const checked = checkProgram(program);
  const result = runProgram(checked, new WasmEngine(checked), inputs);
  if (result.kind === "trap") throw new Error(`WebAssembly: ${JSON.stringify(result.trap)}`);
  const addon = loadAddon();
  const devices = [
    new CpuDevice("problem" in addon ? undefined : addon.cpu),
    ...("problem" in addon ? [] : standIn(addon)),
  ];
  for (const device of devices) {
    const other = await device.run(checked, inputs);
    if (other.kind === "trap") throw new Error(`${device.name}: ${JSON.stringify(other.trap)}`);
    for (const [name, bytes] of result.outputs) sameBytes(other.outputs.get(name), bytes, `${device.name} ${name}`);
  }
  return result.outputs;
}

function standIn({ cuda }: Exclude<ReturnType<typeof loadAddon>, { problem: string }>): readonly CudaDevice[] {
  const library = buildStandIn();
  const found = library === undefined ? { problem: "no compiler" } : findCudaDevices(cuda, library);
  if (library === undefined || "problem" in found) return [];
  return found.devices.slice(0, 1).map((info) => new CudaDevice(cuda, info, { library }));
}
