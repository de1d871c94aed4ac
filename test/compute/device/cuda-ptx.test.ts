/**
 * The PTX that goes to the driver means what the engines compute: every instruction, and kernels with shared memory, warp
 * operations, atomics and local arrays, through the stand-in, whose NaNs, divisions by zero and memory at the start are not ours.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { CudaDevice, findCudaDevices } from "../../../compute/device/cuda/cuda-device.ts";
import { printPtx } from "../../../compute/device/cuda/print-ptx.ts";
import type { Device } from "../../../compute/device/device.ts";
import { runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { STANDARD_KERNELS, standardKernel } from "../../../compute/kernels/standard-kernels.ts";
import { type Addon, type CudaDeviceInfo, loadAddon } from "../../../compute/native/addon.ts";
import { type ArgumentSpec, ENGINE_VERSION, type Extent, type Program } from "../../../compute/program/types.ts";
import { checkKernel, checkModule } from "../../../compute/ptx/check.ts";
import { checkProgram } from "../../../compute/ptx/check-program.ts";
import { buildStandIn } from "../../native/stand-in.ts";
import { bytesOf, words32, words64 } from "../ptx/support/bit-patterns.ts";
import { kernelText } from "../ptx/support/both-engines.ts";
import { COMPARISONS, CONVERSIONS, FLOAT, type Form, INTEGER, kernelOf } from "../ptx/support/instruction-forms.ts";
import { smallKernel } from "../ptx/support/small-kernel.ts";
import { sameBytes } from "../support/inputs.ts";
import { onBuffer, scalar32 } from "../support/sample-programs.ts";

const loaded = loadAddon();
const addon: Addon | undefined = "problem" in loaded ? undefined : loaded;

interface Case {
  readonly ptx: string;
  readonly entry: string;
  readonly grid?: Extent;
  readonly block: Extent;
  readonly dynamicShared?: number;
  readonly arguments: readonly ArgumentSpec[];
  readonly inputs: readonly Uint8Array[];
  readonly output: number;
  /** The parameter that is written. */
  readonly parameter: number;
}

/** Buffers: the inputs, then the output. A launch of several blocks has one run for each. */
function programOf(job: Case): Program {
  const grid = job.grid ?? [1, 1, 1];
  const blocks = grid[0] * grid[1] * grid[2];
  const tile = blocks === 1 ? ({ kind: "whole" } as const) : ({ kind: "run", bytes: job.output / blocks } as const);
  return {
    engine: ENGINE_VERSION,
    kernels: [{ ptx: job.ptx, entry: job.entry }],
    buffers: [
      ...job.inputs.map(({ length }, i) => ({ name: `in${i}`, kind: "input", bytes: length }) as const),
      { name: "out", kind: "zero", bytes: job.output },
    ],
    steps: [
      {
        ...{ kind: "launch", kernel: 0, grid, block: job.block, dynamicShared: job.dynamicShared ?? 0 },
        ...{ arguments: job.arguments, tiles: [{ parameter: job.parameter, tile }], fuel: 1e9, bytes: 1e9 },
      },
    ],
    outputs: [job.inputs.length],
  };
}

/** Every instruction in a line, for each thread on its own numbers. */
function straightLine(forms: readonly Form[], seed: string, threads: number): Case {
  const prng = new Prng(seed);
  return {
    ...{ ptx: kernelOf(forms), entry: "k", block: [threads, 1, 1], parameter: 2 },
    arguments: [onBuffer(0), onBuffer(1), onBuffer(2)],
    inputs: [bytesOf(words32(prng, 4 * threads)), bytesOf(words64(prng, 4 * threads))],
    output: 8 * forms.length * threads,
  };
}

function words(seed: string, count: number): Uint8Array {
  return bytesOf(words32(new Prng(seed), count));
}

const KERNELS: readonly (readonly [string, Case])[] = [
  [
    "sums by shuffles and shared memory",
    {
      ...{ ptx: kernelText("reduce"), entry: "blocksum", grid: [3, 1, 1], block: [96, 1, 1], parameter: 1 },
      ...{ arguments: [onBuffer(0), onBuffer(1), scalar32(200)], inputs: [words("sum", 600)], output: 12 },
    },
  ],
  [
    "scans in dynamic shared memory",
    {
      ...{ ptx: kernelText("reduce"), entry: "scan", grid: [2, 1, 1], block: [50, 1, 1], parameter: 1 },
      dynamicShared: 200,
      ...{ arguments: [onBuffer(0), onBuffer(1)], inputs: [words("scan", 100)], output: 400 },
    },
  ],
  [
    "votes, matches and shuffles",
    {
      ...{ ptx: kernelText("reduce"), entry: "votes", grid: [2, 1, 1], block: [64, 1, 1], parameter: 1 },
      ...{ arguments: [onBuffer(0), onBuffer(1)], inputs: [words("votes", 128)], output: 512 },
    },
  ],
  [
    "reads local arrays",
    {
      ...{ ptx: kernelText("varied"), entry: "localarray", block: [20, 1, 1], parameter: 1 },
      ...{ arguments: [onBuffer(0), onBuffer(1), scalar32(16)], inputs: [words("local", 16)], output: 80 },
    },
  ],
  [
    "sorts with barriers in loops",
    {
      ...{ ptx: kernelText("varied"), entry: "bitonic", grid: [2, 1, 1], block: [64, 1, 1], parameter: 1 },
      ...{ arguments: [onBuffer(0), onBuffer(1)], inputs: [words("sort", 128)], output: 512 },
    },
  ],
  [
    "takes structures",
    {
      ...{ ptx: kernelText("varied"), entry: "structure", block: [20, 1, 1], parameter: 2 },
      arguments: [{ kind: "scalar", bytes: words("structure", 6) }, onBuffer(0), onBuffer(1)],
      ...{ inputs: [words("numbers", 20)], output: 80 },
    },
  ],
  [
    "converts halves",
    {
      ...{ ptx: kernelText("varied"), entry: "halves", block: [512, 1, 1], parameter: 1 },
      ...{ arguments: [onBuffer(0), onBuffer(1)], inputs: [words("halves", 256)], output: 1024 },
    },
  ],
  [
    "walks a pointer to its end",
    {
      ...{ ptx: kernelText("varied"), entry: "walk", block: [32, 1, 1], parameter: 1 },
      ...{ arguments: [onBuffer(0), onBuffer(1), scalar32(100)], inputs: [words("walk", 100)], output: 128 },
    },
  ],
  [
    "orders addresses by their distance from the buffer, however far",
    {
      ptx: smallKernel(
        `ld.global.u32 %r1, [%a];
add.s64 %d1, %a, 9223372036854775807; add.s64 %d2, %a, 4; add.s64 %d3, %a, -8;
setp.lt.u64 %p1, %d1, %d2; setp.gt.u64 %p2, %d3, %a; setp.le.u64 %p3, %d2, %d1;
selp.u32 %r2, 1, 0, %p1; selp.u32 %r3, 2, 0, %p2; selp.u32 %r4, 4, 0, %p3;
or.b32 %r0, %r2, %r3; or.b32 %r0, %r0, %r4; st.global.u32 [%b], %r0;`,
      ),
      ...{ entry: "k", block: [1, 1, 1], parameter: 1 },
      ...{ arguments: [onBuffer(0), onBuffer(1), scalar32(0)], inputs: [words("order", 4)], output: 4 },
    },
  ],
  [
    "divides long numbers",
    {
      ...{ ptx: kernelText("varied"), entry: "quotients", block: [64, 1, 1], parameter: 1 },
      ...{ arguments: [onBuffer(0), onBuffer(1)], inputs: [words("quotients", 130)], output: 512 },
    },
  ],
  [
    "synchronises warps",
    {
      ...{ ptx: kernelText("varied"), entry: "neighbours", block: [64, 1, 1], parameter: 1 },
      ...{ arguments: [onBuffer(0), onBuffer(1)], inputs: [words("neighbours", 64)], output: 256 },
    },
  ],
  [
    "counts with atomics",
    {
      ...{ ptx: kernelText("integer"), entry: "histogram", block: [96, 1, 1], parameter: 2 },
      ...{ arguments: [scalar32(1000), onBuffer(0), onBuffer(1)], inputs: [words("counts", 250)], output: 256 },
    },
  ],
  [
    "knows its lane and warp by the thread's number",
    {
      ptx: smallKernel(
        `ld.global.u32 %r9, [%a];
mov.u32 %r1, %laneid; mov.u32 %r2, %warpid; mov.u32 %r3, %lanemask_le; mad.lo.u32 %r0, %r2, 1000, %r1; xor.b32 %r0, %r0, %r3;
add.s64 %d10, %b, %o;
mov.u32 %r4, %tid.y; mul.lo.u32 %r4, %r4, 60; cvt.u64.u32 %d11, %r4; add.s64 %d10, %d10, %d11;
st.global.u32 [%d10], %r0;`,
      ),
      ...{ entry: "k", block: [15, 5, 1], parameter: 1 },
      ...{ arguments: [onBuffer(0), onBuffer(1), scalar32(0)], inputs: [words("lanes", 1)], output: 300 },
    },
  ],
];

describe.runIf(addon !== undefined)("PTX for the driver", () => {
  let device: Device;

  beforeAll(() => {
    const { cuda } = addon as Addon;
    const library = buildStandIn() ?? "";
    const found = findCudaDevices(cuda, library);
    if ("problem" in found) throw new Error(found.problem);
    device = new CudaDevice(cuda, found.devices[0] as CudaDeviceInfo, { library });
  });

  async function expectSame(job: Case, label: string): Promise<void> {
    const checked = checkProgram(programOf(job));
    const inputs = new Map(job.inputs.map((bytes, i) => [`in${i}`, bytes] as const));
    const wanted = runProgram(checked, new WasmEngine(checked), inputs);
    const got = await device.run(checked, inputs);
    if (wanted.kind !== "done" || got.kind !== "done") throw new Error(`${label}: ${JSON.stringify([wanted, got])}`);
    sameBytes(got.outputs.get("out"), wanted.outputs.get("out") as Uint8Array, label);
  }

  it.each([...INTEGER, ...FLOAT, ...CONVERSIONS, ...COMPARISONS].map((form) => [form[0], form] as const))(
    "gives %s our answer for every edge",
    async (name, form) => {
      await expectSame(straightLine([form], name, 256), name);
    },
  );

  it("gives any selection of instructions, in any order, the same bits", async () => {
    const form = fc.constantFrom(...INTEGER, ...FLOAT, ...CONVERSIONS, ...COMPARISONS);
    await fc.assert(
      fc.asyncProperty(fc.array(form, { minLength: 1, maxLength: 30 }), fc.string(), async (forms, seed) => {
        await expectSame(straightLine(forms, seed, 8), forms.map(([name]) => name).join());
      }),
      { numRuns: 20 },
    );
  });

  it.each(KERNELS)("%s", async (name, job) => {
    await expectSame(job, name);
  });
});

describe.runIf(spawnSync("ptxas", ["--version"]).error === undefined)("ptxas", () => {
  it("assembles what is printed of every kernel", () => {
    const folder = mkdtempSync(join(tmpdir(), "ogpu-print-"));
    const texts = ["gemm", "reduce", "integer", "elementwise", "varied", "physics"].map(kernelText);
    const kernels = [
      ...texts.flatMap((text) => checkModule(text).flatMap(({ checked }) => checked ?? [])),
      ...STANDARD_KERNELS.map((name) => checkKernel(standardKernel(name).ptx, name)),
    ];
    try {
      for (const checked of kernels) {
        const file = join(folder, "kernel.ptx");
        writeFileSync(file, printPtx(checked, { threads: 256, fuel: 2 ** 27 }));
        const { status, stderr } = spawnSync("ptxas", ["-O0", "-arch=sm_75", file, "-o", join(folder, "out.cubin")]);
        expect(status, `${checked.kernel.name}: ${stderr}`).toBe(0);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
