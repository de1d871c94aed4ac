/**
 * Thread instructions per second of WebAssembly, beside the plain interpreter in C++ that the stand-in for libcuda is: SHA-256
 * as nvcc compiles it, on one core each.
 */
import { ENTRY, printPtx, roundsArgument } from "../../compute/device/cuda/print-ptx.ts";
import { type CudaSession, loadAddon } from "../../compute/native/addon.ts";
import { type CheckedKernel, checkKernel } from "../../compute/ptx/check.ts";
import { compileKernel } from "../../compute/ptx/wasm/compile.ts";
import { Machine, scratchBytes } from "../../compute/ptx/wasm/machine.ts";
import { buildStandIn } from "../../test/native/stand-in.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { interleave } from "../interleave.ts";
import { testKernel } from "../test-kernel.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly blocks: number;
  readonly threads: number;
}

export const benchCase: BenchCase<Params> = {
  name: "ptx-interpreter",
  description: "SHA-256 as nvcc compiles it: thread instructions/s of WebAssembly, beside an interpreter in C++",
  sizes: { smoke: { rounds: 1, blocks: 2, threads: 32 }, full: { rounds: 9, blocks: 60, threads: 256 } },
  run,
};

const MESSAGE = Uint8Array.from({ length: 12 }, (_, i) => i);

function webAssembly(checked: CheckedKernel, blocks: number, threads: number): Machine & { runAll(): void } {
  const compiled = compileKernel(checked);
  const machine = new Machine(scratchBytes(compiled, threads), [12, 4 * blocks * threads]);
  machine.buffer(0).set(MESSAGE);
  const loaded = machine.load(compiled);
  const buffers = [0, 1].map((buffer) => ({ kind: "buffer", buffer }) as const);
  loaded.begin({ grid: [blocks, 1, 1], block: [threads, 1, 1], dynamicShared: 0, arguments: buffers });
  return Object.assign(machine, {
    runAll: () => {
      for (let at = 0; at < blocks; at++) {
        loaded.setTile(1, { kind: "run", start: 4 * at * threads, bytes: 4 * threads });
        if (loaded.runBlock([at, 0, 0], 1e12).kind !== "done") throw new Error("the kernel trapped");
      }
    },
  });
}

const BOUNDS = { threads: 1_024, fuel: 1e9 };

async function interpreter(checked: CheckedKernel, bytes: number): Promise<CudaSession> {
  const addon = loadAddon();
  const library = buildStandIn();
  if ("problem" in addon || library === undefined) throw new Error("a C++ compiler is needed");
  const session = new addon.cuda.Session(library, 0, 1 << 30);
  await session.open();
  await session.allocate([12, bytes]);
  await session.load([{ ptx: printPtx(checked, BOUNDS), entry: ENTRY }], [{ buffer: 0, bytes: MESSAGE }]);
  return session;
}

async function run({ rounds, blocks, threads }: Params): Promise<BenchResult> {
  const checked = checkKernel(await testKernel("integer"), "sha256");
  // The kernel is one straight line; what the rewriter put in is not counted.
  const perThread = checked.kernel.blocks
    .flatMap(({ instructions }) => instructions)
    .filter(({ op }) => op !== "fixnan").length;
  const work = perThread * blocks * threads;
  const ours = webAssembly(checked, blocks, threads);
  const session = await interpreter(checked, 4 * blocks * threads);
  const launch = {
    kernel: 0,
    grid: [blocks, 1, 1],
    block: [threads, 1, 1],
    shared: 0,
    arguments: [0, 1, roundsArgument(BOUNDS, BOUNDS.fuel)],
  };
  const rates = await interleave(rounds, [
    {
      name: "WebAssembly",
      run: () => {
        ours.runAll();
        return work;
      },
    },
    {
      name: "C++ interpreter",
      run: async () => {
        await session.launch([launch], 0);
        return work;
      },
    },
  ]);
  const theirs = new Uint8Array(4 * blocks * threads);
  await session.download(1, 0, theirs);
  await session.close();
  return {
    measurements: ["WebAssembly", "C++ interpreter"].map((name) => ({
      ...{ name, unit: "thread instructions/s" },
      value: rates.rate(name),
    })),
    comparisons: [{ name: "beside C++", ratio: rates.ratio("WebAssembly", "C++ interpreter"), target: { atLeast: 5 } }],
    agreed: theirs.every((byte, i) => byte === ours.buffer(1)[i]),
  };
}
