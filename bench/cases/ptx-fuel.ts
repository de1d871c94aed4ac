/**
 * What a unit of fuel costs for each class of instruction. Fuel is a price and a time limit, so a class that is cheap in
 * fuel and slow in the engine would let a program take more than it pays for: no class may be far above the rest.
 */
import { checkKernel } from "../../compute/ptx/check.ts";
import { compileKernel } from "../../compute/ptx/wasm/compile.ts";
import { Machine, scratchBytes } from "../../compute/ptx/wasm/machine.ts";
import type { BenchCase, BenchResult } from "../case.ts";
import { interleave } from "../interleave.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  readonly iterations: number;
}

export const benchCase: BenchCase<Params> = {
  name: "ptx-fuel",
  description: "nanoseconds of the WebAssembly engine per unit of fuel, for each class of instruction",
  sizes: { smoke: { rounds: 1, iterations: 2 }, full: { rounds: 5, iterations: 400 } },
  run,
};

/** One instruction on values that no compiler can foresee; `%x` is the chain that it works on. */
const CLASSES: Readonly<Record<string, string>> = {
  add: "add.s32 %x, %x, %y;",
  logic: "xor.b32 %x, %x, %y;",
  shift: "shl.b32 %x, %x, %y;",
  multiply: "mul.lo.s32 %x, %x, %y;",
  "multiply high": "mul.hi.u32 %x, %x, %y;",
  "multiply 64": "mul.lo.s64 %xd, %xd, %yd;",
  "multiply high 64": "mul.hi.u64 %xd, %xd, %yd;",
  "divide 32": "div.u32 %x, %y, %x;",
  "divide 64": "div.u64 %xd, %yd, %xd;",
  compare: "setp.lt.s32 %p, %x, %y;\nselp.b32 %x, %y, %x, %p;",
  lop3: "lop3.b32 %x, %x, %y, %z, 0x96;",
  popc: "popc.b32 %x, %x;",
  clz: "clz.b32 %x, %x;",
  bfind: "bfind.u32 %x, %x;",
  brev: "brev.b32 %x, %x;",
  bfe: "bfe.u32 %x, %x, %y, %z;",
  bfi: "bfi.b32 %x, %x, %y, %z, %y;",
  prmt: "prmt.b32 %x, %x, %y, %z;",
  shf: "shf.l.wrap.b32 %x, %x, %y, %z;",
  dp4a: "dp4a.s32.s32 %x, %x, %y, %z;",
  sad: "sad.s32 %x, %x, %y, %z;",
  "add f32": "add.rn.f32 %f, %f, %g;",
  "multiply f32": "mul.rn.f32 %f, %f, %g;",
  "fma f32": "fma.rn.f32 %f, %f, %g, %h;",
  "divide f32": "div.rn.f32 %f, %f, %g;",
  "root f32": "sqrt.rn.f32 %f, %f;",
  "minimum f32": "min.f32 %f, %f, %g;",
  "round towards zero f32": "add.rz.f32 %f, %f, %g;",
  "add f64": "add.rn.f64 %e, %e, %i;",
  "multiply f64": "mul.rn.f64 %e, %e, %i;",
  "fma f64": "fma.rn.f64 %e, %e, %i, %j;",
  "divide f64": "div.rn.f64 %e, %e, %i;",
  "integer to float": "cvt.rn.f32.s32 %f, %x;\nmov.b32 %x, %f;",
  "float to integer": "cvt.rzi.s32.f32 %x, %f;\nmov.b32 %f, %x;",
  "half to float": "cvt.u16.u32 %k, %x;\ncvt.f32.f16 %f, %k;\nmov.b32 %x, %f;",
  "float to half": "cvt.rn.f16.f32 %k, %f;\ncvt.u32.u16 %x, %k;\nmov.b32 %f, %x;",
  "load shared": "ld.shared.u32 %x, [%s];\nadd.s32 %y, %y, %x;",
  "store shared": "st.shared.u32 [%s], %x;",
  "load global": "ld.global.u32 %x, [%a];\nadd.s32 %y, %y, %x;",
  "store global": "st.global.u32 [%b], %x;",
  "reduce shared": "red.shared.add.u32 [%s], %x;",
  shuffle: "shfl.sync.bfly.b32 %x, %x, 1, 31, -1;",
  vote: "setp.lt.s32 %p, %x, %y;\nvote.sync.ballot.b32 %x, %p, -1;",
  barrier: "bar.sync 0;",
};

const REPEATS = 16;
const THREADS = 128;

function kernelOf(lines: string): string {
  return `.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u32 n)
{
.reg .b32 %x, %y, %z, %n, %t, %s, %q;
.reg .b64 %xd, %yd, %a, %b, %o;
.reg .b16 %k;
.reg .f32 %f, %g, %h;
.reg .f64 %e, %i, %j;
.reg .pred %p;
.shared .align 4 .b8 memory[${4 * THREADS}];
ld.param.u64 %a, [pa];
ld.param.u64 %b, [pb];
ld.param.u32 %n, [n];
mov.u32 %t, %tid.x;
mul.wide.u32 %o, %t, 4;
add.s64 %a, %a, %o;
add.s64 %b, %b, %o;
shl.b32 %z, %t, 2;
mov.u32 %q, memory;
add.s32 %s, %q, %z;
ld.global.u32 %x, [%a];
ld.global.u32 %y, [%a+4];
ld.global.u32 %z, [%a+8];
cvt.u64.u32 %xd, %x;
cvt.u64.u32 %yd, %y;
cvt.rn.f32.s32 %f, %t;
add.rn.f32 %f, %f, 0f3f9d70a4;
mov.f32 %g, 0f3f7fbe77;
mov.f32 %h, 0f3a83126f;
cvt.f64.f32 %e, %f;
cvt.f64.f32 %i, %g;
cvt.f64.f32 %j, %h;
LOOP:
${Array.from({ length: REPEATS }, () => lines).join("\n")}
sub.s32 %n, %n, 1;
setp.ne.s32 %p, %n, 0;
@%p bra LOOP;
cvt.u32.u64 %z, %xd;
xor.b32 %x, %x, %z;
mov.b32 %z, %f;
xor.b32 %x, %x, %z;
cvt.rzi.u32.f64 %z, %e;
xor.b32 %x, %x, %z;
xor.b32 %x, %x, %y;
st.global.u32 [%b], %x;
ret;
}
`;
}

/** Fuel that one run uses. */
function prepare(lines: string, iterations: number): () => number {
  const compiled = compileKernel(checkKernel(kernelOf(lines), "k"), { trackChunks: true });
  const machine = new Machine(scratchBytes(compiled, THREADS), [4 * THREADS + 8, 4 * THREADS]);
  new Uint32Array(machine.memory.buffer, machine.buffer(0).byteOffset, THREADS + 2).forEach((_, i, words) => {
    words[i] = Math.imul(i + 1, 0x9e3779b1) >>> 0;
  });
  const loaded = machine.load(compiled);
  const count = new Uint8Array(4);
  new DataView(count.buffer).setInt32(0, iterations, true);
  const buffers = [{ kind: "buffer", buffer: 0 } as const, { kind: "buffer", buffer: 1 } as const];
  const scalar = { kind: "bytes", bytes: count } as const;
  loaded.begin({ grid: [1, 1, 1], block: [THREADS, 1, 1], dynamicShared: 0, arguments: [...buffers, scalar] });
  return () => {
    const outcome = loaded.runBlock([0, 0, 0], 1e12);
    if (outcome.kind !== "done") throw new Error("the kernel trapped");
    return outcome.fuel;
  };
}

async function run({ rounds, iterations }: Params): Promise<BenchResult> {
  const rates = await interleave(
    rounds,
    Object.entries(CLASSES).map(([name, lines]) => ({ name, run: prepare(lines, iterations) })),
  );
  const costs = Object.keys(CLASSES).map((name) => ({ name, nanoseconds: 1e9 / rates.rate(name) }));
  const sorted = costs.map(({ nanoseconds }) => nanoseconds).sort((a, b) => a - b);
  const middle = sorted[sorted.length >> 1] as number;
  return {
    measurements: costs.map(({ name, nanoseconds }) => ({ name, value: nanoseconds, unit: "ns/fuel" })),
    comparisons: [
      {
        name: "the dearest class beside the middle one",
        ratio: (sorted.at(-1) as number) / middle,
        target: { atMost: 4 },
      },
    ],
    agreed: undefined,
  };
}
