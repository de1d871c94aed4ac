import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../cli/commands.ts";
import { readConfig } from "../../cli/config.ts";
import { runCommandLine } from "../../cli/run.ts";

const KERNELS = fileURLToPath(new URL("../compute/ptx/kernels/", import.meta.url));

async function run(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = {
    out: (text: string) => out.push(text),
    err: (text: string) => err.push(text),
    signal: new AbortController().signal,
  };
  const code = await runCommandLine(["compute", ...words], COMMANDS, readConfig({}), terminal);
  return { code, out: out.join("\n"), err: err.join("\n") };
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "compute-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe("ogpu compute check", () => {
  it("says that kernels can be verified, and what they do with their parameters", async () => {
    const { code, out } = await run("check", join(KERNELS, "integer.ptx"));
    expect(code).toBe(0);
    expect(out).toContain("sha256: can be verified");
    expect(out).toContain("histogram_param_2  buffer, add by all");
  });

  it("lists the lines that stand in the way, and exits with 1", async () => {
    const file = join(folder, "bad.ptx");
    const text = await readFile(join(KERNELS, "gemm.ptx"), "utf8");
    await writeFile(file, text.replace("%tid.y", "%clock"));
    const line = text.split("\n").findIndex((at) => at.includes("%tid.y")) + 1;
    const { code, out } = await run("check", file);
    expect(code).toBe(1);
    expect(out).toContain(`line ${line}`);
    const json = await run("check", file, "--json");
    expect(JSON.parse(json.out)).toMatchObject([
      { kernel: "gemm", verifiable: false, problems: [{ code: "PTX_REFUSED", line }] },
    ]);
  });

  it("tells text that is not PTX by code and place", async () => {
    const file = join(folder, "no.ptx");
    await writeFile(file, "hello");
    const { code, err } = await run("check", file);
    expect(code).toBe(1);
    expect(err).toContain("PTX_SYNTAX");
  });
});

describe("ogpu compute run", () => {
  const saxpy = async (n: number, ...more: readonly string[]): Promise<Awaited<ReturnType<typeof run>>> => {
    const floats = (value: number): Uint8Array => new Uint8Array(new Float32Array(100).fill(value).buffer);
    await writeFile(join(folder, "x"), floats(3));
    await writeFile(join(folder, "y"), floats(0.5));
    const launch = ["--ptx", join(KERNELS, "elementwise.ptx"), "--entry", "saxpy", "--grid", "4", "--block", "32"];
    const values = [`i32:${n}`, "f32:2", `x=in:${join(folder, "x")}`, `y=in:${join(folder, "y")}`];
    return run("run", ...launch, ...values.flatMap((value) => ["--arg", value]), "--tile", "y=run:128", ...more);
  };

  it("computes, writes the result and commits to it, the same on both engines", async () => {
    const result = join(folder, "result");
    const compiled = await saxpy(100, "--out", `y=${result}`, "--json");
    expect(compiled.code).toBe(0);
    const bytes = new Uint8Array(await readFile(result));
    expect([...new Float32Array(bytes.buffer)]).toEqual(new Array(100).fill(6.5));
    const checked = await saxpy(100, "--checked", "--json");
    expect(JSON.parse(checked.out)).toEqual(JSON.parse(compiled.out));
  });

  it("tells a trap with its line and exits with 1", async () => {
    const { code, out } = await saxpy(101, "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ outcome: "trap", reason: "OUT_OF_BOUNDS", launch: 0, tile: 3 });
  });

  it("refuses words that it does not understand with exit code 2", async () => {
    expect((await saxpy(100, "--arg", "i99:1")).code).toBe(2);
    expect((await saxpy(100, "--tile", "y=diagonal")).code).toBe(2);
    expect((await saxpy(100, "--out", "nothing")).code).toBe(2);
  });
});
