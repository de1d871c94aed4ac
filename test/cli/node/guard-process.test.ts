import { execFile } from "node:child_process";
import { describe, expect, it } from "vitest";

const GUARD = new URL("../../../dist/cli/node/guard-process.js", import.meta.url).href;

function run(bug: string): Promise<{ readonly code: unknown; readonly out: string }> {
  const script = [
    `import { guardProcess } from ${JSON.stringify(GUARD)};`,
    "const log = { error: ({ error }, message) => console.log(message, error.message) };",
    "guardProcess(log);",
    "setInterval(() => {}, 1000);",
    bug,
  ].join("\n");
  return new Promise((resolve) => {
    const args = ["--input-type=module", "--eval", script];
    execFile(process.execPath, args, (error, out) => resolve({ code: error?.code ?? 0, out }));
  });
}

describe("a bug that nobody caught", () => {
  it.each([
    ["in a promise", "void Promise.reject(new Error('lost'));"],
    ["in a callback", "setTimeout(() => { throw new Error('lost'); }, 1);"],
  ])("%s is logged and ends the process with 1", async (_where, bug) => {
    const { code, out } = await run(bug);
    expect(out).toContain("a bug: nobody caught this error, so the node ends lost");
    expect(code).toBe(1);
  });
});
