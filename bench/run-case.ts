/**
 * Runs one case in a process of its own, so that one case's heap and compiled code do not colour the next.
 * This module is both sides: `runCase` starts the process, and the process starts here.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { BenchResult } from "./case.ts";
import { loadCase } from "./find-cases.ts";

export type Size = "smoke" | "full";

/** Rejects when the case throws or its process dies. */
export function runCase(name: string, size: Size): Promise<BenchResult> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [name, size], { execArgv: ["--expose-gc"] });
    let result: BenchResult | undefined;
    child.on("message", (message) => {
      result = message as BenchResult;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (result !== undefined && code === 0) resolve(result);
      else reject(new Error(`case ${name} ended with ${signal ?? `exit code ${code}`}`));
    });
  });
}

async function serve(send: (result: BenchResult) => void): Promise<void> {
  const [name = "", size] = process.argv.slice(2);
  const found = await loadCase(name);
  send(await found.run(size === "full" ? found.sizes.full : found.sizes.smoke));
}

if (process.send !== undefined && process.argv[1] === fileURLToPath(import.meta.url)) {
  const parent = process;
  await serve((result) => {
    // A case may leave workers or databases open; its result is complete, so the process ends here.
    parent.send?.(result, () => process.exit(0));
  });
}
