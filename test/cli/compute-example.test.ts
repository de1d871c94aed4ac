import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PNG } from "pngjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../cli/commands.ts";
import { readConfig } from "../../cli/config.ts";
import { runCommandLine } from "../../cli/run.ts";
import { EXAMPLES } from "../../compute/examples/examples.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "example-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function run(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    out: (text: string) => out.push(text),
    err: (text: string) => err.push(text),
    signal: new AbortController().signal,
  };
  const code = await runCommandLine(["compute", "example", ...words], COMMANDS, readConfig({}), terminal);
  return { code, out: out.join("\n"), err: err.join("\n") };
}

describe("ogpu compute example", () => {
  it("lists all of them", async () => {
    const { code, out } = await run();
    expect(code).toBe(0);
    for (const { name } of EXAMPLES) expect(out).toContain(name);
  });

  it.each([
    ["sha256-search", "2", "1", "leading zero bits"],
    ["n-body", "70", "3", "kinetic energy"],
    ["heat-equation", "20", "5", "mean temperature"],
    ["monte-carlo", "4", "8", "error"],
    ["histogram-sort", "3000", "1", "median"],
    ["image-filter", "40", "1", "bytes changed"],
    ["mlp-training", "4", "2", "loss in epoch 2"],
  ])("runs %s and says what came out", async (name, size, steps, fact) => {
    const { code, out } = await run(name, "--size", size, "--steps", steps, "--json", "--commit");
    expect(code).toBe(0);
    const value = JSON.parse(out);
    expect(value).toMatchObject({ outcome: "done", commitment: expect.stringMatching(/^0x/) });
    expect(value.facts).toHaveProperty([fact]);
  });

  it("finds pi within four standard deviations", async () => {
    const { facts } = JSON.parse((await run("monte-carlo", "--size", "8", "--json")).out);
    expect(Number(facts.error)).toBeLessThan(4 * Number(facts["standard deviation"]));
  });

  it("writes pictures, and filters those that it is given", async () => {
    const [plate, edges] = [join(folder, "plate.png"), join(folder, "edges.png")];
    expect((await run("heat-equation", "--size", "24", "--steps", "4", "--out", plate)).code).toBe(0);
    expect((await run("image-filter", "--input", plate, "--filter", "edges", "--out", edges)).code).toBe(0);
    const image = PNG.sync.read(await readFile(edges));
    expect([image.width, image.height]).toEqual([24, 24]);
    expect(new Set(image.data).size).toBeGreaterThan(2);
  });

  it.each([
    ["an example that is none", ["n-bodies"]],
    ["more than the most", ["n-body", "--size", "9999999"]],
    ["a picture of what makes none", ["monte-carlo", "--size", "1", "--steps", "1", "--out", "x.png"]],
    ["a filter that is none", ["image-filter", "--filter", "magic"]],
    ["an image for what takes none", ["n-body", "--input", "x.png"]],
  ])("refuses %s with exit code 2", async (_, words) => {
    expect((await run(...words)).code).toBe(2);
  });
});
