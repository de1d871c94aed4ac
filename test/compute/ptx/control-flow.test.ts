/** Branches, loops, barriers and warps, where an engine that runs threads one after the other can go wrong. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Prng } from "../../../base/prng.ts";
import { bytesOf } from "./support/bit-patterns.ts";
import { buffer, int32, type Job, runBoth, runChecked, runCompiled, runInterpreted } from "./support/both-engines.ts";
import { STORE_RESULT, smallKernel } from "./support/small-kernel.ts";

function jobOf(lines: string, threads: number, n = 0, declarations = ""): Job {
  const input = Uint32Array.from({ length: threads }, (_, i) => new Prng(`in ${i}`).uint32());
  return {
    ...{ text: smallKernel(lines, declarations), entry: "k", grid: [1, 1, 1], block: [threads, 1, 1] },
    arguments: [buffer(0), buffer(1), int32(n)],
    buffers: [bytesOf(input), new Uint8Array(4 * threads)],
    fuel: 1e6,
  };
}

function results(job: Job): readonly number[] {
  return [...new Uint32Array((runBoth(job).buffers[1] as Uint8Array).buffer)];
}

const SHARED = ".shared .align 4 .b8 s[512];";

describe("control flow", () => {
  it("with a loop that has two entrances is followed", () => {
    const lines = `mov.u32 %r0, 0;
mov.u32 %r1, 0;
and.b32 %r2, %t, 1;
setp.eq.s32 %p0, %r2, 0;
@%p0 bra SECOND;
FIRST:
add.s32 %r0, %r0, 3;
SECOND:
add.s32 %r0, %r0, 5;
add.s32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, %t;
@%p1 bra FIRST;
${STORE_RESULT}`;
    const expected = Array.from({ length: 12 }, (_, t) => {
      const turns = Math.max(1, t);
      return turns * 5 + (turns - 1) * 3 + (t % 2 === 1 ? 3 : 0);
    });
    expect(results(jobOf(lines, 12))).toEqual(expected);
  });

  it("with predicated instructions, inverted guards and combined comparisons is followed", () => {
    const lines = `mov.u32 %r0, 7;
setp.gt.u32 %p0, %t, 3;
@%p0 mov.u32 %r0, 1;
@!%p0 add.s32 %r0, %r0, %t;
setp.lt.and.u32 %p1|%p2, %t, 6, %p0;
@%p1 add.s32 %r0, %r0, 100;
@%p2 add.s32 %r0, %r0, 200;
setp.eq.or.u32 %p0, %t, 0, !%p0;
@%p0 xor.b32 %r0, %r0, 0x1000;
${STORE_RESULT}`;
    expect(results(jobOf(lines, 8))).toEqual([0x1007, 0x1008, 0x1009, 0x100a, 101, 101, 201, 201]);
  });

  it("that walks a buffer backwards by comparing addresses ends before its start", () => {
    const lines = `mov.u32 %r0, 0;
add.s64 %d0, %a, %o;
LOOP:
ld.global.u32 %r1, [%d0];
add.s32 %r0, %r0, 1;
sub.s64 %d0, %d0, 4;
setp.ge.u64 %p0, %d0, %a;
@%p0 bra LOOP;
${STORE_RESULT}`;
    expect(results(jobOf(lines, 9))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("made at random gives the same on both engines", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: 2, maxLength: 14 }), (blocks) => {
        const count = blocks.length;
        const text = blocks.map(([step, condition, target], i) => {
          // Every block counts down, so that all paths end.
          const lines = [`B${i}:`, `add.s32 %r1, %r1, -1;`, `setp.lt.s32 %p0, %r1, 0;`, `@%p0 bra END;`];
          lines.push(`mad.lo.s32 %r0, %r0, ${(step % 97) * 2 + 3}, ${i};`);
          lines.push(`shr.u32 %r2, %r0, ${condition % 20};`, `and.b32 %r2, %r2, 1;`, `setp.eq.s32 %p1, %r2, 0;`);
          lines.push(`@${condition % 2 === 0 ? "" : "!"}%p1 bra B${target % count};`);
          if (step % 5 === 0) lines.push(`bra B${step % count};`);
          return lines.join("\n");
        });
        const lines = `ld.global.u32 %r0, [%a];\nadd.s32 %r0, %r0, %t;\nmov.u32 %r1, 60;\n${text.join("\n")}\nEND:\n${STORE_RESULT}`;
        runBoth(jobOf(lines, 6));
      }),
      { numRuns: 60 },
    );
  });

  it("with barriers in a loop of which every turn crosses threads is followed", () => {
    const lines = `mov.u32 %r1, 0;
shl.b32 %r2, %t, 2;
mov.u32 %r3, s;
add.s32 %r4, %r3, %r2;
mov.u32 %r0, %t;
LOOP:
st.shared.u32 [%r4], %r0;
bar.sync 0;
add.s32 %r5, %t, 1;
setp.ge.u32 %p0, %r5, 40;
selp.b32 %r5, 0, %r5, %p0;
shl.b32 %r5, %r5, 2;
add.s32 %r8, %r3, %r5;
ld.shared.u32 %r6, [%r8];
and.b32 %r7, %t, 3;
setp.eq.s32 %p1, %r7, 0;
@%p1 bra SKIP;
mad.lo.s32 %r6, %r6, 3, %t;
SKIP:
bar.sync 0;
mov.u32 %r0, %r6;
add.s32 %r1, %r1, 1;
setp.lt.u32 %p2, %r1, %n;
@%p2 bra LOOP;
${STORE_RESULT}`;
    let state = Array.from({ length: 40 }, (_, t) => t);
    for (let turn = 0; turn < 5; turn++) {
      const before = state;
      state = before.map((_, t) => {
        const next = before[(t + 1) % 40] as number;
        return t % 4 === 0 ? next : (Math.imul(next, 3) + t) >>> 0;
      });
    }
    expect(results(jobOf(lines, 40, 5, SHARED))).toEqual(state);
  });

  it("in which warps meet one barrier at different instructions is followed", () => {
    const lines = `mov.u32 %r3, s;
shl.b32 %r2, %t, 2;
add.s32 %r4, %r3, %r2;
st.shared.u32 [%r4], %t;
setp.lt.u32 %p0, %t, 32;
@%p0 bra LOW;
bar.sync 0;
ld.shared.u32 %r0, [%r4+-128];
bra END;
LOW:
bar.sync 0;
ld.shared.u32 %r0, [%r4+128];
END:
${STORE_RESULT}`;
    expect(results(jobOf(lines, 64, 0, SHARED))).toEqual(Array.from({ length: 64 }, (_, t) => (t + 32) % 64));
  });

  it("in which halves of a warp exchange under masks of their own is followed", () => {
    const lines = `setp.lt.u32 %p0, %t, 16;
@%p0 bra LOW;
shfl.sync.bfly.b32 %r0, %t, 1, 31, 0xffff0000;
bra END;
LOW:
shfl.sync.down.b32 %r0|%p1, %t, 2, 31, 0x0000ffff;
@!%p1 mov.u32 %r0, 99;
mov.u32 %r1, 0xffff;
vote.sync.any.pred %p2, %p1, %r1;
END:
${STORE_RESULT}`;
    const job = jobOf(lines, 32);
    // Lanes 14 and 15 would read lanes 16 and 17, which are not in their mask.
    expect(runBoth(job).outcomes).toEqual([{ kind: "trap", reason: "SHUFFLE_UNDEFINED", line: 21 }]);
    const within = { ...job, text: job.text.replace("2, 31, 0x0000ffff", "2, 0x100f, 0x0000ffff") };
    const expected = Array.from({ length: 32 }, (_, t) => (t >= 16 ? t ^ 1 : t + 2 <= 15 ? t + 2 : 99));
    expect(results(within)).toEqual(expected);
  });
});

describe("undefined use traps, on both engines:", () => {
  const trapOf = (job: Job): unknown => runBoth(job).outcomes[0];

  it.each([
    [
      "a barrier that a thread misses",
      "setp.eq.s32 %p0, %t, 0;\n@%p0 bra END;\nbar.sync 0;\nEND:",
      "BARRIER_DIVERGED",
      18,
    ],
    [
      "a barrier inside of a divergent branch",
      "setp.eq.s32 %p0, %t, 0;\n@%p0 bar.sync 0;\n@!%p0 bar.sync 0;",
      "BARRIER_DIVERGED",
      17,
    ],
    [
      "a vote that a lane misses",
      "setp.eq.s32 %p0, %t, 0;\n@%p0 bra END;\nvote.sync.any.pred %p1, %p0, 0xffffffff;\nEND:",
      "WARP_DIVERGED",
      18,
    ],
    ["a lane outside of its own mask", "mov.u32 %r1, 1;\nvote.sync.ballot.b32 %r0, 1, %r1;", "WARP_DIVERGED", 17],
    ["a load beyond the buffer", "ld.global.u32 %r0, [%a+128];", "OUT_OF_BOUNDS", 16],
    ["a load before the buffer", "ld.global.u32 %r0, [%a+-4];", "OUT_OF_BOUNDS", 16],
    ["a load that is not aligned", "ld.global.u32 %r0, [%a+2];", "OUT_OF_BOUNDS", 16],
    [
      "an address that wraps round",
      "mov.b64 %d0, 0x7ffffffffffffffc;\nadd.s64 %d1, %a, %d0;\nadd.s64 %d1, %d1, %d0;\nld.global.u32 %r0, [%d1];",
      "OUT_OF_BOUNDS",
      19,
    ],
    [
      "a load 4 GiB too far",
      "mov.b64 %d0, 0x100000000;\nadd.s64 %d1, %a, %d0;\nld.global.u32 %r0, [%d1];",
      "OUT_OF_BOUNDS",
      18,
    ],
    [
      "a store beyond a shared variable into the next",
      "mov.u32 %r1, s;\nst.shared.u32 [%r1+512], %t;",
      "OUT_OF_BOUNDS",
      17,
    ],
    ["the trap instruction", "trap;", "TRAP", 16],
  ])("%s", (_name, lines, reason, line) => {
    const job = jobOf(lines, 32, 0, `${SHARED}\n.shared .align 4 .b8 other[64];`);
    const trap = trapOf(job) as { readonly reason: string; readonly line: number };
    expect(trap).toMatchObject({ kind: "trap", reason });
    expect(trap.line).toBe(line + 1);
  });

  it("loops without end stop by fuel", () => {
    for (const lines of ["LOOP:\nbra LOOP;", "LOOP:\nbar.sync 0;\nbra LOOP;", "LOOP:\nadd.s32 %t, %t, 1;\nbra LOOP;"]) {
      expect(trapOf(jobOf(lines, 32))).toMatchObject({ reason: "FUEL" });
    }
  });

  it("the fuel that is enough is enough, and one less is not", () => {
    const job = jobOf(`ld.global.u32 %r0, [%a];\nbar.sync 0;\n${STORE_RESULT}`, 32);
    const [done] = runBoth(job).outcomes;
    const fuel = done?.kind === "done" ? done.fuel : 0;
    expect(fuel).toBeGreaterThan(32 * 8);
    expect(runBoth({ ...job, fuel }).outcomes).toEqual([{ kind: "done", fuel }]);
    expect(runBoth({ ...job, fuel: fuel - 1 }).outcomes[0]).toMatchObject({ kind: "trap", reason: "FUEL" });
  });
});

describe("the checking engines find races", () => {
  const raceOf = (lines: string): unknown => {
    const [outcome] = runInterpreted(jobOf(lines, 64, 0, SHARED)).outcomes;
    expect(runChecked(jobOf(lines, 64, 0, SHARED)).outcomes).toEqual([outcome]);
    return outcome;
  };
  const address = "shl.b32 %r2, %t, 2;\nmov.u32 %r3, s;\nadd.s32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %t;\n";

  it("of a read with a write that no barrier orders", () => {
    expect(raceOf(`${address}ld.shared.u32 %r0, [%r3+128];`)).toMatchObject({ kind: "trap", reason: "RACE" });
    expect(raceOf(`${address}bar.sync 0;\nld.shared.u32 %r0, [%r3+128];`)).toMatchObject({ kind: "done" });
  });

  it("of two writes to one place, but not of equal reductions", () => {
    expect(raceOf("mov.u32 %r3, s;\nst.shared.u32 [%r3], %t;")).toMatchObject({ reason: "RACE" });
    expect(raceOf("mov.u32 %r3, s;\nred.shared.add.u32 [%r3], %t;")).toMatchObject({ kind: "done" });
    const mixed = "mov.u32 %r3, s;\nred.shared.add.u32 [%r3], %t;\nred.shared.max.u32 [%r3], %t;";
    expect(raceOf(mixed)).toMatchObject({ reason: "RACE" });
  });

  it("and takes a warp barrier to order its warp, and no other", () => {
    const within = `${address}bar.warp.sync -1;\nxor.b32 %r5, %r2, 4;\nadd.s32 %r6, %r3, %r5;\nld.shared.u32 %r0, [%r6];`;
    expect(raceOf(within)).toMatchObject({ kind: "done" });
    expect(raceOf(within.replace("%r2, 4;", "%r2, 128;"))).toMatchObject({ reason: "RACE" });
  });

  it("while the compiled engine still gives one deterministic answer", () => {
    const job = jobOf(`${address}ld.shared.u32 %r0, [%r3+128];\n${STORE_RESULT}`, 64, 0, SHARED);
    expect(runCompiled(job)).toEqual(runCompiled(job));
  });
});
