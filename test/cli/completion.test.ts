import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "./sample.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ogpu-completion-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function has(shell: string): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

async function script(shell: string): Promise<string> {
  const { code, out } = await run(`completion ${shell}`);
  expect(code).toBe(0);
  const path = join(folder, `script.${shell}`);
  writeFileSync(path, `${out}\n`);
  return path;
}

function answers(shell: string, program: string): readonly string[] {
  const { stdout, stderr, status } = spawnSync(shell, ["-c", program], { encoding: "utf8", cwd: folder });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.split("\n").filter((line) => line !== "");
}

describe("ogpu completion bash", () => {
  const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
    const path = await script("bash");
    const quoted = ["ogpu", ...words].map((word) => `'${word}'`).join(" ");
    return answers(
      "bash",
      `source ${path}; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _ogpu; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
  };

  it.each([
    [["th"], ["thing"]],
    [
      ["thing", ""],
      ["create", "strict"],
    ],
    [["thing", "create", "--n"], ["--network"]],
    [
      ["thing", "create", "--network", ""],
      ["devnet", "testnet"],
    ],
    [["thing", "create", "--count", "3", "--fo"], ["--force"]],
    [
      ["thing", "strict", "--"],
      ["--key", "--at", "--json", "--help"],
    ],
    [
      ["helper", ""],
      ["work", "rest"],
    ],
    [["helper", "--ho"], ["--hours"]],
    [["helper", "rest", "--ho"], []],
    [["zzz"], []],
  ])("after ogpu %j offers %j", async (words, offered) => {
    expect(await complete(...words)).toEqual(offered);
  });

  it("offers files and folders where those are meant", async () => {
    writeFileSync(join(folder, "a file.txt"), "");
    expect(await complete("thing", "create", "a")).toEqual(["a file.txt"]);
    expect(await complete("thing", "create", "--data-folder", "a")).toEqual([]);
  });
});

describe("scripts for other shells", () => {
  it.skipIf(!has("zsh"))("zsh reads its script without complaint", async () => {
    expect(
      answers("zsh", `autoload -Uz compinit && compinit -u -d ${folder}/dump && source ${await script("zsh")}`),
    ).toEqual([]);
    const path = await script("zsh");
    expect(spawnSync("zsh", ["-n", path], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  });

  it.skipIf(!has("fish"))("fish completes commands, options and values by its script", async () => {
    const path = await script("fish");
    const complete = (line: string): readonly string[] =>
      answers("fish", `source ${path}; complete -C ${JSON.stringify(line)}`).map((each) => each.split("\t")[0] ?? "");
    expect(complete("ogpu th")).toEqual(["thing"]);
    expect(complete("ogpu thing ")).toEqual(["create", "strict"]);
    expect(complete("ogpu thing create --net")).toEqual(["--network"]);
    expect(complete("ogpu thing create --network ")).toEqual(["devnet", "testnet"]);
  });

  it("a shell that is not known is refused with those that are", async () => {
    expect(await run("completion zhs")).toMatchObject({ code: 2, err: expect.stringContaining("did you mean zsh?") });
  });
});
