/** Thread instructions per second of a compiled integer kernel, beside the plain interpreter on the same kernel. */
import { checkKernel } from "../../compute/ptx/check.ts";
import { interpretBlock } from "../../compute/ptx/interpreter/interpret.ts";
import { compileKernel } from "../../compute/ptx/wasm/compile.ts";
import { Machine, scratchBytes, type TileWindow } from "../../compute/ptx/wasm/machine.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { interleave } from "../interleave.ts";
import { testKernel } from "../test-kernel.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly blocks: number;
  readonly threads: number;
  /** Threads of the interpreter's block: it is a thousand times slower. */
  readonly peerThreads: number;
}

export const benchCase: BenchCase<Params> = {
  name: "ptx-integer",
  description: "SHA-256 as nvcc compiles it: thread instructions/s of WebAssembly, beside the interpreter",
  sizes: {
    smoke: { rounds: 1, blocks: 2, threads: 32, peerThreads: 2 },
    full: { rounds: 7, blocks: 200, threads: 256, peerThreads: 64 },
  },
  run,
};

async function run({ rounds, blocks, threads, peerThreads }: Params): Promise<BenchResult> {
  const checked = checkKernel(await testKernel("integer"), "sha256");
  // The kernel is one straight line; what the rewriter put in is not counted.
  const perThread = checked.kernel.blocks
    .flatMap(({ instructions }) => instructions)
    .filter(({ op }) => op !== "fixnan").length;
  const compiled = compileKernel(checked);
  const message = Uint8Array.from({ length: 12 }, (_, i) => i);
  const machine = new Machine(scratchBytes(compiled, threads), [12, 4 * blocks * threads]);
  machine.buffer(0).set(message);
  const loaded = machine.load(compiled);
  const buffers = [{ kind: "buffer", buffer: 0 } as const, { kind: "buffer", buffer: 1 } as const];
  loaded.begin({ grid: [blocks, 1, 1], block: [threads, 1, 1], dynamicShared: 0, arguments: buffers });
  const window = (at: number, count: number): TileWindow => ({ kind: "run", start: 4 * at * count, bytes: 4 * count });

  const ours = (): number => {
    for (let at = 0; at < blocks; at++) {
      loaded.setTile(1, window(at, threads));
      if (loaded.runBlock([at, 0, 0], 1e12).kind !== "done") throw new Error("the kernel trapped");
    }
    return perThread * blocks * threads;
  };
  const peerOutput = new Uint8Array(4 * peerThreads);
  const peer = (): number => {
    interpretBlock({
      checked,
      shape: { grid: [1, 1, 1], block: [peerThreads, 1, 1], dynamicShared: 0, arguments: buffers },
      buffers: [message, peerOutput],
      windows: new Map([[1, window(0, peerThreads)]]),
      block: [0, 0, 0],
      fuel: 1e12,
    });
    return perThread * peerThreads;
  };
  const rates = await interleave(rounds, [
    { name: "WebAssembly", run: ours },
    { name: "interpreter", run: peer },
  ]);
  const agreed = peerOutput.every((byte, i) => byte === machine.buffer(1)[i]);
  return {
    measurements: ["WebAssembly", "interpreter"].map((name) => ({
      ...{ name, unit: "thread instructions/s" },
      value: rates.rate(name),
    })),
    comparisons: [
      { name: "beside the interpreter", ratio: rates.ratio("WebAssembly", "interpreter"), target: { atLeast: 100 } },
    ],
    agreed,
  };
}
