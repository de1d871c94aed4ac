import { type Benchmark, type BenchmarkTask, benchmark, standardTasks } from "../../compute/device/benchmark.ts";
import { findDevices } from "../../compute/device/find-devices.ts";
import { sha256SearchProgram } from "../../compute/examples/sha256-search.ts";
import { type Command, defineCommand } from "../command.ts";
import { columns } from "../table.ts";

/** One block for 16 rows of a matrix, of 128 threads that try 4 numbers each. */
function searchTask(side: number): BenchmarkTask {
  const blocks = Math.ceil(side / 16);
  return {
    ...{ name: "SHA-256 search", unit: "H/s", work: blocks * 128 * 4 },
    program: sha256SearchProgram({ first: 0n, blocks, tries: 4 }),
    inputs: new Map([["seed", new Uint8Array(32)]]),
  };
}

export const computeBench: Command = defineCommand({
  name: "bench",
  summary: "Measure this machine's devices: what a provider registers",
  details:
    "Products of matrices in floats and in bytes, a SHA-256 search, and memory, as programs like any others, so with tiles " +
    "and exact to the bit. The digest is the hash of the programs, of what they gave, and of the rates. Leave the machine " +
    "alone meanwhile.",
  options: {
    side: {
      type: "integer",
      placeholder: "number",
      description: "rows of a matrix",
      default: 1024,
      min: 16,
      max: 8192,
    },
    duration: { type: "integer", placeholder: "ms", description: "of each task", default: 1000, min: 1, max: 600_000 },
    all: { type: "flag", description: "also the processor's slower forms and WebAssembly" },
    cudaLibrary: { type: "string", placeholder: "file", description: "another driver library than libcuda.so.1" },
  },
  examples: [
    { command: "ogpu compute bench", description: "the processor and every GPU" },
    { command: "ogpu compute bench --json", description: "for the registration of a provider" },
  ],
  async run({ options: { side, duration, all, cudaLibrary } }, { report, bar, signal }) {
    const { devices, notices } = findDevices({
      allVariants: all,
      ...(cudaLibrary === undefined ? {} : { cudaLibrary }),
    });
    const tasks = [...standardTasks(side), searchTask(side)];
    const results: Benchmark[] = [];
    for (const device of devices) {
      const onTask = (task: string): void => bar(`${device.name}: ${task}`);
      try {
        results.push(await benchmark(device, tasks, { duration, signal, onTask }));
      } finally {
        bar("");
      }
    }
    const same = tasks.every((_, i) => new Set(results.map(({ rows }) => rows[i]?.result)).size <= 1);
    const table = columns(
      ["", ...results.map(({ device }) => device)],
      [
        ...tasks.map(({ name }, i) => [name, ...results.map(({ rows }) => rateText(rows[i]?.rate, rows[i]?.unit))]),
        ["digest", ...results.map(({ digest }) => digest)],
      ],
    );
    const verdict = same ? [] : ["The devices DIFFER in their results: see ogpu compute selftest."];
    report({ devices: results, same, notices }, [table, ...verdict, ...notices].join("\n"));
    return same ? 0 : 1;
  },
});

const PREFIXES = ["", "k", "M", "G", "T", "P"];

function rateText(rate = 0, unit = ""): string {
  const step = Math.max(0, Math.min(PREFIXES.length - 1, Math.floor(Math.log10(Math.max(rate, 1)) / 3)));
  return `${(rate / 1000 ** step).toFixed(2)} ${PREFIXES[step]}${unit}`;
}
