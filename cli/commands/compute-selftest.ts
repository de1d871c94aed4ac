import { findDevices } from "../../compute/device/find-devices.ts";
import { type SelfTestRow, selfTest } from "../../compute/device/self-test.ts";
import { type Command, defineCommand } from "../command.ts";
import { columns } from "../table.ts";

export const computeSelftest: Command = defineCommand({
  name: "selftest",
  summary: "Say whether every device of this machine computes the standard kernels to the bit",
  details:
    "Runs each standard kernel on the processor (with and without FMA, and in WebAssembly) and on every GPU, over edges and " +
    "random bits, and compares the results with the engine that defines them. Exit code 1 when a device differs: it " +
    "must not take jobs.",
  options: {
    cudaLibrary: { type: "string", placeholder: "file", description: "another driver library than libcuda.so.1" },
  },
  examples: [{ command: "ogpu compute selftest", description: "a table of all devices and kernels" }],
  async run({ options: { cudaLibrary } }, { report }) {
    const { devices, notices } = findDevices({
      allVariants: true,
      ...(cudaLibrary === undefined ? {} : { cudaLibrary }),
    });
    const results: { readonly device: string; readonly rows: readonly SelfTestRow[] }[] = [];
    for (const device of devices) {
      const rows: SelfTestRow[] = [];
      for await (const row of selfTest(device)) rows.push(row);
      results.push({ device: device.name, rows });
    }
    const kernels = results[0]?.rows.map(({ kernel }) => kernel) ?? [];
    const table = columns(
      ["kernel", ...results.map(({ device }) => device)],
      kernels.map((kernel, i) => [kernel, ...results.map(({ rows }) => cellOf(rows[i]))]),
    );
    report({ devices: results, notices }, [table, ...notices].join("\n"));
    return results.every(({ rows }) => rows.every(({ same }) => same)) ? 0 : 1;
  },
});

function cellOf(row: SelfTestRow | undefined): string {
  if (row?.same === true) return `same bits, ${row.milliseconds.toFixed(1)} ms`;
  return row?.problem ?? "DIFFERS";
}
