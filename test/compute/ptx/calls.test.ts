import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { checkModule } from "../../../compute/ptx/check.ts";
import { bytesOf } from "./support/bit-patterns.ts";
import { buffer, int32, kernelText, runBoth } from "./support/both-engines.ts";
import { STORE_RESULT, smallKernel } from "./support/small-kernel.ts";

function firstProblem(text: string): string {
  const [report] = checkModule(text).filter(({ problems }) => problems.length > 0);
  const [problem] = report?.problems ?? [];
  return problem === undefined ? "none" : `${problem.code}: ${problem.message}`;
}

/** A module with functions before the small kernel `k`. */
function withFunctions(functions: string, lines: string): string {
  return smallKernel(lines).replace(".visible .entry", `${functions}\n.visible .entry`);
}

const TWICE = `.func (.param .b32 result) twice(.param .b32 value)
{
.reg .b32 %r<3>;
ld.param.u32 %r1, [value];
add.s32 %r2, %r1, %r1;
st.param.b32 [result], %r2;
ret;
}`;

function callOf(name: string, guard = ""): string {
  return `{
.param .b32 p0;
.param .b32 q0;
st.param.b32 [p0], %t;
mov.u32 %r0, 7;
${guard}call.uni (q0), ${name}, (p0);
ld.param.b32 %r0, [q0];
}`;
}

describe("device functions", () => {
  it("as nvcc leaves them, with structures, early returns and local arrays, give the same bits everywhere", () => {
    const prng = new Prng("functions");
    for (const n of [0, 3, 4, 9]) {
      runBoth({
        ...{ text: kernelText("calls"), entry: "functions", grid: [1, 1, 1], block: [24, 1, 1] },
        arguments: [buffer(0), buffer(1), int32(n)],
        buffers: [bytesOf(Float32Array.from({ length: 32 }, () => prng.below(2000) / 7 - 100)), new Uint8Array(96)],
      });
    }
  });

  it("are called with what is passed and give back their result", () => {
    const { buffers } = runBoth({
      ...{ text: withFunctions(TWICE, `${callOf("twice")}\n${STORE_RESULT}`), entry: "k" },
      ...{ grid: [1, 1, 1], block: [8, 1, 1], arguments: [buffer(0), buffer(1), int32(0)] },
      buffers: [new Uint8Array(32), new Uint8Array(32)],
    });
    expect([...new Uint32Array((buffers[1] as Uint8Array).buffer)]).toEqual([0, 2, 4, 6, 8, 10, 12, 14]);
  });

  it("that call themselves, directly or round about, are refused with the line", () => {
    const other = (name: string, callee: string): string =>
      TWICE.replace("twice", name).replace(
        "add.s32 %r2, %r1, %r1;",
        `{\n.param .b32 p0;\n.param .b32 q0;\nst.param.b32 [p0], %r1;\ncall (q0), ${callee}, (p0);\nld.param.b32 %r2, [q0];\n}`,
      );
    const declared = ".func (.param .b32 result) odd(.param .b32 value);";
    const text = withFunctions(`${declared}\n${other("even", "odd")}\n${other("odd", "even")}`, callOf("even"));
    expect(firstProblem(text)).toMatch(/^PTX_REFUSED: line \d+, .*even calls itself/);
  });

  it("that double with each level end at the limit of instructions, not of memory", () => {
    const level = (i: number): string => {
      const body = `{\n.param .b32 p0;\n.param .b32 q0;\nst.param.b32 [p0], %r1;\ncall (q0), f${i + 1}, (p0);\nld.param.b32 %r2, [q0];\n}`;
      return TWICE.replace("twice", `f${i}`).replace("add.s32 %r2, %r1, %r1;", `${body}\n${body}`);
    };
    const levels = Array.from({ length: 30 }, (_, i) => level(29 - i)).join("\n");
    const text = withFunctions(`${TWICE.replace("twice", "f30")}\n${levels}`, callOf("f0"));
    expect(firstProblem(text)).toMatch(/^PTX_LIMIT/);
  });

  it("that double with each level and have no instructions end at a limit too", () => {
    const level = (i: number): string => `.func f${i}()\n{\ncall f${i + 1};\ncall f${i + 1};\n}`;
    const levels = Array.from({ length: 60 }, (_, i) => level(59 - i)).join("\n");
    const text = withFunctions(`.func f60()\n{\n}\n${levels}`, "call f0;");
    expect(firstProblem(text)).toMatch(/^PTX_LIMIT: line \d+, .*parts/);
  });

  it("of nothing but labels, called often, end at that limit", () => {
    const labels = Array.from({ length: 4_000 }, (_, i) => `L${i}:`).join("");
    const text = withFunctions(`.func f()\n{\n${labels}\n}`, "call f;\n".repeat(4_000));
    expect(firstProblem(text)).toMatch(/^PTX_LIMIT: line \d+, .*parts/);
  });

  it.each([
    ["a function that is not there", callOf("nowhere"), /PTX_UNSUPPORTED.*no function nowhere/],
    ["a call through a register", callOf("%d0"), /PTX_UNSUPPORTED.*through pointers/],
    ["too few values", callOf("twice").replace("(p0);\nld", ";\nld").replace("twice, ;", "twice;"), /PTX_TYPE/],
    ["another size", callOf("twice").replace(".param .b32 p0", ".param .b64 p0"), /PTX_TYPE.*8 bytes/],
    ["a result that may be missing", callOf("twice", "setp.eq.s32 %p0, %t, 0;\n@%p0 "), /PTX_UNASSIGNED/],
  ])("%s is told", (_name, lines, expected) => {
    expect(firstProblem(withFunctions(TWICE, lines))).toMatch(expected);
  });
});

describe("jump tables", () => {
  it("as nvcc makes them of a switch go to each case, and past them", () => {
    const { buffers } = runBoth({
      ...{ text: kernelText("calls"), entry: "cases", grid: [1, 1, 1], block: [16, 1, 1] },
      arguments: [buffer(0), buffer(1), int32(1234)],
      buffers: [bytesOf(Uint32Array.from({ length: 16 }, (_, i) => (i < 14 ? i : -i))), new Uint8Array(64)],
    });
    const results = [...new Int32Array((buffers[1] as Uint8Array).buffer)];
    expect(results.slice(0, 4)).toEqual([1234 * 3, 1234 ^ 77, 2, Math.floor(1234 / 7)]);
    expect(results.slice(12)).toEqual([-1, -1, -1, -1]);
  });

  const TABLE = `and.b32 %r1, %t, 3;
T: .branchtargets A, B, A;
brx.idx %r1, T;
A:
add.s32 %r0, %t, 100;
bra END;
B:
mov.u32 %r0, 5;
setp.lt.u32 %p0, %t, 2;
@%p0 bra A;
END:
${STORE_RESULT}`;
  const job = (lines: string, threads: number): Parameters<typeof runBoth>[0] => ({
    ...{ text: smallKernel(lines), entry: "k", grid: [1, 1, 1], block: [threads, 1, 1] },
    arguments: [buffer(0), buffer(1), int32(0)],
    buffers: [new Uint8Array(128), new Uint8Array(128)],
  });

  it("may name a target twice", () => {
    const { buffers } = runBoth(job(TABLE, 3));
    expect([...new Uint32Array((buffers[1] as Uint8Array).buffer)].slice(0, 3)).toEqual([100, 101, 102]);
  });

  it("trap on both engines when the index lies beyond them", () => {
    expect(runBoth(job(TABLE, 4)).outcomes).toEqual([{ kind: "trap", reason: "OUT_OF_BOUNDS", line: 18 }]);
  });

  it("work in graphs that have no nested form", () => {
    // Two ways into one loop: A and B jump to each other.
    const lines = `mov.u32 %r0, 0;
and.b32 %r1, %t, 1;
T: .branchtargets A, B;
brx.idx %r1, T;
A:
add.s32 %r0, %r0, 1;
bra B;
B:
add.s32 %r0, %r0, 10;
setp.lt.u32 %p0, %r0, 50;
@%p0 bra A;
${STORE_RESULT}`;
    const { buffers } = runBoth(job(lines, 2));
    expect([...new Uint32Array((buffers[1] as Uint8Array).buffer)].slice(0, 2)).toEqual([55, 54]);
  });

  it("do not take an address for an index", () => {
    const text = smallKernel("mov.u32 %r1, s;\nT: .branchtargets A;\nbrx.idx %r1, T;\nA:", ".shared .b8 s[4];");
    expect(firstProblem(text)).toMatch(/PTX_POINTER/);
  });
});
