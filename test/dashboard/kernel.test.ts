import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { launchProgram } from "../../cli/commands/compute-launch.ts";
import { measuredBudget } from "../../cli/job/measured-budget.ts";
import { decodeProgram, encodeProgram } from "../../compute/program/codec.ts";
import { type CheckedKernel, checkKernel } from "../../compute/ptx/check.ts";
import { draftFor, type LaunchDraft } from "../../dashboard/pages/client/kernel/launch-draft.ts";
import { makeProgram } from "../../dashboard/pages/client/kernel/make-program.ts";
import { TWICE_PTX } from "./kernel-samples.ts";

const MONTE_CARLO = readFileSync(new URL("../../compute/examples/monte-carlo.ptx", import.meta.url), "utf8");

/** The draft of a kernel, with what somebody has filled in by parameter. */
function filled(
  checked: CheckedKernel,
  launch: Partial<LaunchDraft>,
  values: readonly Partial<LaunchDraft["arguments"][number]>[],
): LaunchDraft {
  const draft = draftFor(checked);
  return { ...draft, ...launch, arguments: draft.arguments.map((argument, i) => ({ ...argument, ...values[i] })) };
}

const twice = checkKernel(TWICE_PTX, "twice");
const input = new Uint8Array(1024).map((_, i) => i * 7);
const file = { name: "numbers.bin", bytes: input, address: `0x${"00".repeat(32)}` } as const;
const TWICE = filled(twice, { grid: "4", block: "64" }, [{ isInput: true, file }, { bytes: "1024" }]);

describe("a program of a dropped kernel", () => {
  it("is what the command line makes of the same words, with the budget that the reference engine measures", () => {
    const words = { ptx: TWICE_PTX, entry: "twice", grid: "4", block: "64", shared: 0 };
    const args = ["numbers=in:numbers.bin", "doubled=zero:1024"];
    const build = (fuel: number, bytes: number) =>
      launchProgram({ ...words, fuel, bytes, args, tiles: ["doubled=run:256"], sizes: new Map([["numbers", 1024]]) });
    const budget = measuredBudget(build, new Map([["numbers", input]]), { fuel: undefined, bytes: undefined });
    expect(makeProgram(TWICE_PTX, twice, TWICE)).toEqual(encodeProgram(build(budget.fuel, budget.bytes)));
  });

  it("takes numbers of each type, and budgets that are named", () => {
    const checked = checkKernel(MONTE_CARLO, "monte_carlo");
    const numbers = [{ value: "-1" }, { value: "4294967295", type: "u32" }, { value: "0.5", type: "f32" }];
    const draft = filled(checked, { grid: "8", block: "128", fuel: "5000", bytes: "2048" }, [
      ...numbers,
      { bytes: "64" },
    ]);
    const { steps } = decodeProgram(makeProgram(MONTE_CARLO, checked, draft));
    expect(steps[0]).toMatchObject({
      ...{ fuel: 5000, bytes: 2048, grid: [8, 1, 1], block: [128, 1, 1] },
      arguments: [
        { kind: "scalar", bytes: Uint8Array.of(255, 255, 255, 255) },
        { kind: "scalar", bytes: Uint8Array.of(255, 255, 255, 255) },
        { kind: "scalar", bytes: Uint8Array.of(0, 0, 0, 63) },
        { kind: "buffer", buffer: 0 },
      ],
      tiles: [{ parameter: 3, tile: { kind: "run", bytes: 8 } }],
    });
  });

  it.each([
    ["a number that is none", { grid: "4x?" }, {}, /^Grid: “\?” is no whole number\.$/],
    ["a size that is missing", {}, { bytes: "" }, /^Argument 1: “” is no whole number\.$/],
    ["a tile that cannot be read", {}, { tile: "half" }, /^Argument 1: a tile is whole, run:bytes/],
    ["a tile that does not cover the buffer", {}, { tile: "run:100" }, /buffer doubled/],
    [
      "a buffer that is too small for the kernel",
      { grid: "5" },
      { bytes: "1280" },
      /^Block 4 stops with OUT_OF_BOUNDS/,
    ],
    ["a budget that is none", { fuel: "many" }, {}, /^Compute units: “many” is no whole number\.$/],
  ])("is refused in words for %s", (_, launch, output, message) => {
    const draft = filled(twice, { ...TWICE, ...launch }, [TWICE.arguments[0] ?? {}, { bytes: "1024", ...output }]);
    expect(() => makeProgram(TWICE_PTX, twice, draft)).toThrow(message);
  });

  it("asks for a budget where trying a tile would take long", () => {
    const checked = checkKernel(MONTE_CARLO, "monte_carlo");
    const numbers = [{ value: "1" }, { value: "2" }, { value: "60000" }];
    const draft = filled(checked, { grid: "8", block: "128" }, [...numbers, { bytes: "64" }]);
    expect(() => makeProgram(MONTE_CARLO, checked, draft)).toThrow(/takes longer than this page tries/);
  });
});
