import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { type ScheduledLaunch, scheduleOf } from "../../../compute/program/schedule.ts";
import { blockAt, blockCount, readTile, tileBytes } from "../../../compute/program/tiles.ts";
import type { LaunchSpec, Program } from "../../../compute/program/types.ts";
import { type CheckedProgram, checkProgram } from "../../../compute/ptx/check-program.ts";
import { runTile, type TileResult } from "../../../compute/ptx/run-tile.ts";
import { gemmProgram, mixProgram, onBuffer, scalar32 } from "../support/sample-programs.ts";
import { kernelText } from "./support/both-engines.ts";

function tileOf(
  { program, kernels }: CheckedProgram,
  scheduled: ScheduledLaunch,
  tile: number,
  contents: readonly Uint8Array[],
): TileResult {
  const kernel = kernels[scheduled.launch.kernel] as CheckedProgram["kernels"][number];
  return runTile({ program, kernel, scheduled, tile, contents: (buffer) => contents[buffer] as Uint8Array });
}

/** Runs the whole program, and each tile of each launch again from what was before that launch. */
function expectSameTiles(program: Program, inputs: ReadonlyMap<string, Uint8Array>): number {
  const checked = checkProgram(program);
  const engine = new WasmEngine(checked);
  const snapshot = (): Uint8Array[] => program.buffers.map((_, i) => engine.buffer(i).slice());
  let before = program.buffers.map(({ name, bytes }) => inputs.get(name) ?? new Uint8Array(bytes));
  let tiles = 0;
  runProgram(checked, engine, inputs, {
    onLaunch: ({ scheduled, written }) => {
      const { grid } = scheduled.launch;
      for (let tile = 0; tile < blockCount(grid); tile++) {
        const result = tileOf(checked, scheduled, tile, before);
        const [out] = written;
        const contents = out?.contents as Uint8Array;
        const expected = readTile(
          contents,
          tileBytes(out?.tile ?? { kind: "whole" }, blockAt(tile, grid), grid, contents.length),
        );
        expect(result.kind === "done" && result.written.get(out?.buffer ?? -1)).toEqual(expected);
        tiles++;
      }
      before = snapshot();
    },
  });
  return tiles;
}

describe("one tile alone", () => {
  it("is what the whole launch made of it, with odd shapes and in every iteration of a loop", () => {
    const prng = new Prng("tiles");
    const inputs = new Map([
      ["a", prng.bytes(4 * 37 * 9)],
      ["b", prng.bytes(4 * 9 * 41)],
    ]);
    expect(expectSameTiles(gemmProgram(37, 41, 9), inputs)).toBe(9);
    expect(expectSameTiles(mixProgram(96, 5), new Map([["start", prng.bytes(768)]]))).toBe(18);
  });

  const launchOf = (program: Program, change: Partial<LaunchSpec>): Program => ({
    ...program,
    steps: [{ ...(program.steps[0] as LaunchSpec), ...change }],
  });

  it("traps by its budgets, as the whole would", () => {
    const contents = [new Uint8Array(4 * 16 * 64), new Uint8Array(4 * 64 * 16), new Uint8Array(4 * 256)];
    const outcome = (change: Partial<LaunchSpec>): unknown => {
      const checked = checkProgram(launchOf(gemmProgram(16, 16, 64), change));
      const [scheduled] = [...scheduleOf(checked.program)];
      return tileOf(checked, scheduled as ScheduledLaunch, 0, contents);
    };
    expect(outcome({})).toMatchObject({ kind: "done" });
    expect(outcome({ fuel: 1000 })).toMatchObject({ kind: "trap", reason: "FUEL" });
    expect(outcome({ bytes: 4096 })).toMatchObject({ kind: "trap", reason: "BYTES" });
  });

  it("traps by a race, which the fast engine does not look for", () => {
    const wrong = kernelText("reduce").replace(/(\.entry scan[\s\S]*?)bar\.sync\s+0;/, "$1");
    const program: Program = {
      ...{ engine: 1, kernels: [{ ptx: wrong, entry: "scan" }], outputs: [1] },
      buffers: [
        { name: "x", kind: "input", bytes: 256 },
        { name: "y", kind: "zero", bytes: 256 },
      ],
      steps: [
        {
          ...{ kind: "launch", kernel: 0, grid: [1, 1, 1], block: [64, 1, 1], dynamicShared: 256 },
          ...{ arguments: [onBuffer(0), onBuffer(1)], fuel: 1e6, bytes: 1 << 14 },
          tiles: [{ parameter: 1, tile: { kind: "run", bytes: 256 } }],
        },
      ],
    };
    const checked = checkProgram(program);
    const [scheduled] = [...scheduleOf(program)];
    const buffers = [new Uint8Array(256), new Uint8Array(256)];
    expect(tileOf(checked, scheduled as ScheduledLaunch, 0, buffers)).toMatchObject({ kind: "trap", reason: "RACE" });
  });

  it("of a launch that is one tile is all of its blocks", () => {
    const program: Program = {
      ...{ engine: 1, kernels: [{ ptx: kernelText("integer"), entry: "histogram" }], outputs: [1] },
      buffers: [
        { name: "x", kind: "input", bytes: 200 },
        { name: "counts", kind: "zero", bytes: 256 },
      ],
      steps: [
        {
          ...{ kind: "launch", kernel: 0, grid: [2, 1, 1], block: [64, 1, 1], dynamicShared: 0 },
          ...{ arguments: [scalar32(200), onBuffer(0), onBuffer(1)], fuel: 1e6, bytes: 1 << 14 },
          tiles: [{ parameter: 2, tile: { kind: "whole" } }],
        },
      ],
    };
    const [scheduled] = [...scheduleOf(program)];
    const result = tileOf(checkProgram(program), scheduled as ScheduledLaunch, 0, [
      new Uint8Array(200),
      new Uint8Array(256),
    ]);
    const counts = result.kind === "done" ? (result.written.get(1) as Uint8Array) : new Uint8Array(256);
    expect(new Uint32Array(counts.slice().buffer)[0]).toBe(200);
  });
});
