import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../cli/commands.ts";
import { readConfig } from "../../cli/config.ts";
import { runCommandLine } from "../../cli/run.ts";
import { benchmark, standardTasks } from "../../compute/device/benchmark.ts";
import { CpuDevice } from "../../compute/device/cpu-device.ts";
import type { Device } from "../../compute/device/device.ts";

async function run(...words: readonly string[]): Promise<{ code: number; out: string }> {
  const out: string[] = [];
  const terminal = {
    out: (text: string) => out.push(text),
    err: () => undefined,
    signal: new AbortController().signal,
  };
  const code = await runCommandLine(["compute", "bench", ...words], COMMANDS, readConfig({}), terminal);
  return { code, out: out.join("\n") };
}

describe("ogpu compute bench", () => {
  it("measures every task on every device, all with the same results", async () => {
    const { code, out } = await run("--side", "48", "--duration", "3", "--all", "--json");
    expect(code).toBe(0);
    const { devices, same } = JSON.parse(out);
    expect(same).toBe(true);
    for (const { rows, digest } of devices) {
      expect(rows.map(({ task }: { task: string }) => task)).toEqual([
        "gemm f32",
        "gemm int8",
        "memory",
        "SHA-256 search",
      ]);
      for (const { rate } of rows) expect(rate).toBeGreaterThan(0);
      expect(digest).toMatch(/^0x[0-9a-f]{64}$/);
    }
  });

  it("prints rates with their units for people", async () => {
    const { out } = await run("--side", "32", "--duration", "1");
    expect(out).toMatch(/gemm f32 +[0-9.]+ [kMGT]?FLOP\/s/);
    expect(out).toMatch(/memory +[0-9.]+ [kMGT]?B\/s/);
  });

  it("refuses a device that gives other bits each time", async () => {
    const cpu = new CpuDevice(undefined, { threads: 1 });
    let runs = 0;
    const faulty: Device = {
      name: "faulty",
      run: (...given) => cpu.run(...given),
      prepare: (checked, constants) => {
        const prepared = cpu.prepare(checked, constants);
        return {
          async run(...given) {
            const result = await prepared.run(...given);
            if (result.kind === "done") for (const bytes of result.outputs.values()) bytes[0] = runs++;
            return result;
          },
        };
      },
    };
    await expect(benchmark(faulty, standardTasks(16).slice(0, 1), { duration: 1 })).rejects.toMatchObject({
      code: "DEVICE_FAILED",
    });
  });
});
