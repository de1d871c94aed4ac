import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CodedError } from "../../../base/errors.ts";
import { decodeProgram, encodeProgram } from "../../../compute/program/codec.ts";
import type { Program } from "../../../compute/program/types.ts";
import { validateProgram } from "../../../compute/program/validate.ts";
import { codeOf } from "../../base/support/code-of.ts";
import { gemmProgram, mixProgram } from "../support/sample-programs.ts";

describe("the encoding of programs", () => {
  it.each([
    ["a matrix product", gemmProgram(20, 30, 7)],
    ["a loop", mixProgram(64, 3)],
  ])("gives back %s", (_name, program) => {
    expect(decodeProgram(encodeProgram(program))).toEqual(program);
  });

  it("keeps counters that run backwards, constants and all kinds of tiles", () => {
    const program = mixProgram(64, 3);
    const [launch] = program.steps;
    if (launch?.kind !== "launch") throw new Error("the sample starts with a launch");
    const changed: Program = {
      ...program,
      buffers: [...program.buffers, { name: "k", kind: "constant", bytes: 3, address: new Uint8Array(32).fill(7) }],
      steps: [
        {
          ...launch,
          arguments: [{ kind: "counter", depth: 0, width: 8, start: -5n, step: -(2n ** 63n) }],
          tiles: [
            { parameter: 0, tile: { kind: "whole" } },
            { parameter: 1, tile: { kind: "rows", pitch: 4, width: 3, rows: 2, plane: 9 } },
          ],
        },
      ],
    };
    expect(decodeProgram(encodeProgram(changed))).toEqual(changed);
  });

  it("accepts no second form of any program: changed bytes are another program or none", () => {
    const bytes = encodeProgram({ ...mixProgram(64, 3), kernels: [{ ptx: "text", entry: "k" }] });
    for (let at = 0; at < bytes.length; at++) {
      for (const flip of [1, 0x80]) {
        const changed = bytes.slice();
        changed[at] = (changed[at] as number) ^ flip;
        let decoded: Program;
        try {
          decoded = decodeProgram(changed);
        } catch (error) {
          expect(error).toBeInstanceOf(CodedError);
          continue;
        }
        expect(encodeProgram(decoded)).toEqual(changed);
      }
    }
  });

  it("answers any bytes with a coded error or a program", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const code = codeOf(() => decodeProgram(bytes));
        expect(code === undefined || code.startsWith("PROGRAM_")).toBe(true);
      }),
    );
  });
});

describe("the validation of programs", () => {
  type Change = (program: ReturnType<typeof gemmProgram>) => Program;
  const launchWith =
    (change: Readonly<Record<string, unknown>>): Change =>
    (program) => ({ ...program, steps: [{ ...program.steps[0], ...change } as Program["steps"][number]] });

  it.each<[string, Change, string, RegExp]>([
    ["an unknown engine", (p) => ({ ...p, engine: 2 }), "PROGRAM_REFERENCE", /engine 2/],
    ["a giant grid", launchWith({ grid: [2 ** 31 - 1, 65_535, 1] }), "PROGRAM_LIMIT", /launch 0/],
    ["an empty grid", launchWith({ grid: [0, 1, 1] }), "PROGRAM_LIMIT", /launch 0: the grid/],
    ["too many threads", launchWith({ block: [1025, 1, 1] }), "PROGRAM_LIMIT", /1025 threads/],
    ["a kernel that is not there", launchWith({ kernel: 1 }), "PROGRAM_REFERENCE", /kernel 1/],
    ["no fuel", launchWith({ fuel: 0 }), "PROGRAM_LIMIT", /fuel/],
    [
      "a grid that leaves bytes without owner",
      launchWith({ grid: [1, 2, 1] }),
      "PROGRAM_TILES",
      /need a grid of 2 x 2/,
    ],
    [
      "tiles on a constant",
      (p) => ({
        ...launchWith({ tiles: [{ parameter: 3, tile: { kind: "run", bytes: 64 } }] })(p),
        buffers: p.buffers.map((spec) => ({ ...spec, kind: "constant", address: new Uint8Array(32) })),
      }),
      "PROGRAM_TILES",
      /writes buffer a, which is constant/,
    ],
    [
      "a buffer that is written and read by another argument",
      (p) => {
        const [step] = p.steps;
        if (step?.kind !== "launch") return p;
        const values = [...step.arguments];
        values[3] = { kind: "buffer", buffer: 2 };
        return { ...p, steps: [{ ...step, arguments: values }] };
      },
      "PROGRAM_TILES",
      /also reaches it/,
    ],
    [
      "a name twice",
      (p) => ({ ...p, buffers: [...p.buffers, { name: "a", kind: "zero", bytes: 1 }] }),
      "PROGRAM_REFERENCE",
      /taken/,
    ],
    [
      "a giant buffer",
      (p) => ({ ...p, buffers: [{ name: "x", kind: "zero", bytes: 2 ** 31 }] }),
      "PROGRAM_LIMIT",
      /buffer 0/,
    ],
    ["no outputs", (p) => ({ ...p, outputs: [] }), "PROGRAM_REFERENCE", /output/],
    [
      "loops that multiply without end",
      (p) => {
        let steps = p.steps;
        for (let i = 0; i < 4; i++) steps = [{ kind: "loop", count: 2 ** 20, body: steps }];
        return { ...p, steps };
      },
      "PROGRAM_LIMIT",
      /launches/,
    ],
  ])("refuses %s", (_name, change, code, message) => {
    const program = change(gemmProgram(20, 30, 7));
    expect(codeOf(() => validateProgram(program))).toBe(code);
    expect(() => validateProgram(program)).toThrow(message);
  });

  it("accepts the samples", () => {
    expect(() => validateProgram(gemmProgram(20, 30, 7))).not.toThrow();
    expect(() => validateProgram(mixProgram(64, 3))).not.toThrow();
  });
});
