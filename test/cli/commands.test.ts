import { describe, expect, it } from "vitest";
import { type Command, isGroup } from "../../cli/command.ts";
import { COMMANDS } from "../../cli/commands.ts";
import { readConfig } from "../../cli/config.ts";
import { runCommandLine } from "../../cli/run.ts";
import manifest from "../../package.json" with { type: "json" };

async function run(...words: readonly string[]): Promise<{ code: number; out: string }> {
  const out: string[] = [];
  const terminal = { out: (text: string) => out.push(text), err: () => {}, signal: new AbortController().signal };
  return { code: await runCommandLine(words, COMMANDS, readConfig({}), terminal), out: out.join("\n") };
}

const listed = COMMANDS.flatMap((section) => section.entries);
const entries = await Promise.all(listed.map((entry) => entry.load()));
const commands: readonly (readonly [path: string, command: Command])[] = entries.flatMap((entry) =>
  isGroup(entry)
    ? entry.commands.map((command) => [`${entry.name} ${command.name}`, command] as const)
    : [[entry.name, entry] as const],
);

describe("every command of ogpu", () => {
  it("is listed as it describes itself", () => {
    const facts = ({ name, summary }: { name: string; summary: string }): string => `${name}: ${summary}`;
    expect(listed.map(facts)).toEqual(entries.map(facts));
  });

  it("has a name of its own", () => {
    const paths = commands.map(([path]) => path);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it("that a group's word stands for is one of the group, without arguments", () => {
    for (const entry of entries) {
      if (!isGroup(entry) || entry.alone === undefined) continue;
      expect(entry.commands).toContain(entry.alone);
      expect(entry.alone.args ?? []).toEqual([]);
    }
  });

  it.each(commands)("ogpu %s has help, a one-line summary, and examples that call it", async (path, command) => {
    expect(command.summary).toMatch(/^[A-Z][^\n]*[^.]$/);
    const { code, out } = await run(...path.split(" "), "--help");
    expect(code).toBe(0);
    expect(out).toContain(`Usage: ogpu ${path}`);
    // Before the usage is running text; the tables after it are as wide as they need.
    for (const line of out.slice(0, out.indexOf("Usage:")).split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    for (const example of command.examples ?? []) expect(example.command).toContain(`ogpu ${path}`);
  });

  it.each(commands)("ogpu %s declares options that do not collide", (_path, { options = {}, args = [] }) => {
    for (const name of Object.keys(options)) {
      expect(["json", "help"]).not.toContain(name);
      expect(name).toMatch(/^[a-z][a-zA-Z0-9]*$/);
    }
    const letters = Object.values(options).flatMap(({ short }) => short ?? []);
    expect(new Set([...letters, "h"]).size).toBe(letters.length + 1);
    // After an optional argument none can be required; after one that takes all, none can follow.
    const firstOptional = args.findIndex(({ optional }) => optional);
    const rest = firstOptional < 0 ? [] : args.slice(firstOptional);
    expect(rest.every(({ optional }) => optional)).toBe(true);
    expect(args.slice(0, -1).every(({ many }) => many === undefined)).toBe(true);
  });
});

describe("ogpu version", () => {
  it("prints the version in package.json", async () => {
    for (const words of [["version"], ["--version"], ["-v"]]) {
      expect((await run(...words)).out).toContain(`ogpu ${manifest.version} `);
    }
    expect(JSON.parse((await run("version", "--json")).out)).toMatchObject({
      ogpu: manifest.version,
      node: process.versions.node,
    });
  });
});
