import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../cli/commands.ts";
import { readConfig } from "../../cli/config.ts";
import { runCommandLine } from "../../cli/run.ts";
import { STANDARD_KERNELS } from "../../compute/kernels/standard-kernels.ts";
import { buildStandIn } from "../native/stand-in.ts";

async function run(...words: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  const out: string[] = [];
  const terminal = {
    ...{ out: (text: string) => out.push(text), err: (text: string) => out.push(text) },
    signal: new AbortController().signal,
  };
  const code = await runCommandLine(["compute", "selftest", ...words], COMMANDS, readConfig({}), terminal);
  return { code, out: out.join("\n") };
}

describe("ogpu compute selftest", () => {
  it("compares every kernel on every device, and says why there is no GPU", async () => {
    const { code, out } = await run("--cuda-library", "/nowhere/libcuda.so.1");
    expect(code).toBe(0);
    for (const kernel of STANDARD_KERNELS) expect(out).toContain(`\n${kernel} `);
    expect(out).toMatch(/no GPU|WebAssembly/);
    expect(out).not.toContain("DIFFERS");
  });

  const library = buildStandIn();
  it.runIf(library !== undefined)("tests GPUs that the driver knows", async () => {
    const { code, out } = await run("--cuda-library", library ?? "", "--json");
    expect(code).toBe(0);
    const { devices } = JSON.parse(out) as {
      devices: readonly { device: string; rows: readonly { same: boolean }[] }[];
    };
    expect(devices.map(({ device }) => device)).toContain("CUDA 1: emulator (no GPU)");
    expect(devices.every(({ rows }) => rows.every(({ same }) => same))).toBe(true);
  });
});
