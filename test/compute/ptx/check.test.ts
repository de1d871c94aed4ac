import { describe, expect, it } from "vitest";
import { checkModule } from "../../../compute/ptx/check.ts";
import { STORE_RESULT, smallKernel } from "./support/small-kernel.ts";

function problemsOf(lines: string, declarations = ""): readonly string[] {
  const [report] = checkModule(smallKernel(lines, declarations));
  return (report?.problems ?? []).map(({ code, message }) => `${code} ${message}`);
}

/** The line of the first line of `lines` in the text. */
const FIRST_LINE = 16;

describe("a kernel is refused, naming the line and the reason, for", () => {
  it.each([
    ["an approximation", "ex2.approx.f32 %r0, %r1;", "PTX_REFUSED", /approximation/],
    ["an approximate division", "div.full.f32 %r0, %t, %t;", "PTX_REFUSED", /not exact/],
    ["flushing denormals", "add.rn.ftz.f32 %r0, %t, %t;", "PTX_REFUSED", /-ftz=false/],
    ["an addition that may be contracted", "add.f32 %r0, %t, %t;", "PTX_REFUSED", /-fmad=false/],
    ["a clock", "mov.u32 %r0, %clock;", "PTX_REFUSED", /%clock tells about the machine/],
    ["the number of the processor", "mov.u32 %r0, %smid;", "PTX_REFUSED", /%smid/],
    ["exchanging atomically", "atom.global.exch.b32 %r0, [%b], %t;", "PTX_REFUSED", /order of threads/],
    ["comparing and swapping", "atom.global.cas.b32 %r0, [%b], %t, %t;", "PTX_REFUSED", /order of threads/],
    ["an atomic float sum", "red.global.add.f32 [%b], %t;", "PTX_REFUSED", /not associative/],
    ["the active mask", "activemask.b32 %r0;", "PTX_REFUSED", /not defined/],
    ["a shuffle without .sync", "shfl.bfly.b32 %r0, %t, 1, 31;", "PTX_REFUSED", /\.sync/],
    ["a texture", "tex.2d.v4.f32.f32 {%r0,%r1,%r2,%r3}, [%a, {%r1,%r2}];", "PTX_SYNTAX", /expected/],
    ["tensor cores", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 %r0, %t, %t, %t;", "PTX_REFUSED", /tensor/],
    ["a load ordered with other blocks", "ld.acquire.gpu.global.u32 %r0, [%a];", "PTX_REFUSED", /other blocks/],
    ["rounding up", "add.rp.f32 %r0, %t, %t;", "PTX_UNSUPPORTED", /rounding \.rp/],
    ["an unknown instruction", "frobnicate.b32 %r0, %t;", "PTX_UNSUPPORTED", /frobnicate/],
    ["a register that may be unset", "add.s32 %r0, %r1, %t;", "PTX_UNASSIGNED", /%r1 may be read before/],
    ["a number as an address", "mov.b64 %d0, 64;\nld.global.u32 %r0, [%d0];", "PTX_POINTER", /which object/],
    [
      "an address as a number",
      "ld.global.u32 %r1, [%a];\nmul.lo.s64 %d0, %a, 3;\ncvt.u32.u64 %r0, %d0;",
      "PTX_POINTER",
      /where memory lies/,
    ],
    ["storing an address", "ld.global.u32 %r1, [%a];\nst.global.u64 [%b], %a;", "PTX_POINTER", /where memory lies/],
    [
      "an address of one of two buffers",
      "setp.eq.s32 %p0, %t, 0;\nselp.b64 %d0, %a, %b, %p0;\nld.global.u32 %r0, [%a];\nst.global.u32 [%b], %r0;",
      "PTX_POINTER",
      /address of one object/,
    ],
    ["the wrong space", "ld.shared.u32 %r0, [%a];", "PTX_TYPE", /points into \.global/],
    ["the wrong width", "add.s32 %r0, %d0, %t;", "PTX_TYPE", /64 bits/],
    ["a predicate as a number", "add.s32 %r0, %p0, %t;", "PTX_TYPE", /pred/],
  ])("%s", (_name, lines, code, message) => {
    if (code === "PTX_SYNTAX") {
      expect(() => problemsOf(lines)).toThrow(message);
      return;
    }
    const found = problemsOf(lines);
    expect(found.some((text) => text.startsWith(code) && message.test(text))).toBe(true);
    expect(found[0]).toMatch(new RegExp(`line ${FIRST_LINE}|line ${FIRST_LINE + 1}|line ${FIRST_LINE + 2}`));
  });

  it("using the result of an atomic", () => {
    const lines = `atom.global.add.u32 %r0, [%b], %t;\nadd.s32 %r1, %r0, 1;\nst.shared.u32 [s], %r1;`;
    expect(problemsOf(lines, ".shared .align 4 .b8 s[4];")).toEqual([
      expect.stringMatching(/PTX_REFUSED line 16.* used in line 17/),
    ]);
  });

  it("atomics mixed with other accesses of a buffer", () => {
    expect(problemsOf("red.global.add.u32 [%b], %t;\nld.global.u32 %r0, [%b];")).toEqual([
      expect.stringMatching(/PTX_REFUSED line 16.*order is not defined/),
    ]);
    expect(problemsOf("red.global.add.u32 [%b], %t;\nred.global.max.u32 [%b], %t;")).toEqual([
      expect.stringMatching(/several kinds/),
    ]);
  });

  it("a register that only one way sets", () => {
    const lines = "setp.eq.s32 %p0, %t, 0;\n@%p0 bra DONE;\nmov.u32 %r0, 1;\nDONE:";
    expect(problemsOf(`${lines}\n${STORE_RESULT}`)).toEqual([expect.stringMatching(/PTX_UNASSIGNED.*%r0/)]);
    expect(problemsOf(`mov.u32 %r0, 2;\n${lines}\n${STORE_RESULT}`)).toEqual([]);
  });

  it("reading a part of an address, or one inside of a structure", () => {
    const part = "ld.global.u32 %r0, [%a];\nld.param.u32 %r1, [pa];";
    expect(problemsOf(part)).toEqual([expect.stringMatching(/PTX_POINTER line 17.*only a part/)]);
    const text = smallKernel("ld.global.u32 %r0, [%a];").replace(".param .u64 pa", ".param .align 8 .b8 pa[16]");
    const [report] = checkModule(text);
    expect(report?.problems.map(({ message }) => message)).toEqual([expect.stringMatching(/inside of a structure/)]);
  });

  it("everything at once: all problems are listed", () => {
    const found = problemsOf("mov.u32 %r0, %clock;\nadd.f32 %r1, %t, %t;\nsin.approx.f32 %r2, %t;");
    expect(found.map((text) => /line (\d+)/.exec(text)?.[1])).toEqual(["16", "17", "18"]);
  });
});

describe("a kernel is accepted", () => {
  it("when pointers of one buffer are moved, compared and subtracted", () => {
    const lines = `add.s64 %d0, %a, 64;
add.s64 %d1, %a, %o;
setp.lt.u64 %p0, %d1, %d0;
sub.s64 %d2, %d0, %d1;
cvt.u32.u64 %r1, %d2;
selp.b64 %d3, %d0, %d1, %p0;
sub.s64 %d3, %d3, 64;
${STORE_RESULT.replace("%r0", "%r1")}`;
    expect(problemsOf(lines)).toEqual([]);
  });

  it("when parts of it that nothing reaches would not be", () => {
    expect(problemsOf("bra END;\nadd.s32 %r0, %r1, %r2;\nEND:")).toEqual([]);
  });
});
