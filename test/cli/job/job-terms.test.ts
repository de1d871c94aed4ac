import { expect, it } from "vitest";
import { COMMANDS } from "../../../cli/commands.ts";
import { readConfig } from "../../../cli/config.ts";
import { runCommandLine } from "../../../cli/run.ts";

async function refusal(...words: readonly string[]): Promise<string> {
  const err: string[] = [];
  const code = await runCommandLine(words, COMMANDS, readConfig({}), {
    out: () => undefined,
    err: (text) => err.push(text),
    signal: new AbortController().signal,
  });
  expect(code).toBe(2);
  return err.join("\n");
}

it.each(["quote", "submit"])("ogpu job %s refuses terms that it would ignore", async (name) => {
  const work = ["job", name, "--example", "heat-equation"];
  for (const option of ["--segments", "--bid-seconds", "--job-seconds"]) {
    expect(await refusal(...work, option, "7")).toContain(`${option} is of an auction: give --budget too`);
  }
  expect(await refusal(...work, "--source", "1", "--budget", "1")).toContain("--source is of a pool task");
});

it("refuses a place that is no address", async () => {
  expect(await refusal("job", "submit", "--example", "heat-equation", "--place", "here")).toContain(
    "--place is an address such as http://127.0.0.1:8545, not here",
  );
});
