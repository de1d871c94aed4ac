#!/usr/bin/env node
/** The `ogpu` program: connects the command line to the process it runs in. */
import { COMMANDS } from "./commands.ts";
import { readConfig } from "./config.ts";
import { runCommandLine } from "./run.ts";

/**
 * Aborted at the first SIGINT or SIGTERM. Made when a command asks for it, because listening takes away the
 * system's own handling: a command that never asks still ends at once. So does the second signal.
 */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stop.abort(new Error(`received ${signal}`)));
  }
  return stop.signal;
}

// A reader such as `head` may close the pipe early; that is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

// Nobody reads what goes wrong: no reason to end, and nobody to tell.
process.stderr.on("error", () => undefined);

let signal: AbortSignal | undefined;
process.exitCode = await runCommandLine(process.argv.slice(2), COMMANDS, readConfig(), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  get signal() {
    signal ??= stopSignal();
    return signal;
  },
});
