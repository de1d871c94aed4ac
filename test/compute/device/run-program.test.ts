import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { CheckingEngine } from "../../../compute/device/checking-engine.ts";
import { type ProgramResult, type RunOptions, runProgram } from "../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../compute/device/wasm-engine.ts";
import { contentAddress } from "../../../compute/program/merkle.ts";
import type { LaunchSpec, Program } from "../../../compute/program/types.ts";
import { type CheckedProgram, checkProgram } from "../../../compute/ptx/check-program.ts";
import { exactFma32 } from "../../../compute/ptx/exact-fma.ts";
import { codeOf } from "../../base/support/code-of.ts";
import { bytesOf, words32, words64 } from "../ptx/support/bit-patterns.ts";
import { buffer, int32, kernelText, runInterpreted } from "../ptx/support/both-engines.ts";
import { gemmProgram, mixProgram, onBuffer, scalar32 } from "../support/sample-programs.ts";

/** Runs on both engines, which must agree, and on one of them twice. */
class BothEngines {
  readonly #checked: CheckedProgram;
  readonly #wasm: WasmEngine;

  constructor(checked: CheckedProgram) {
    this.#checked = checked;
    this.#wasm = new WasmEngine(checked);
  }

  run(inputs: ReadonlyMap<string, Uint8Array>, options: RunOptions = {}): ProgramResult {
    const result = runProgram(this.#checked, this.#wasm, inputs, options);
    expect(runProgram(this.#checked, this.#wasm, inputs)).toEqual(result);
    expect(runProgram(this.#checked, new WasmEngine(this.#checked, { findRaces: true }), inputs)).toEqual(result);
    const checking = runProgram(this.#checked, new CheckingEngine(this.#checked), inputs);
    expect(checking.kind).toBe(result.kind);
    if (result.kind === "done") expect(checking).toEqual(result);
    else if (checking.kind === "trap") expect(checking.trap).toEqual(result.trap);
    return result;
  }
}

function withLaunch(program: Program, change: Partial<LaunchSpec>): Program {
  return { ...program, steps: [{ ...(program.steps[0] as LaunchSpec), ...change }] };
}

describe("a program", () => {
  it("multiplies matrices bit for bit as a chain of fused multiply-adds", () => {
    const [m, n, k] = [35, 50, 20];
    const prng = new Prng("program");
    const a = words32(prng, m * k);
    const b = words32(prng, k * n);
    const device = new BothEngines(checkProgram(gemmProgram(m, n, k)));
    const inputs = new Map([["a", bytesOf(a)] as const, ["b", bytesOf(b)] as const]);
    const result = device.run(inputs);
    if (result.kind !== "done") throw new Error(JSON.stringify(result));
    const c = new Uint32Array((result.outputs.get("c") as Uint8Array).buffer);
    for (let i = 0; i < m * n; i++) {
      let sum = 0n;
      for (let j = 0; j < k; j++) {
        const [x, y] = [a[Math.floor(i / n) * k + j] as number, b[j * n + (i % n)] as number];
        sum = exactFma32(BigInt(x), BigInt(y), sum);
      }
      expect(c[i]).toBe(Number(sum));
    }
  });

  it("loops with counters and buffers that alternate", () => {
    const words = words64(new Prng("loop"), 64);
    const program = mixProgram(64, 3);
    const launches: number[] = [];
    const result = new BothEngines(checkProgram(program)).run(new Map([["start", bytesOf(words)]]), {
      onLaunch: ({ scheduled }) => launches.push(scheduled.index),
    });
    expect(launches).toEqual([0, 1, 2, 3]);
    let state = bytesOf(words);
    for (const rounds of [1, 1, 2, 3]) {
      const { buffers } = runInterpreted({
        ...{ text: kernelText("integer"), entry: "mix", grid: [2, 1, 1], block: [32, 1, 1] },
        arguments: [int32(rounds), buffer(0), buffer(1)],
        buffers: [state, new Uint8Array(512)],
      });
      state = buffers[1] as Uint8Array;
    }
    expect(result.kind === "done" && result.outputs.get("odd")).toEqual(state);
  });

  it("has an upper bound of its cost that a run keeps to", () => {
    const checked = checkProgram(mixProgram(64, 3));
    const result = new BothEngines(checked).run(new Map([["start", new Uint8Array(512)]]));
    expect(checked.fuel).toBe(8_000_000n);
    expect(BigInt(result.fuel)).toBeLessThanOrEqual(checked.fuel);
    expect(result.fuel).toBeGreaterThan(64 * 10);
  });

  it("takes only the inputs and constants that it names", () => {
    const contents = new Uint8Array(512).fill(3);
    const constant: Program = {
      ...mixProgram(64, 1),
      buffers: mixProgram(64, 1).buffers.map((spec) =>
        spec.kind === "input" ? { ...spec, kind: "constant", address: contentAddress(contents) } : spec,
      ),
    };
    const device = new BothEngines(checkProgram(constant));
    expect(device.run(new Map([["start", contents]])).kind).toBe("done");
    expect(codeOf(() => device.run(new Map([["start", new Uint8Array(512)]])))).toBe("PROGRAM_INPUT");
    expect(codeOf(() => device.run(new Map([["start", new Uint8Array(511)]])))).toBe("PROGRAM_INPUT");
    expect(codeOf(() => device.run(new Map()))).toBe("PROGRAM_INPUT");
  });
});

describe("a program is refused, with the launch and the reason,", () => {
  const program = gemmProgram(35, 50, 20);
  const launch = program.steps[0] as LaunchSpec;

  it.each<[string, Program, string, RegExp]>([
    [
      "when a kernel is not verifiable",
      { ...program, kernels: [{ entry: "gemm", ptx: kernelText("gemm").replace("fma.rn.f32", "fma.rn.ftz.f32") }] },
      "PROGRAM_KERNEL",
      /kernel 0 \(gemm\), line \d+/,
    ],
    [
      "when an argument is missing",
      withLaunch(program, { arguments: launch.arguments.slice(0, 5), tiles: [] }),
      "PROGRAM_ARGUMENTS",
      /launch 0 of gemm has 5/,
    ],
    [
      "when a number stands for a buffer",
      withLaunch(program, { arguments: launch.arguments.with(3, { kind: "scalar", bytes: new Uint8Array(8) }) }),
      "PROGRAM_ARGUMENTS",
      /gemm_param_3 takes a buffer/,
    ],
    [
      "when a scalar has the wrong size",
      withLaunch(program, { arguments: launch.arguments.with(0, { kind: "scalar", bytes: new Uint8Array(8) }) }),
      "PROGRAM_ARGUMENTS",
      /gemm_param_0 has 4 bytes, not 8/,
    ],
    [
      "when what is written has no tile",
      withLaunch(program, { tiles: [] }),
      "PROGRAM_TILES",
      /writes through gemm_param_5, which has no tile/,
    ],
    [
      "when several blocks would store into one tile",
      withLaunch(program, { tiles: [{ parameter: 5, tile: { kind: "whole" } }] }),
      "PROGRAM_TILES",
      /from several blocks/,
    ],
  ])("%s", (_name, wrong, code, message) => {
    expect(codeOf(() => checkProgram(wrong))).toBe(code);
    expect(() => checkProgram(wrong)).toThrow(message);
  });
});

describe("a program that traps convicts itself:", () => {
  const inputs = new Map([
    ["a", new Uint8Array(2800)],
    ["b", new Uint8Array(4000)],
  ] as const);
  const trapOf = (program: Program): unknown => {
    const result = new BothEngines(checkProgram(program)).run(inputs);
    return result.kind === "trap" ? result.trap : result.kind;
  };

  it("out of fuel", () => {
    expect(trapOf(withLaunch(gemmProgram(35, 50, 20), { fuel: 10_000 }))).toMatchObject({ tile: 0, reason: "FUEL" });
  });

  it("more bytes touched than declared", () => {
    expect(trapOf(withLaunch(gemmProgram(35, 50, 20), { bytes: 2048 }))).toMatchObject({ tile: 0, reason: "BYTES" });
  });

  it("out of bounds, with the line of the PTX", () => {
    const program = gemmProgram(35, 50, 20);
    const launch = program.steps[0] as LaunchSpec;
    const wrong = withLaunch(program, { arguments: launch.arguments.with(2, scalar32(30)) });
    const trap = trapOf(wrong) as { readonly reason: string; readonly line: number };
    expect(trap.reason).toBe("OUT_OF_BOUNDS");
    expect(kernelText("gemm").split("\n")[trap.line - 1]).toMatch(/ld\.global/);
  });

  it("out of the tile", () => {
    const program = gemmProgram(35, 50, 20);
    const launch = program.steps[0] as LaunchSpec;
    const narrow = withLaunch(program, {
      grid: [7, 3, 1],
      arguments: launch.arguments.with(3, onBuffer(0)),
      tiles: [{ parameter: 5, tile: { kind: "rows", pitch: 200, width: 32, rows: 16, plane: 35 } }],
    });
    expect(trapOf(narrow)).toMatchObject({ launch: 0, tile: 0, reason: "OUT_OF_TILE" });
  });
});
