#!/usr/bin/env node
/** The `ogpu` program: connects the command line to the process it runs in. */
import { COMMANDS } from "./commands.ts";
import { readConfig } from "./config.ts";
import { runCommandLine } from "./run.ts";
import { styleFor } from "./style.ts";

/** Milliseconds in which more signals are the same wish: npm passes a Ctrl-C on that the terminal has sent already. */
const SAME_WISH = 500;

/**
 * Aborted at the first SIGINT or SIGTERM. Made when a command asks for it, because listening takes away the
 * system's own handling: a command that never asks still ends at once. So does a second signal.
 */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const signals = ["SIGINT", "SIGTERM"] as const;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) return;
    stop.abort(new Error(`received ${signal}`));
    const leave = (): void => {
      for (const each of signals) process.off(each, onSignal);
    };
    setTimeout(leave, SAME_WISH).unref();
  };
  for (const each of signals) process.on(each, onSignal);
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
const config = readConfig();
const code = await runCommandLine(process.argv.slice(2), COMMANDS, config, {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  // To the first column, and what stood there is cleared.
  ...(process.stderr.isTTY ? { bar: (text: string) => process.stderr.write(`\r\x1b[K${text}`) } : {}),
  outStyle: styleFor(config.variable, process.stdout.isTTY),
  errStyle: styleFor(config.variable, process.stderr.isTTY),
  get signal() {
    signal ??= stopSignal();
    return signal;
  },
});
// What was printed goes out first. Then nothing waits for timers that libraries forgot (libp2p has one of a second), nor
// for what is left open after a failure.
for (const output of [process.stdout, process.stderr]) await new Promise((resolve) => output.write("", resolve));
process.exit(code);
