import { beforeAll, describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { CudaDevice, findCudaDevices } from "../../../compute/device/cuda/cuda-device.ts";
import type { Device } from "../../../compute/device/device.ts";
import { type ProgramResult, runProgram } from "../../../compute/device/run-program.ts";
import { selfTest } from "../../../compute/device/self-test.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { STANDARD_KERNELS } from "../../../compute/kernels/standard-kernels.ts";
import { GOLDEN_CASES, standardProgram } from "../../../compute/kernels/standard-program.ts";
import { type Addon, type CudaDeviceInfo, loadAddon } from "../../../compute/native/addon.ts";
import type { LaunchSpec, Program } from "../../../compute/program/types.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";
import { buildStandIn } from "../../native/stand-in.ts";
import { smallKernel } from "../ptx/support/small-kernel.ts";
import { randomInputs, sameBytes } from "../support/inputs.ts";
import { gemmProgram, mixProgram, onBuffer, scalar32 } from "../support/sample-programs.ts";
import { randomCase } from "../support/standard-programs.ts";

const loaded = loadAddon();
const addon: Addon | undefined = "problem" in loaded ? undefined : loaded;

function reference(program: Program, inputs: ReadonlyMap<string, Uint8Array>): ProgramResult {
  const checked = checkProgram(program);
  return runProgram(checked, new WasmEngine(checked), inputs);
}

describe.runIf(addon !== undefined)("the CUDA device on the stand-in", () => {
  const cuda = (addon as Addon).cuda;
  let library = "";
  let infos: readonly CudaDeviceInfo[] = [];

  beforeAll(() => {
    library = buildStandIn() ?? "";
    const found = findCudaDevices(cuda, library);
    if ("problem" in found) throw new Error(found.problem);
    infos = found.devices;
  });

  function deviceOf(options: { readonly timeout?: number; readonly memoryLimit?: number } = {}, index = 0): Device {
    return new CudaDevice(cuda, infos[index] as CudaDeviceInfo, { library, ...options });
  }

  async function expectSame(program: Program, inputs: ReadonlyMap<string, Uint8Array>, label: string): Promise<void> {
    const wanted = reference(program, inputs);
    const got = await deviceOf().run(checkProgram(program), inputs);
    if (wanted.kind !== "done" || got.kind !== "done")
      throw new Error(`${label} trapped: ${JSON.stringify([got, wanted])}`);
    for (const [name, bytes] of wanted.outputs) sameBytes(got.outputs.get(name), bytes, `${label} ${name}`);
  }

  it("is found, and says that it is no GPU", () => {
    expect(infos.map(({ name }) => name)).toEqual(["emulator (no GPU)", "emulator (no GPU)"]);
    expect(findCudaDevices(cuda, "/nowhere/libcuda.so.1")).toHaveProperty("problem");
  });

  it.each(STANDARD_KERNELS)("computes %s to the same bits as WebAssembly", async (kernel) => {
    const prng = new Prng(`cuda ${kernel}`);
    for (let round = 0; round < 3; round++) {
      const chosen = randomCase(kernel, prng);
      const program = standardProgram(chosen);
      const inputs = randomInputs(program, prng, round === 0 ? "numbers" : "patterns");
      await expectSame(program, inputs, `${kernel} ${chosen.numbers.join()}`);
    }
  });

  it("runs loops with counters and buffers that alternate, and shows what each launch wrote", async () => {
    const program = mixProgram(64, 3);
    const inputs = randomInputs(program, new Prng("mix"), "patterns");
    const checked = checkProgram(program);
    const wanted: Uint8Array[] = [];
    runProgram(checked, new WasmEngine(checked), inputs, {
      onLaunch: ({ written }) => wanted.push(...written.map(({ contents }) => contents.slice())),
    });
    const seen: Uint8Array[] = [];
    const progress: number[] = [];
    await deviceOf().run(checked, inputs, {
      onLaunch: ({ written }) => {
        seen.push(...written.map(({ contents }) => contents));
      },
      onProgress: (launches) => progress.push(launches),
    });
    expect(seen).toEqual(wanted);
    expect(progress).toEqual([1, 2, 3, 4]);
    await expectSame(program, inputs, "mix");
  });

  it("passes the self-test, on each of its devices", async () => {
    for (const index of [0, 1]) {
      const rows = [];
      for await (const row of selfTest(deviceOf({}, index))) rows.push(row);
      expect(rows.filter(({ same }) => !same)).toEqual([]);
      expect(rows.map(({ kernel }) => kernel).sort()).toEqual([...STANDARD_KERNELS].sort());
    }
    expect(GOLDEN_CASES.length).toBe(STANDARD_KERNELS.length);
  });

  function endless(fuel: number): Program {
    const program = gemmProgram(16, 16, 16);
    const launch = program.steps[0] as LaunchSpec;
    const text = smallKernel(
      "ld.global.u32 %r2, [%a];\nL: add.u32 %r1, %n, 1;\nsetp.ne.u32 %p1, %r1, 0;\nst.global.u32 [%b], %r1;\n@%p1 bra L;",
    );
    return {
      ...program,
      kernels: [{ ptx: text, entry: "k" }],
      steps: [
        {
          ...{ ...launch, grid: [1, 1, 1], block: [1, 1, 1], fuel },
          arguments: [onBuffer(0), onBuffer(2), scalar32(1)],
          tiles: [{ parameter: 1, tile: { kind: "whole" } }],
        },
      ],
    };
  }

  it("ends a kernel that does not end when its fuel is certain to be gone, and then works on", async () => {
    const program = endless(100_000);
    const inputs = randomInputs(program, new Prng("endless"), "numbers");
    const [checked, wanted] = [checkProgram(program), reference(program, inputs)];
    expect(wanted.kind === "trap" && wanted.trap.reason).toBe("FUEL");
    await expect(deviceOf().run(checked, inputs)).rejects.toMatchObject({
      ...{ code: "DEVICE_FAILED", data: { driver: "CUDA_ERROR_LAUNCH_FAILED" } },
    });
    const next = gemmProgram(20, 20, 20);
    await expectSame(next, randomInputs(next, new Prng("after"), "numbers"), "after");
  });

  it("lets a loop go round as often as its fuel allows", async () => {
    const program = gemmProgram(16, 16, 16);
    const launch = program.steps[0] as LaunchSpec;
    const rounds = 300;
    const text = smallKernel(
      "ld.global.u32 %r2, [%a];\nmov.u32 %r1, 0;\nL: add.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, %n;\n@%p1 bra L;\nst.global.u32 [%b], %r1;",
    );
    const counting = (fuel: number): Program => ({
      ...program,
      kernels: [{ ptx: text, entry: "k" }],
      steps: [
        {
          ...{ ...launch, grid: [1, 1, 1], block: [1, 1, 1], fuel },
          arguments: [onBuffer(0), onBuffer(2), scalar32(rounds)],
          tiles: [{ parameter: 1, tile: { kind: "whole" } }],
        },
      ],
    });
    const inputs = randomInputs(program, new Prng("rounds"), "numbers");
    const used = reference(counting(1e6), inputs).fuel;
    for (const fuel of [used, 2 ** 40]) await expectSame(counting(fuel), inputs, `${fuel} units`);
  });

  it("gives up on a kernel that does not end in time, and on a job that is cancelled, and then works on", async () => {
    const program = endless(2 ** 44);
    const inputs = randomInputs(program, new Prng("endless"), "numbers");
    const checked = checkProgram(program);
    await expect(deviceOf({ timeout: 50 }).run(checked, inputs)).rejects.toMatchObject({ code: "DEVICE_TIMEOUT" });
    const abort = new AbortController();
    const run = deviceOf().run(checked, inputs, { signal: abort.signal });
    setTimeout(() => abort.abort(new Error("enough")), 20);
    await expect(run).rejects.toThrow("enough");
    const next = gemmProgram(20, 20, 20);
    await expectSame(next, randomInputs(next, new Prng("after"), "numbers"), "after");
  });

  it("computes on several devices at once", async () => {
    const program = mixProgram(512, 8);
    const checked = checkProgram(program);
    const jobs = [0, 1, 0, 1].map(async (index, i) => {
      const inputs = randomInputs(program, new Prng(`several ${i}`), "patterns");
      const got = await deviceOf({}, index).run(checked, inputs);
      const wanted = reference(program, inputs);
      if (got.kind !== "done" || wanted.kind !== "done") throw new Error("trapped");
      for (const [name, bytes] of wanted.outputs) sameBytes(got.outputs.get(name), bytes, `job ${i} ${name}`);
    });
    await Promise.all(jobs);
  });

  it("keeps a job within its memory", async () => {
    const program = gemmProgram(64, 64, 64);
    const inputs = randomInputs(program, new Prng("memory"), "numbers");
    const run = deviceOf({ memoryLimit: 40_000 }).run(checkProgram(program), inputs);
    await expect(run).rejects.toMatchObject({ code: "DEVICE_MEMORY" });
  });

  it("fails with the driver's reason when a kernel leaves its buffers, and then works on", async () => {
    const program = gemmProgram(64, 64, 64);
    const short: Program = {
      ...program,
      buffers: program.buffers.map((spec) => (spec.name === "a" ? { ...spec, bytes: 1024 } : spec)),
    };
    const inputs = randomInputs(short, new Prng("short"), "numbers");
    await expect(deviceOf().run(checkProgram(short), inputs)).rejects.toMatchObject({
      ...{ code: "DEVICE_FAILED", data: { driver: "CUDA_ERROR_ILLEGAL_ADDRESS" } },
    });
    await expectSame(program, randomInputs(program, new Prng("after"), "numbers"), "after");
  });
});
