import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { buffer, int32, type Job, kernelText, runChecked, runInterpreted } from "./support/both-engines.ts";
import { smallKernel } from "./support/small-kernel.ts";

/** Accesses of all kinds and widths to a few bytes, with barriers between them; each by one or two threads, or all. */
function randomLines(prng: Prng): string {
  const pick = (...items: readonly string[]): string => items[prng.below(items.length)] as string;
  const line = (): string => {
    const kind = prng.below(12);
    if (kind < 2) return "bar.sync 0;";
    if (kind < 4) return "bar.warp.sync -1;";
    const place = 8 * prng.below(2);
    const [a, b] = [prng.below(70), prng.below(70)];
    const who = `setp.eq.u32 %p0, %t, ${a};\nsetp.eq.u32 %p1, %t, ${b};\nor.pred %p0, %p0, %p1;\n`;
    const guard = kind === 11 ? "" : "@%p0 ";
    if (kind < 7) return `${who}${guard}ld.shared.${pick("u8", "u16", "u32")} %r0, [%r3+${place}];`;
    if (kind < 9) return `${who}${guard}st.shared.${pick("u8", "u16", "u32")} [%r3+${place}], %t;`;
    return `${who}${guard}red.shared.${pick("add", "max")}.u32 [%r3+${place}], %t;`;
  };
  return `mov.u32 %r3, s;\n${Array.from({ length: 3 + prng.below(6) }, line).join("\n")}`;
}

function jobOf(lines: string): Job {
  return {
    ...{ text: smallKernel(lines, ".shared .align 8 .b8 s[16];"), entry: "k", grid: [1, 1, 1], block: [70, 1, 1] },
    arguments: [buffer(0), buffer(1), int32(0)],
    buffers: [new Uint8Array(280), new Uint8Array(280)],
  };
}

describe("the compiled engine in checking mode", () => {
  it("finds a race where the interpreter, which remembers every access, finds one, and nowhere else", () => {
    const prng = new Prng("races");
    const counts = { done: 0, trap: 0 };
    for (let i = 0; i < 400; i++) {
      const job = jobOf(randomLines(prng));
      const [expected] = runInterpreted(job).outcomes;
      const [actual] = runChecked(job).outcomes;
      expect(actual, job.text).toEqual(expected);
      if (expected !== undefined) counts[expected.kind]++;
    }
    expect(Math.min(counts.done, counts.trap)).toBeGreaterThan(50);
  });

  it("forgets a block when the next begins", () => {
    const lines = "mov.u32 %r3, s;\nsetp.eq.u32 %p0, %t, 1;\n@%p0 st.shared.u32 [%r3], %t;";
    const job: Job = { ...jobOf(lines), grid: [3, 1, 1] };
    expect(runChecked(job).outcomes.map(({ kind }) => kind)).toEqual(["done", "done", "done"]);
  });

  it("finds two threads of a block that store to one place of its tile", () => {
    const lines = "st.global.u32 [%b+8], %t;";
    expect(runChecked(jobOf(lines)).outcomes[0]).toMatchObject({ kind: "trap", reason: "RACE" });
  });

  it("finds that a sum without its barrier is wrong, though it gives one answer here", () => {
    const right = kernelText("reduce");
    const job: Job = {
      ...{ text: right, entry: "scan", grid: [1, 1, 1], block: [64, 1, 1], dynamicShared: 256 },
      arguments: [buffer(0), buffer(1)],
      buffers: [new Uint8Array(256), new Uint8Array(256)],
    };
    expect(runChecked(job).outcomes[0]).toMatchObject({ kind: "done" });
    const wrong = { ...job, text: right.replace(/(\.entry scan[\s\S]*?)bar\.sync\s+0;/, "$1") };
    expect(runChecked(wrong).outcomes[0]).toMatchObject({ kind: "trap", reason: "RACE" });
  });
});
