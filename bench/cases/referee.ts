/**
 * What the referee costs every validator, beside what it is paid: a tile of the standard matrix product, and the tiles and
 * texts that take longest for their price. Prices stand for 10 gas a microsecond, about the pace of contracts.
 */

import { Prng } from "../../base/prng.ts";
import { standardProgram } from "../../compute/kernels/standard-program.ts";
import { CHUNK_BYTES } from "../../compute/program/merkle.ts";
import { type ScheduledLaunch, scheduleOf } from "../../compute/program/schedule.ts";
import { blockCount, tilesOf } from "../../compute/program/tiles.ts";
import { ENGINE_VERSION, type Program } from "../../compute/program/types.ts";
import { checkKernel } from "../../compute/ptx/check.ts";
import { type CheckedProgram, checkProgram } from "../../compute/ptx/check-program.ts";
import { runPagedTile } from "../../compute/ptx/run-paged-tile.ts";
import { runTile } from "../../compute/ptx/run-tile.ts";
import { compileKernel } from "../../compute/ptx/wasm/compile.ts";
import { CheckBudgetError } from "../../compute/ptx/wasm/shadow.ts";
import { CHECK_BYTE_GAS, CHECK_GAS } from "../../vm/modules/programs/limits.ts";
import {
  CHECKS_FOR_ALL,
  REFEREE_CHUNK_GAS,
  REFEREE_GAS,
  REFEREE_KILOFUEL_GAS,
  REFEREE_THREAD_GAS,
} from "../../vm/modules/verification/referee-limits.ts";
import type { BenchCase, BenchResult, Measurement } from "../case.ts";

interface Params extends Readonly<Record<string, number>> {
  /** Of the product: 64 by 64 results of so many steps. */
  readonly depth: number;
  /** Of the hostile tiles. */
  readonly fuel: number;
  /** Instructions of the hostile texts. */
  readonly instructions: number;
}

export const benchCase: BenchCase<Params> = {
  name: "referee",
  description: "what a refereed tile and the check of a program cost, beside their price in gas",
  sizes: {
    smoke: { depth: 16, fuel: 1 << 16, instructions: 300 },
    full: { depth: 1024, fuel: 1 << 27, instructions: 15_000 },
  },
  run,
};

/** Processor time in milliseconds: what others do on the machine does not count. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function gasOfTile({ launch }: ScheduledLaunch): number {
  const chunks = Math.ceil(launch.bytes / CHUNK_BYTES);
  const threads = blockCount(launch.block) * (tilesOf(launch) === 1 ? blockCount(launch.grid) : 1);
  const fixed = REFEREE_GAS + REFEREE_CHUNK_GAS * BigInt(chunks) + REFEREE_THREAD_GAS * BigInt(threads);
  return Number(fixed) + (Number(REFEREE_KILOFUEL_GAS) * launch.fuel) / 1000;
}

interface Cost {
  readonly milliseconds: number;
  readonly gas: number;
}

function judgeTile({ program, kernels }: CheckedProgram, contents: (buffer: number) => Uint8Array): Cost {
  const [scheduled] = [...scheduleOf(program)] as [ScheduledLaunch];
  const kernel = kernels[0] as CheckedProgram["kernels"][number];
  const chunk = (buffer: number, index: number): Uint8Array =>
    contents(buffer).subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
  const milliseconds = processorTime(() => {
    try {
      const checks = CHECKS_FOR_ALL + scheduled.launch.fuel;
      runPagedTile({ program, kernel, scheduled, tile: 0, chunk, checks });
    } catch (error) {
      if (!(error instanceof CheckBudgetError)) throw error;
    }
  });
  return { milliseconds, gas: gasOfTile(scheduled) };
}

/** A loop without end of one instruction, in a block of the largest size: it runs until its fuel is used up. */
const LOOPS: Readonly<Record<string, string>> = {
  add: "add.s32 %x, %x, %y;",
  fma: "fma.rn.f32 %f, %f, %f, %f;",
  "load shared": "ld.shared.u32 %x, [%s];",
  "load shared 16": "ld.shared.v2.u64 {%v, %w}, [%s];",
  "store shared": "st.shared.u32 [%s], %x;",
  "load own": "ld.global.u32 %x, [%a];",
  "store own": "st.global.u32 [%a], %x;",
  shuffle: "shfl.sync.bfly.b32 %x, %x, 1, 31, -1;",
  barrier: "bar.sync 0;",
};

const THREADS = 1024;

function hostileProgram(line: string, fuel: number): Program {
  const ptx = `.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %x, %y, %s, %t, %m, %q;
.reg .b64 %a, %o, %v, %w;
.reg .f32 %f;
.shared .align 16 .b8 m[16384];
ld.param.u64 %a, [out];
cvta.to.global.u64 %a, %a;
mov.u32 %t, %tid.x;
mul.wide.u32 %o, %t, 16;
add.s64 %a, %a, %o;
shl.b32 %q, %t, 4;
mov.u32 %m, m;
add.s32 %s, %q, %m;
mov.u32 %x, 1;
mov.u32 %y, 7;
mov.f32 %f, 0f3F800001;
st.global.u32 [%a], %x;
L:
${new Array(16).fill(line).join("\n")}
bra L;
}`;
  const bytes = 16 * THREADS;
  return {
    ...{ engine: ENGINE_VERSION, kernels: [{ ptx, entry: "k" }], buffers: [{ name: "out", kind: "zero", bytes }] },
    steps: [
      {
        ...{
          kind: "launch",
          kernel: 0,
          grid: [1, 1, 1],
          block: [THREADS, 1, 1],
          dynamicShared: 0,
          fuel,
          bytes: 1 << 20,
        },
        arguments: [{ kind: "buffer", buffer: 0 }],
        tiles: [{ parameter: 0, tile: { kind: "run", bytes } }],
      },
    ],
    outputs: [0],
  };
}

/** Texts that make the check do more than text of their length usually does. */
const TEXTS: Readonly<Record<string, (instructions: number) => string>> = {
  straight: (instructions) => "add.u32 %r, %r, 1;\n".repeat(instructions),
  fma: (instructions) => "fma.rn.f32 %f, %f, %f, %f;\n".repeat(instructions),
  jumps: (instructions) => {
    const count = Math.min(4000, Math.floor(instructions / 2));
    return Array.from(
      { length: count },
      (_, i) => `L${i}:\nsetp.eq.u32 %p, %r, ${i};\n@%p bra L${(i * 7919) % count};\n`,
    ).join("");
  },
  barriers: (instructions) => {
    const count = Math.min(300, Math.floor(instructions / 5));
    const part = (i: number): string =>
      `P${i}:\nsetp.eq.u32 %p, %r, ${i};\n@%p bra W${i};\nbra P${i + 1};\nW${i}:\nbar.sync 0;\nbra P0;\n`;
    return `${Array.from({ length: count }, (_, i) => part(i)).join("")}P${count}:\n`;
  },
};

function checkText(body: string): Cost {
  const text = `.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %r;
.reg .f32 %f;
.reg .pred %p;
.reg .b64 %a;
ld.param.u64 %a, [out];
cvta.to.global.u64 %a, %a;
mov.u32 %r, %tid.x;
mov.f32 %f, 0f3F800001;
${body}st.global.u32 [%a], %r;
ret;
}`;
  const milliseconds = processorTime(() => {
    try {
      compileKernel(checkKernel(text, "k"), { paged: true, findRaces: true });
    } catch {
      // What is refused has cost its time too.
    }
  });
  return { milliseconds, gas: Number(CHECK_GAS) + Number(CHECK_BYTE_GAS) * text.length };
}

/** Processor time beside what the gas stands for. */
function ratioOf({ milliseconds, gas }: Cost): number {
  return (milliseconds * 10_000) / gas;
}

function measured(name: string, cost: Cost): readonly Measurement[] {
  return [
    { name, value: cost.milliseconds, unit: "ms" },
    { name: `${name}, price`, value: cost.gas / 1e6, unit: "Mgas" },
  ];
}

async function run({ depth, fuel, instructions }: Params): Promise<BenchResult> {
  const product = checkProgram(standardProgram({ kernel: "gemm", numbers: [64, 64, depth, 0, depth, 1, 0, 64, 1] }));
  const prng = new Prng("referee");
  const filled = product.program.buffers.map(({ kind, bytes }) =>
    kind === "input" ? prng.bytes(bytes) : new Uint8Array(bytes),
  );
  const contents = (buffer: number): Uint8Array => filled[buffer] as Uint8Array;
  // Once before, so that compiling the kernel is not part of it.
  judgeTile(product, contents);
  const gemm = judgeTile(product, contents);
  const hostile = Object.entries(LOOPS).map(([name, line]) => {
    const checked = checkProgram(hostileProgram(line, fuel));
    return [`endless ${name}`, judgeTile(checked, () => new Uint8Array(16 * THREADS))] as const;
  });
  for (const text of Object.values(TEXTS)) checkText(text(300));
  const texts = Object.entries(TEXTS).map(
    ([name, text]) => [`text of ${name}`, checkText(text(instructions))] as const,
  );
  const worst = (costs: readonly (readonly [string, Cost])[]): number =>
    Math.max(...costs.map(([, cost]) => ratioOf(cost)));
  return {
    measurements: [
      ...measured(`tile of a product, 64 x 64 x ${depth}`, gemm),
      ...[...hostile, ...texts].flatMap(([name, cost]) => measured(name, cost)),
    ],
    comparisons: [
      { name: "a tile of a product, time beside price", ratio: ratioOf(gemm), target: { atMost: 1 } },
      { name: "the dearest tile, time beside price", ratio: worst(hostile), target: { atMost: 1.5 } },
      { name: "the dearest text, time beside price", ratio: worst(texts), target: { atMost: 1.5 } },
    ],
    agreed: agrees(product, contents),
  };
}

/** Whether the referee's tile is that of whole buffers. */
function agrees({ program, kernels }: CheckedProgram, contents: (buffer: number) => Uint8Array): boolean {
  const [scheduled] = [...scheduleOf(program)] as [ScheduledLaunch];
  const kernel = kernels[0] as CheckedProgram["kernels"][number];
  const chunk = (buffer: number, index: number): Uint8Array =>
    contents(buffer).subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
  const paged = runPagedTile({ program, kernel, scheduled, tile: 0, chunk });
  const whole = runTile({ program, kernel, scheduled, tile: 0, contents });
  if (paged.kind !== "done" || whole.kind !== "done") return false;
  return [...whole.written].every(
    ([buffer, bytes]) => Buffer.compare(bytes, paged.written.get(buffer) ?? new Uint8Array()) === 0,
  );
}
