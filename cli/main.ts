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
const code = await runCommandLine(process.argv.slice(2), COMMANDS, readConfig(), {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  get signal() {
    signal ??= stopSignal();
    return signal;
  },
});
// What was printed goes out first. Then nothing waits for timers that libraries forgot (libp2p has one of a second), nor
// for what is left open after a failure.
for (const output of [process.stdout, process.stderr]) await new Promise((resolve) => output.write("", resolve));
process.exit(code);
