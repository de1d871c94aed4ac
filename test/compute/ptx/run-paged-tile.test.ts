/** A tile by demand paging is the same tile, to the bit, and asks for exactly what it touches. */
import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { EXAMPLES } from "../../../compute/examples/examples.ts";
import { CHUNK_BYTES } from "../../../compute/program/merkle.ts";
import { type ScheduledLaunch, scheduleOf } from "../../../compute/program/schedule.ts";
import { tilesOf } from "../../../compute/program/tiles.ts";
import { ENGINE_VERSION, type LaunchSpec, type Program } from "../../../compute/program/types.ts";
import { type CheckedProgram, checkProgram } from "../../../compute/ptx/check-program.ts";
import { type PagedTileTask, runPagedTile } from "../../../compute/ptx/run-paged-tile.ts";
import { runTile, type TileResult } from "../../../compute/ptx/run-tile.ts";
import { compileKernel } from "../../../compute/ptx/wasm/compile.ts";
import { CheckBudgetError } from "../../../compute/ptx/wasm/shadow.ts";
import { gemmProgram, mixProgram, onBuffer } from "../support/sample-programs.ts";
import { kernelText } from "./support/both-engines.ts";
import { STORE_RESULT, smallKernel } from "./support/small-kernel.ts";

interface Paged {
  readonly result: TileResult;
  readonly asked: readonly string[];
}

function pagedTile(
  { program, kernels }: CheckedProgram,
  scheduled: ScheduledLaunch,
  tile: number,
  contents: readonly Uint8Array[],
): Paged {
  const kernel = kernels[scheduled.launch.kernel] as CheckedProgram["kernels"][number];
  const asked: string[] = [];
  const chunk = (buffer: number, index: number): Uint8Array => {
    asked.push(`${buffer}:${index}`);
    return contents[buffer]?.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES) as Uint8Array;
  };
  // What the referee allows.
  const checks = 2 ** 20 + scheduled.launch.fuel;
  return { result: runPagedTile({ program, kernel, scheduled, tile, chunk, checks }), asked };
}

function flatTile(
  { program, kernels }: CheckedProgram,
  scheduled: ScheduledLaunch,
  tile: number,
  contents: readonly Uint8Array[],
): TileResult {
  const kernel = kernels[scheduled.launch.kernel] as CheckedProgram["kernels"][number];
  return runTile({ program, kernel, scheduled, tile, contents: (buffer) => contents[buffer] as Uint8Array });
}

/** What one block of so many threads does with the small kernel. */
function oneTile(ptx: string, threads: number, fuel: number): PagedTileTask {
  const checked = checkProgram({
    engine: ENGINE_VERSION,
    kernels: [{ ptx, entry: "k" }],
    buffers: [
      { name: "a", kind: "input", bytes: CHUNK_BYTES },
      { name: "b", kind: "zero", bytes: CHUNK_BYTES },
    ],
    steps: [
      {
        ...{ kind: "launch", kernel: 0, grid: [1, 1, 1], block: [threads, 1, 1], dynamicShared: 0 },
        arguments: [onBuffer(0), onBuffer(1), { kind: "scalar", bytes: new Uint8Array(4) }],
        tiles: [{ parameter: 1, tile: { kind: "run", bytes: CHUNK_BYTES } }],
        ...{ fuel, bytes: 2 * CHUNK_BYTES },
      },
    ],
    outputs: [1],
  });
  const [scheduled] = [...scheduleOf(checked.program)] as [ScheduledLaunch];
  const kernel = checked.kernels[0] as CheckedProgram["kernels"][number];
  return { program: checked.program, kernel, scheduled, tile: 0, chunk: () => new Uint8Array(CHUNK_BYTES) };
}

/** Some tiles of every launch, from what was before it. */
function expectSameTiles(program: Program, inputs: ReadonlyMap<string, Uint8Array>, most = 3): number {
  const checked = checkProgram(program);
  const engine = new WasmEngine(checked);
  const snapshot = (): Uint8Array[] => program.buffers.map((_, i) => engine.buffer(i).slice());
  let before = program.buffers.map(({ name, bytes }) => inputs.get(name) ?? new Uint8Array(bytes));
  let compared = 0;
  runProgram(checked, engine, inputs, {
    onLaunch: ({ scheduled }) => {
      const tiles = tilesOf(scheduled.launch);
      const some = new Set([0, tiles - 1, Math.floor(tiles / 2)].slice(0, most));
      for (const tile of some) {
        const { result, asked } = pagedTile(checked, scheduled, tile, before);
        expect(result).toEqual(flatTile(checked, scheduled, tile, before));
        expect(new Set(asked).size).toBe(asked.length);
        compared++;
      }
      before = snapshot();
    },
  });
  return compared;
}

function launchOf(program: Program, change: Partial<LaunchSpec>): Program {
  return { ...program, steps: [{ ...(program.steps[0] as LaunchSpec), fuel: 10_000_000, ...change }] };
}

describe("a tile by demand paging", () => {
  it("is what it is from whole buffers, with its fuel, for kernels of all kinds", () => {
    const prng = new Prng("paged");
    const gemm = new Map([
      ["a", prng.bytes(4 * 37 * 300)],
      ["b", prng.bytes(4 * 300 * 41)],
    ]);
    expect(expectSameTiles(launchOf(gemmProgram(37, 41, 300), {}), gemm)).toBe(3);
    expect(expectSameTiles(mixProgram(1024, 4), new Map([["start", prng.bytes(8192)]]))).toBe(15);
  });

  it.each(EXAMPLES)("is the same for $name", ({ make }) => {
    const { program, inputs } = make({ size: 64, steps: 2, picture: undefined, variant: undefined });
    expect(expectSameTiles(program, inputs, 2)).toBeGreaterThan(0);
  });

  it("asks for what it reads and for its own tile, once each, and for nothing else", () => {
    // 16 rows of a with 256 floats are 16 chunks; of b, 256 rows of 16 floats in 16 chunks; c is 1 chunk of 16 rows.
    const checked = checkProgram(launchOf(gemmProgram(64, 16, 256), {}));
    const [scheduled] = [...scheduleOf(checked.program)] as [ScheduledLaunch];
    const contents = checked.program.buffers.map(({ bytes }) => new Uint8Array(bytes));
    const { asked } = pagedTile(checked, scheduled, 2, contents);
    const range = (buffer: number, from: number, to: number): string[] =>
      Array.from({ length: to - from }, (_, i) => `${buffer}:${from + i}`);
    expect([...asked].sort()).toEqual([...range(0, 32, 48), ...range(1, 0, 16), ...range(2, 2, 3)].sort());
  });

  it("traps by fuel and by bytes as the whole would, at the same limits", () => {
    const prng = new Prng("limits");
    const contents = [prng.bytes(4 * 16 * 256), prng.bytes(4 * 256 * 16), new Uint8Array(4 * 256)];
    const outcome = (change: Partial<LaunchSpec>): Paged & { readonly flat: TileResult } => {
      const checked = checkProgram(launchOf(gemmProgram(16, 16, 256), change));
      const [scheduled] = [...scheduleOf(checked.program)] as [ScheduledLaunch];
      return { ...pagedTile(checked, scheduled, 0, contents), flat: flatTile(checked, scheduled, 0, contents) };
    };
    const { result } = outcome({});
    const fuel = result.kind === "done" ? result.fuel : 0;
    for (const change of [{ fuel }, { fuel: fuel - 1 }, { fuel: 1 }, { bytes: 33 << 10 }, { bytes: (33 << 10) - 1 }]) {
      const { result: paged, flat } = outcome(change);
      expect(paged.kind).toBe(flat.kind);
    }
    expect(outcome({ fuel }).result.kind).toBe("done");
    expect(outcome({ fuel: fuel - 1 }).result).toMatchObject({ kind: "trap", reason: "FUEL" });
    expect(outcome({ bytes: 33 << 10 }).result.kind).toBe("done");
    expect(outcome({ bytes: (33 << 10) - 1 }).result).toMatchObject({ kind: "trap", reason: "BYTES" });
  });

  it("traps where it leaves its buffers, and where threads race", () => {
    const wrong = kernelText("reduce").replace(/(\.entry scan[\s\S]*?)bar\.sync\s+0;/, "$1");
    const program = (ptx: string, bytes: number): Program => ({
      ...{ engine: 1, kernels: [{ ptx, entry: "scan" }], outputs: [1] },
      buffers: [
        { name: "x", kind: "input", bytes },
        { name: "y", kind: "zero", bytes },
      ],
      steps: [
        {
          ...{ kind: "launch", kernel: 0, grid: [1, 1, 1], block: [64, 1, 1], dynamicShared: 256 },
          ...{ arguments: [onBuffer(0), onBuffer(1)], fuel: 1e6, bytes: 1 << 14 },
          tiles: [{ parameter: 1, tile: { kind: "run", bytes } }],
        },
      ],
    });
    const traps = [program(wrong, 256), program(kernelText("reduce"), 128)].map((each) => {
      const checked = checkProgram(each);
      const [scheduled] = [...scheduleOf(each)] as [ScheduledLaunch];
      const contents = each.buffers.map(({ bytes }) => new Uint8Array(bytes));
      const { result } = pagedTile(checked, scheduled, 0, contents);
      expect(result).toEqual(flatTile(checked, scheduled, 0, contents));
      return result.kind === "trap" ? result.reason : "done";
    });
    expect(traps).toEqual(["RACE", "OUT_OF_BOUNDS"]);
  });

  it("stops where checking it would take more than is allowed, and only there", () => {
    const checked = checkProgram(gemmProgram(16, 16, 64));
    const [scheduled] = [...scheduleOf(checked.program)] as [ScheduledLaunch];
    const kernel = checked.kernels[0] as CheckedProgram["kernels"][number];
    const task = { program: checked.program, kernel, scheduled, tile: 0, chunk: () => new Uint8Array(CHUNK_BYTES) };
    const done = (checks: number): boolean => runPagedTile({ ...task, checks }).kind === "done";
    // 256 threads write two floats for each 16 of k and read two for each k, at 8 units; then they store one. They begin, and
    // go on after two barriers for each 16 of k, with the registers that live through them.
    const { states } = compileKernel(kernel, { paged: true, findRaces: true });
    const each = 16 + Math.floor(kernel.kernel.registers.length / 8);
    const waits = states.slice(1).reduce((sum, { live }) => sum + 4 * (each + 256 * live), each);
    const needed = 256 * 8 * (2 * 4 + 2 * 64 + 1) + waits;
    expect(done(needed)).toBe(true);
    expect(() => done(needed - 1)).toThrow(CheckBudgetError);
  });

  it("stops where threads keep many registers through many barriers, which their fuel does not tell", () => {
    const numbers = Array.from({ length: 1_000 }, (_, i) => i);
    const lines = [
      "ld.global.u32 %r0, [%a];",
      "mov.u32 %r1, 0;",
      ...numbers.map((i) => `add.s32 %x${i}, %t, ${i};`),
      "L:",
      "bar.sync 0;",
      "add.s32 %r1, %r1, 1;",
      "setp.lt.u32 %p0, %r1, 20000;",
      "@%p0 bra L;",
      ...numbers.map((i) => `add.s32 %r0, %r0, %x${i};`),
      STORE_RESULT,
    ];
    const task = oneTile(smallKernel(lines.join("\n"), ".reg .b32 %x<1000>;"), 1, 300_000);
    expect(runPagedTile(task).kind).toBe("done");
    expect(() => runPagedTile({ ...task, checks: 2 ** 20 + 300_000 })).toThrow(CheckBudgetError);
  });

  it("stops where the lanes of a warp wait in as many places, likewise", () => {
    const lanes = Array.from({ length: 32 }, (_, i) => i);
    const loop = (lane: number): string =>
      [
        `L${lane}:`,
        `shfl.sync.idx.b32 %r0, %r0, ${lane}, 31, ${2 ** lane};`,
        "add.s32 %r1, %r1, 1;",
        "setp.lt.u32 %p0, %r1, 300;",
        `@%p0 bra L${lane};`,
        "bra E;",
      ].join("\n");
    const lines = [
      "ld.global.u32 %r0, [%a];",
      "mov.u32 %r1, 0;",
      `T: .branchtargets ${lanes.map((lane) => `L${lane}`).join(",")};`,
      "brx.idx %t, T;",
      ...lanes.map(loop),
      "E:",
      STORE_RESULT,
    ];
    const task = oneTile(smallKernel(lines.join("\n")), 32, 700_000);
    expect(runPagedTile(task).kind).toBe("done");
    expect(() => runPagedTile({ ...task, checks: 2 ** 20 + 700_000 })).toThrow(CheckBudgetError);
  });

  it("gives up as its source does", () => {
    const checked = checkProgram(gemmProgram(16, 16, 64));
    const [scheduled] = [...scheduleOf(checked.program)] as [ScheduledLaunch];
    const kernel = checked.kernels[0] as CheckedProgram["kernels"][number];
    const chunk = (): Uint8Array => {
      throw new RangeError("not staged");
    };
    expect(() => runPagedTile({ program: checked.program, kernel, scheduled, tile: 0, chunk })).toThrow("not staged");
  });

  it("needs no memory for buffers that it does not touch", () => {
    const huge: Program = {
      ...gemmProgram(16, 16, 64),
      buffers: [
        { name: "a", kind: "input", bytes: 2 ** 30 },
        { name: "b", kind: "input", bytes: 2 ** 30 },
        { name: "c", kind: "zero", bytes: 1024 },
      ],
    };
    const checked = checkProgram(huge);
    const [scheduled] = [...scheduleOf(huge)] as [ScheduledLaunch];
    const kernel = checked.kernels[0] as CheckedProgram["kernels"][number];
    const result = runPagedTile({
      ...{ program: huge, kernel, scheduled, tile: 0 },
      chunk: () => new Uint8Array(CHUNK_BYTES),
    });
    expect(result.kind).toBe("done");
  });
});
