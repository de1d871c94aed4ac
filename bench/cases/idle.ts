/**
 * What a validator costs while nothing happens: processor time and memory of each of four, over a while. Each has a verifier
 * beside it, as after `npm start`. It begins two minutes after the start, when what loading the program took has been given back
 * by all threads: most do so within one, the last in the second.
 */

import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { BenchCase, BenchResult } from "../case.ts";
import { startDevnet } from "../network/our-network.ts";
import { processorSecondsOf } from "../network/processor-time.ts";
import { withScratchFolder } from "../scratch.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly seconds: number;
  readonly settle: number;
  readonly validators: number;
}

const CPU_TARGET = 3;
const MEMORY_TARGET = 250;

export const benchCase: BenchCase<Params> = {
  name: "idle",
  description: "processor time and memory of idle validators (Linux only)",
  sizes: {
    smoke: { seconds: 1, settle: 0, validators: 4 },
    full: { seconds: 30, settle: 120, validators: 4 },
  },
  run: (params) => withScratchFolder((folder) => measure(params, folder)),
};

async function measure({ seconds, settle, validators }: Params, folder: string): Promise<BenchResult> {
  const chain = await startDevnet(folder, validators);
  try {
    await delay(settle * 1000);
    const before = await Promise.all(chain.processes.map(processorSecondsOf));
    const start = performance.now();
    await delay(seconds * 1000);
    const elapsed = (performance.now() - start) / 1000;
    const after = await Promise.all(chain.processes.map(processorSecondsOf));
    const percent = Math.max(...after.map((total, index) => ((total - (before[index] ?? 0)) / elapsed) * 100));
    const megabytes = Math.max(...(await Promise.all(chain.processes.map(residentMegabytes))));
    return {
      measurements: [
        { name: "processor, the busiest", value: percent, unit: "% of a core" },
        { name: "memory, the largest", value: megabytes, unit: "MB" },
      ],
      comparisons: [
        { name: `processor / ${CPU_TARGET}%`, ratio: percent / CPU_TARGET, target: { atMost: 1 } },
        { name: `memory / ${MEMORY_TARGET} MB`, ratio: megabytes / MEMORY_TARGET, target: { atMost: 1 } },
      ],
      agreed: undefined,
    };
  } finally {
    await chain.stop();
  }
}

async function residentMegabytes(pid: number): Promise<number> {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}
