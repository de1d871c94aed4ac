import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { CpuDevice } from "../../../compute/device/cpu-device.ts";
import type { Device, DeviceResult } from "../../../compute/device/device.ts";
import { isNative } from "../../../compute/device/native-launch.ts";
import { type ProgramResult, runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { STANDARD_KERNELS } from "../../../compute/kernels/standard-kernels.ts";
import { parameterKinds } from "../../../compute/kernels/standard-launch.ts";
import { type StandardCase, standardProgram } from "../../../compute/kernels/standard-program.ts";
import { type Addon, loadAddon } from "../../../compute/native/addon.ts";
import { type ScheduledLaunch, scheduleOf } from "../../../compute/program/schedule.ts";
import type { BufferSpec, LaunchSpec, Program, StepSpec } from "../../../compute/program/types.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";
import { smallKernel } from "../ptx/support/small-kernel.ts";
import { randomInputs, sameBytes } from "../support/inputs.ts";
import { gemmProgram, mixProgram, onBuffer, scalar32 } from "../support/sample-programs.ts";
import { randomCase } from "../support/standard-programs.ts";

const loaded = loadAddon();
const addon: Addon | undefined = "problem" in loaded ? undefined : loaded;

function firstLaunch(program: Program): ScheduledLaunch {
  return [...scheduleOf(program)][0] as ScheduledLaunch;
}

function reference(program: Program, inputs: ReadonlyMap<string, Uint8Array>): ProgramResult {
  const checked = checkProgram(program);
  return runProgram(checked, new WasmEngine(checked), inputs);
}

function expectSame(got: DeviceResult, wanted: ProgramResult, label: string): void {
  if (wanted.kind !== "done" || got.kind !== "done")
    throw new Error(`${label} trapped: ${JSON.stringify([got, wanted])}`);
  for (const [name, bytes] of wanted.outputs) sameBytes(got.outputs.get(name), bytes, `${label} ${name}`);
}

describe.runIf(addon !== undefined)("the CPU device", () => {
  const cpu = (addon as Addon).cpu;
  const { variants } = cpu.features();
  const devices = variants.flatMap((variant): readonly Device[] => [
    new CpuDevice(cpu, { variant, threads: 1 }),
    new CpuDevice(cpu, { variant }),
  ]);

  it.each(STANDARD_KERNELS)(
    "computes %s to the same bits as WebAssembly, with each instruction set, on one and more threads",
    async (kernel) => {
      const prng = new Prng(`cpu ${kernel}`);
      for (let round = 0; round < 6; round++) {
        const chosen: StandardCase = randomCase(kernel, prng);
        const program = standardProgram(chosen);
        expect(isNative(program, kernel, firstLaunch(program))).toBe(true);
        const inputs = randomInputs(program, prng, round % 2 === 0 ? "numbers" : "patterns");
        const wanted = reference(program, inputs);
        for (const device of devices) {
          const got = await device.run(checkProgram(program), inputs);
          expectSame(got, wanted, `${device.name} ${kernel} ${chosen.numbers.join(",")} x${chosen.batch ?? 1}`);
        }
      }
    },
  );

  it.each<StandardCase>([
    { kernel: "gemm", numbers: [450, 33, 530, 0, 530, 1, 0, 33, 1] },
    { kernel: "gemm", numbers: [7, 4200, 5, 0, 1, 7, 0, 1, 5] },
    { kernel: "gemm", numbers: [3, 20, 257, 0, 257, 1, 257 * 20, 20, 1], batch: 3 },
    { kernel: "conv", numbers: [1, 40, 12, 40, 30, 12, 40, 3, 3, 1, 1, 1, 1, 1, 1], batch: 2 },
    { kernel: "conv", numbers: [2, 6, 70, 70, 8, 68, 68, 3, 3, 1, 1, 0, 0, 1, 1], batch: 2 },
    // Rows of 11 pixels: several in one strip, and at the edge a part of one.
    { kernel: "conv", numbers: [1, 3, 11, 11, 13, 11, 11, 3, 3, 1, 1, 1, 1, 1, 1], batch: 2 },
    { kernel: "gemm_int8", numbers: [470, 20, 301, 1, 0, 128, -128] },
    { kernel: "gemm_int8", numbers: [30, 75, 1601, 0, 1, 3, 7], batch: 2 },
    { kernel: "max_pool", numbers: [2 * 8 * 600, 8, 600, 8, 600, 3, 3, 1, 1, 1, 1, 0] },
    { kernel: "average_pool", numbers: [2 * 4 * 300, 8, 600, 4, 300, 3, 2, 2, 2, 1, 0, 0] },
  ])("computes a large $kernel of $numbers across all panels to the same bits", async (chosen) => {
    const program = standardProgram(chosen);
    const inputs = randomInputs(program, new Prng("panels"), "numbers");
    // Far into the sums, so that the last panel decides.
    for (const bytes of inputs.values()) new DataView(bytes.buffer).setUint32(bytes.length - 4, 0xffc12345, true);
    const wanted = reference(program, inputs);
    for (const device of devices) {
      expectSame(await device.run(checkProgram(program), inputs), wanted, `${device.name} ${chosen.kernel}`);
    }
  });

  it("has native code for every standard kernel, with parameters of the same sizes", () => {
    const sizes: Readonly<Record<string, number>> = { i: 4, f: 4, b: 8, w: 8 };
    const expected = STANDARD_KERNELS.map((name) => [
      name,
      [...(parameterKinds(name) ?? "")].map((kind) => sizes[kind]),
    ]);
    expect(cpu.kernels()).toEqual(Object.fromEntries(expected));
  });

  it("runs kernels that are not standard ones in WebAssembly, also between native ones", async () => {
    const product = standardProgram({ kernel: "gemm", numbers: [20, 20, 20, 0, 20, 1, 0, 20, 1] });
    const other = gemmProgram(20, 20, 20);
    const first = product.steps[0] as LaunchSpec;
    const second = other.steps[0] as LaunchSpec;
    const third = standardProgram({ kernel: "relu", numbers: [400] }).steps[0] as LaunchSpec;
    const onto = (buffer: number) => ({ kind: "buffer", buffer }) as const;
    const program: Program = {
      ...product,
      kernels: [
        ...product.kernels,
        ...other.kernels,
        standardProgram({ kernel: "relu", numbers: [400] }).kernels[0] as never,
      ],
      buffers: [
        ...product.buffers,
        { name: "second", kind: "scratch", bytes: 1600 },
        { name: "third", kind: "zero", bytes: 1600 },
      ],
      steps: [
        first,
        { ...second, kernel: 1, arguments: [...second.arguments.slice(0, 3), onto(2), onto(1), onto(3)] },
        { ...third, kernel: 2, arguments: [...third.arguments.slice(0, 1), onto(3), onto(4)] },
      ],
      outputs: [2, 3, 4],
    };
    const inputs = randomInputs(program, new Prng("mixed"), "numbers");
    const seen: number[] = [];
    const got = await (devices[0] as Device).run(checkProgram(program), inputs, {
      onLaunch: ({ scheduled, written }) => {
        seen.push(scheduled.index, written[0]?.buffer ?? -1);
      },
    });
    expect(seen).toEqual([0, 2, 1, 3, 2, 4]);
    expectSame(got, reference(program, inputs), "mixed");
  });

  it("leaves a launch that it cannot be sure of to WebAssembly, which traps or computes it", async () => {
    const program = standardProgram({ kernel: "softmax", numbers: [16, 40] });
    const launch = program.steps[0] as LaunchSpec;
    const short: Program = {
      ...program,
      buffers: program.buffers.map((spec) => (spec.kind === "input" ? { ...spec, bytes: spec.bytes - 400 } : spec)),
    };
    const poor: Program = { ...program, steps: [{ ...launch, fuel: 1000 }] };
    for (const [changed, reason] of [
      [short, "OUT_OF_BOUNDS"],
      [poor, "FUEL"],
    ] as const) {
      expect(isNative(changed, "softmax", firstLaunch(changed))).toBe(false);
      const inputs = randomInputs(changed, new Prng("short"), "numbers");
      const got = await (devices[0] as Device).run(checkProgram(changed), inputs);
      expect(got.kind === "trap" && got.trap.reason).toBe(reason);
    }
  });

  it("reports progress, keeps timers running meanwhile, and stops when asked", async () => {
    // Many rows, for one thread computes up to some thousand of them in a piece.
    const [rows, columns, depth] = [20_000, 512, 256];
    const program = standardProgram({ kernel: "gemm", numbers: [rows, columns, depth, 0, depth, 1, 0, columns, 1] });
    const inputs = randomInputs(program, new Prng("long"), "numbers");
    const steps: number[] = [];
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const done = await (devices[0] as Device).run(checkProgram(program), inputs, {
      onProgress: (at) => steps.push(at),
    });
    clearInterval(timer);
    expect(done.kind).toBe("done");
    expect(steps.at(-1)).toBe(1);
    expect(steps.length).toBeGreaterThan(2);
    expect(turns).toBeGreaterThan(2);
    const abort = new AbortController();
    const run = (devices[0] as Device).run(checkProgram(program), inputs, { signal: abort.signal });
    setImmediate(() => abort.abort(new Error("enough")));
    await expect(run).rejects.toThrow("enough");
  });
});

describe("without the addon", () => {
  const device = new CpuDevice(undefined, { threads: 2 });

  it("the CPU device computes everything in WebAssembly, and says so", async () => {
    const program = standardProgram({ kernel: "layer_norm", numbers: [9, 33, 1e-5] });
    const inputs = randomInputs(program, new Prng("none"), "numbers");
    expect(device.name).toContain("WebAssembly");
    expectSame(await device.run(checkProgram(program), inputs), reference(program, inputs), "without");
  });

  it("large launches run on other threads, in a row, on what the ones before wrote", async () => {
    // Much fuel is allowed, so that it does not run on this thread.
    const program = withFuel(mixProgram(640, 5), 2 ** 30);
    const inputs = randomInputs(program, new Prng("threads"), "patterns");
    expectSame(await device.run(checkProgram(program), inputs), reference(program, inputs), "threads");
    const product = withFuel(gemmProgram(70, 50, 30), 2 ** 30);
    const matrices = randomInputs(product, new Prng("rows"), "patterns");
    const progress: number[] = [];
    const options = { onProgress: (at: number) => progress.push(at) };
    expectSame(await device.run(checkProgram(product), matrices, options), reference(product, matrices), "rows");
    expect(progress.at(-1)).toBe(1);
    expect(progress.length).toBeGreaterThan(4);
  });

  it("the lowest tile that traps is the result, whichever thread finds one first", async () => {
    const program = gemmProgram(200, 50, 30);
    const short = withFuel({ ...program, buffers: program.buffers.map(shorter) }, 2 ** 30);
    const inputs = randomInputs(short, new Prng("trap"), "numbers");
    const wanted = reference(short, inputs);
    expect(wanted.kind).toBe("trap");
    const got = await device.run(checkProgram(short), inputs);
    expect(got.kind === "trap" && got.trap).toEqual(wanted.kind === "trap" && wanted.trap);
  });

  it("a kernel that does not end is stopped, and timers run meanwhile", async () => {
    const text = smallKernel("ld.global.u32 %r1, [%a];\nL: st.global.u32 [%b], %r1;\nbra L;");
    const program: Program = {
      ...gemmProgram(16, 16, 16),
      kernels: [{ ptx: text, entry: "k" }],
      steps: [
        {
          ...{ kind: "launch", kernel: 0, grid: [1, 1, 1], block: [1, 1, 1], dynamicShared: 0, fuel: 2 ** 44 },
          arguments: [onBuffer(0), onBuffer(2), scalar32(1)],
          ...{ tiles: [{ parameter: 1, tile: { kind: "whole" } }], bytes: 1 << 20 },
        },
      ],
    };
    const abort = new AbortController();
    const run = device.run(checkProgram(program), randomInputs(program, new Prng("endless"), "numbers"), {
      signal: abort.signal,
    });
    let turns = 0;
    const timer = setInterval(() => {
      if (++turns === 50) abort.abort(new Error("enough"));
    }, 2);
    await expect(run).rejects.toThrow("enough");
    clearInterval(timer);
    expect(turns).toBeGreaterThanOrEqual(50);
  });
});

function withFuel(program: Program, fuel: number): Program {
  const change = (step: StepSpec): StepSpec =>
    step.kind === "launch" ? { ...step, fuel } : { ...step, body: step.body.map(change) };
  return { ...program, steps: program.steps.map(change) };
}

/** The left matrix lacks its last third. */
function shorter(spec: BufferSpec): BufferSpec {
  return spec.name === "a" ? { ...spec, bytes: 4 * Math.floor(spec.bytes / 6) } : spec;
}
