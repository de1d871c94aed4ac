/** Text that nobody's compiler wrote: it must end in a coded error or a kernel, in bounded time, whatever it is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CodedError } from "../../../base/errors.ts";
import { Prng } from "../../../base/prng.ts";
import { checkModule } from "../../../compute/ptx/check.ts";
import { MAX_TEXT } from "../../../compute/ptx/limits.ts";
import { compileKernel } from "../../../compute/ptx/wasm/compile.ts";
import { regionGraph } from "../../../compute/ptx/wasm/structure.ts";
import { wasmApi } from "../../../compute/ptx/wasm/wasm-api.ts";
import { codeOf } from "../../base/support/code-of.ts";
import { kernelText } from "./support/both-engines.ts";
import { smallKernel } from "./support/small-kernel.ts";

/** Checks, and compiles what passes; anything but a coded error goes through. */
function attempt(text: string): string {
  try {
    const reports = checkModule(text);
    for (const { checked } of reports) {
      if (checked === undefined) continue;
      // The engine's own validation of the code that we made.
      new wasmApi.Module(compileKernel(checked).wasm);
    }
    return reports.some(({ problems }) => problems.length > 0) ? "problems" : "passed";
  } catch (error) {
    if (error instanceof CodedError) return error.code;
    throw error;
  }
}

describe("malformed PTX", () => {
  it("made from real kernels by random edits never breaks anything", () => {
    const sources = ["elementwise", "gemm", "reduce", "physics"].map(kernelText);
    const outcomes = new Map<string, number>();
    const prng = new Prng("mutations");
    for (let i = 0; i < 400; i++) {
      let text = sources[prng.below(sources.length)] as string;
      for (let edits = 1 + prng.below(3); edits > 0; edits--) text = mutate(text, prng);
      const outcome = attempt(text);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    // The edits reach every stage.
    for (const outcome of ["passed", "problems", "PTX_SYNTAX"]) expect(outcomes.get(outcome)).toBeGreaterThan(5);
  });

  it("made of random tokens is a syntax error", () => {
    const word = fc.constantFrom(".entry", ".reg", "{", "}", "(", ")", "%r<3>", ";", "k", ".b32", "[", "]", "@", "0x1");
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        expect(attempt(`.version 9.0\n.target sm_75\n${words.join(" ")}`)).not.toBe("");
      }),
    );
  });

  it.each([
    ["nothing", "", "PTX_SYNTAX"],
    ["a comment without end", "/* ...", "PTX_SYNTAX"],
    ["a character of another language", ".version 9.0\n.target sm_75\n\u{1f600}", "PTX_SYNTAX"],
    ["a kernel without end", smallKernel("").slice(0, -3), "PTX_SYNTAX"],
    ["too much text", " ".repeat(MAX_TEXT + 1), "PTX_LIMIT"],
    ["a billion registers", smallKernel("", ".reg .b32 %x<1000000000>;"), "PTX_LIMIT"],
    ["a huge array", smallKernel("", ".shared .b8 x[4294967295];"), "PTX_LIMIT"],
    ["arrays of arrays", smallKernel("", ".local .b64 x[16000][16000][16000];"), "PTX_LIMIT"],
    ["scopes without end", smallKernel("{".repeat(1000)), "PTX_LIMIT"],
    ["a number that does not fit", smallKernel("mov.u64 %d0, 0x1ffffffffffffffff;"), "PTX_SYNTAX"],
    ["a register twice", smallKernel("", ".reg .b32 %t;"), "PTX_NAME"],
    ["a label twice", smallKernel("A:\nA:"), "PTX_NAME"],
    ["a prototype", smallKernel("mov.u32 %r0, constructor;"), "problems"],
    ["a prototype as a type", smallKernel("", ".reg .constructor %x;"), "PTX_UNSUPPORTED"],
    ["a prototype as an instruction", smallKernel("toString.b32 %r0;"), "problems"],
  ])("%s is told", (_name, text, outcome) => {
    expect(attempt(text)).toBe(outcome);
  });

  it("with the position in the error", () => {
    const text = smallKernel("add.s32 %r0, , %t;");
    expect(() => checkModule(text)).toThrow(/^line 16, column 14: expected an operand, found ","/);
  });
});

describe("PTX bombs", () => {
  it("of code that repeats after each of many barriers are refused", () => {
    // From each wait, everything behind can be reached again: quadratic code.
    const part = (i: number): string =>
      `P${i}:\nsetp.eq.u32 %p0, %r1, ${i};\n@%p0 bra W${i};\nbra P${i + 1};\nW${i}:\nbar.sync 0;\nadd.s32 %r1, %r1, 1;\nbra P0;`;
    const parts = Array.from({ length: 900 }, (_, i) => part(i)).join("\n");
    expect(attempt(smallKernel(`mov.u32 %r1, %t;\n${parts}\nP900:`))).toBe("PTX_LIMIT");
  });

  it("of many blocks are compiled or refused without running out of stack", () => {
    const chain = Array.from({ length: 1500 }, (_, i) => `setp.eq.u32 %p0, %t, ${i};\n@%p0 bra END;`).join("\n");
    expect(attempt(smallKernel(`${chain}\nEND:`))).toBe("passed");
    const jumps = Array.from({ length: 5000 }, (_, i) => `L${i}:\nbra L${i + 1};`).join("\n");
    expect(attempt(smallKernel(`${jumps}\nL5000:`))).toBe("problems");
  });

  it("of deep loops are compiled", () => {
    const open = Array.from({ length: 300 }, (_, i) => `L${i}:\nadd.s32 %r1, %r1, 1;`).join("\n");
    const close = Array.from({ length: 300 }, (_, i) => `setp.lt.u32 %p0, %r1, ${i};\n@%p0 bra L${299 - i};`).join(
      "\n",
    );
    expect(attempt(smallKernel(`mov.u32 %r1, 0;\n${open}\n${close}`))).toBe("passed");
  });

  it("of jumps to and fro, with far ways into other blocks, are compiled without nesting", () => {
    // Each pass over the graph moves one dominator of the chain, and walks along all of it for each block behind.
    const [length, others] = [1_300, 600];
    const jumps = Array.from({ length }, (_, i) => {
      const other = i < others ? i : i - (length - others);
      return [`C${i}:`, ...(i > 0 ? [`@%p0 bra C${i - 1};`] : []), ...(other >= 0 ? [`@%p0 bra X${other};`] : [])];
    });
    const lines = [...jumps.flat(), "ret;", ...Array.from({ length: others }, (_, i) => `X${i}: ret;`)].join("\n");
    const text = smallKernel(`setp.eq.u32 %p0, %t, 3;\n@%p0 bra C${length - 1};\n${lines}`);
    const [report] = checkModule(text);
    const kernel = report?.checked?.kernel;
    expect(kernel && regionGraph(kernel, 0)).toMatchObject({ nestable: false, children: new Map() });
    expect(attempt(text)).toBe("passed");
  });

  it("of many jumps by one large table are refused before their edges are followed", () => {
    const labels = Array.from({ length: 1_000 }, (_, i) => `L${i}`);
    const jumps = labels.map((label) => `${label}: brx.idx %t, T;`).join("\n");
    expect(attempt(smallKernel(`T: .branchtargets ${labels.join(",")};\n${jumps}`))).toBe("problems");
    const some = jumps.split("\n").slice(0, 30).join("\n");
    const rest = labels.slice(30).map((label) => `${label}:`);
    expect(attempt(smallKernel(`T: .branchtargets ${labels.join(",")};\n${some}\n${rest.join("\n")}`))).toBe("passed");
  });

  it("of many registers that are kept at many waits are refused", () => {
    const numbers = Array.from({ length: 2_000 }, (_, i) => i);
    const set = numbers.map((i) => `add.s32 %x${i}, %t, ${i};`).join("\n");
    const use = numbers.map((i) => `add.s32 %r0, %r0, %x${i};`).join("\n");
    const kernel = (waits: number): string =>
      smallKernel(`mov.u32 %r0, 0;\n${set}\n${"bar.sync 0;\n".repeat(waits)}${use}`, ".reg .b32 %x<2000>;");
    expect(attempt(kernel(1_000))).toBe("PTX_LIMIT");
    expect(attempt(kernel(10))).toBe("passed");
  });

  it("of blocks times registers are refused", () => {
    const jumps = Array.from({ length: 4000 }, (_, i) => `L${i}:\nadd.s32 %r0, %t, 1;`).join("\n");
    expect(attempt(smallKernel(jumps, ".reg .b32 %x<30000>;"))).toBe("problems");
    expect(codeOf(() => attempt(smallKernel(jumps)))).toBeUndefined();
  });
});

function mutate(text: string, prng: Prng): string {
  const lines = text.split("\n");
  const at = prng.below(lines.length);
  const line = lines[at] as string;
  switch (prng.below(6)) {
    case 0:
      lines.splice(at, 1);
      break;
    case 1:
      lines.splice(prng.below(lines.length), 0, line);
      break;
    case 2: {
      const place = prng.below(line.length + 1);
      lines[at] = line.slice(0, place) + "%.,;[]{}@!+-x0"[prng.below(14)] + line.slice(place);
      break;
    }
    case 3:
      lines[at] = line.replace(/\.[a-z]\d+/, [".u64", ".f32", ".s16", ".pred", ".b8"][prng.below(5)] as string);
      break;
    case 4:
      lines[at] = line.replace(/\d+/, `${prng.uint32()}`);
      break;
    default:
      lines[at] = line.replace(/%[a-z]+\d+/, `%r${prng.below(40)}`);
  }
  return lines.join("\n");
}
