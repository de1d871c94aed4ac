import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { CpuDevice } from "../../../compute/device/cpu-device.ts";
import { NativeLaunches } from "../../../compute/device/native-launch.ts";
import { planLaunches } from "../../../compute/device/plan-launches.ts";
import { runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { standardKernel } from "../../../compute/kernels/standard-kernels.ts";
import { type StandardCase, standardProgram } from "../../../compute/kernels/standard-program.ts";
import { loadAddon } from "../../../compute/native/addon.ts";
import { decodeModel } from "../../../compute/onnx/decode-model.ts";
import { importModel } from "../../../compute/onnx/import-model.ts";
import { type BufferSpec, ENGINE_VERSION, type LaunchSpec, type Program } from "../../../compute/program/types.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";
import { makeModel } from "../onnx/support/make-model.ts";
import { residualNetwork } from "../onnx/support/sample-models.ts";
import { randomInputs, sameBytes } from "../support/inputs.ts";

const loaded = loadAddon();
const cpu = "problem" in loaded ? undefined : loaded.cpu;

/** Two rows of blocks along an edge that is no whole tile. */
const SIDE = 67;
const COUNT: number = SIDE * SIDE;
/** Not to the letter a standard kernel, so it runs in WebAssembly. */
const OTHER = { ...standardKernel("relu"), ptx: `${standardKernel("relu").ptx}\n` };

const HEADS: readonly StandardCase[] = [
  { kernel: "gemm", numbers: [SIDE, SIDE, SIDE, 0, SIDE, 1, 0, SIDE, 1] },
  { kernel: "conv", numbers: [1, 1, SIDE, SIDE, 1, SIDE, SIDE, 3, 3, 1, 1, 1, 1, 1, 1] },
  { kernel: "softmax", numbers: [SIDE, SIDE] },
  { kernel: "layer_norm", numbers: [SIDE, SIDE, 1e-5] },
  { kernel: "max_pool", numbers: [COUNT, SIDE, SIDE, SIDE, SIDE, 3, 3, 1, 1, 1, 1, 0] },
];
const REPEATS: readonly (readonly [number, number])[] = [
  [1, COUNT],
  [1, COUNT],
  [1, SIDE],
  [SIDE, SIDE],
  [COUNT, 1],
];

function randomLaunch(prng: Prng): StandardCase | "other" {
  const kind = prng.below(16);
  if (kind === 0) return "other";
  if (kind < 4) return HEADS[prng.below(HEADS.length)] as StandardCase;
  if (kind < 9) {
    const kernel = ["negate", "relu", "gelu", "sigmoid", "square_root"][prng.below(5)] as string;
    return { kernel, numbers: [COUNT] };
  }
  const kernel = ["add", "subtract", "multiply", "divide", "maximum"][prng.below(5)] as string;
  const repeats = [0, 1].flatMap(() => REPEATS[prng.below(REPEATS.length)] as readonly [number, number]);
  return { kernel, numbers: [COUNT, ...repeats] };
}

/** Launches over few buffers, most on the result of the one before, as models are after their buffers were shared. */
function randomProgram(prng: Prng): Program {
  const buffers: readonly BufferSpec[] = Array.from({ length: 7 }, (_, i) => ({
    ...{ name: `b${i}`, kind: i < 2 ? "input" : i < 5 ? "scratch" : "zero", bytes: 4 * COUNT },
  }));
  const kernels = [OTHER];
  let made = 0;
  const steps = Array.from({ length: 4 + prng.below(12) }, (): LaunchSpec => {
    const chosen = randomLaunch(prng);
    const { kernels: own, steps } = standardProgram(chosen === "other" ? { kernel: "relu", numbers: [COUNT] } : chosen);
    const [launch] = steps as readonly [LaunchSpec];
    const source = chosen === "other" ? OTHER : (own[0] as typeof OTHER);
    const known = kernels.findIndex(({ ptx }) => ptx === source.ptx);
    const to = 2 + prng.below(5);
    const last = launch.arguments.length - 1;
    const bound = launch.arguments.map((argument, i) => {
      if (argument.kind !== "buffer") return argument;
      const from = prng.below(3) > 0 && made !== to ? made : (to + 1 + prng.below(6)) % 7;
      return { kind: "buffer", buffer: i === last ? to : from } as const;
    });
    made = to;
    return { ...launch, kernel: known >= 0 ? known : kernels.push(source) - 1, arguments: bound };
  });
  return { engine: ENGINE_VERSION, kernels, buffers, steps, outputs: [made, 2 + prng.below(5)].sort().filter(unique) };
}

function unique<T>(value: T, index: number, all: readonly T[]): boolean {
  return all.indexOf(value) === index;
}

describe.runIf(cpu !== undefined)("launches that are run as one", () => {
  it("leave the same bits in every output as one by one, with whatever inputs and however often", async () => {
    const prng = new Prng("chains");
    let chained = 0;
    for (let round = 0; round < 40; round++) {
      const program = randomProgram(prng);
      const checked = checkProgram(program);
      const plan = [...planLaunches(program, new NativeLaunches(program, true), true)];
      chained += program.steps.length - (plan[0]?.steps.length ?? 0);
      const devices = [
        new CpuDevice(cpu, { threads: 1 }),
        new CpuDevice(cpu),
        new CpuDevice(cpu, { variant: "portable" }),
      ];
      const prepared = devices.map((device) => device.prepare(checked, new Map()));
      for (const kind of ["numbers", "patterns"] as const) {
        const inputs = randomInputs(program, prng, kind);
        const wanted = runProgram(checked, new WasmEngine(checked), inputs);
        if (wanted.kind === "trap") throw new Error(`trapped: ${wanted.trap.reason}`);
        for (const [i, one] of prepared.entries()) {
          const got = await one.run(inputs);
          if (got.kind === "trap") throw new Error(`trapped: ${got.trap.reason}`);
          for (const [name, bytes] of wanted.outputs) {
            sameBytes(got.outputs.get(name), bytes, `round ${round} ${devices[i]?.name} ${name}`);
          }
        }
      }
    }
    // Otherwise the test shows nothing.
    expect(chained).toBeGreaterThan(40);
  });

  it("are a convolution with what normalises it and the step after", () => {
    const { program } = importModel(decodeModel(makeModel(residualNetwork(1, 32, 16))));
    const [window] = planLaunches(program, new NativeLaunches(program, true), true);
    const names = window?.steps.map((step) =>
      step.kind === "chain" ? step.launches.map(({ kernel }) => kernel).join(" ") : "portable",
    );
    expect(names?.[0]).toBe("conv add relu");
    expect(names?.filter((name) => name === "conv add add relu")).toHaveLength(2);
  });

  it("are one each where somebody looks at every result", () => {
    const { program } = importModel(decodeModel(makeModel(residualNetwork(1, 32, 16))));
    const [window] = planLaunches(program, new NativeLaunches(program, true), false);
    expect(window?.steps).toHaveLength(program.steps.length);
  });
});
