/** How a failure is told: a code for programs, a sentence for people, and what to do next. */
import { CodedError, systemCodeOf } from "../base/errors.ts";
import type { ExitCode } from "./command.ts";

export interface Failure {
  readonly code: string;
  readonly message: string;
  /** What to do next. */
  readonly hint?: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly exitCode: ExitCode;
}

const USAGE = "USAGE";

/** The command was called wrongly: exit code 2. */
export function usageError(message: string, hint: string): CodedError<typeof USAGE> {
  return new CodedError(USAGE, message, { hint });
}

/**
 * Reads a value that was given as `name`, an option or argument of `path`. What is wrong with it is wrong usage, and
 * is told with the name.
 */
export function readValue<Value>(name: string, text: string, path: string, read: (text: string) => Value): Value {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const { hint } = error.data;
    throw usageError(`${name} ${text}: ${error.message}`, typeof hint === "string" ? hint : `See: ${path} --help`);
  }
}

/** Faults of the machine that Node.js reports by such codes, and their usual cure. */
const SYSTEM_HINTS: Readonly<Record<string, string>> = {
  EACCES: "Check who owns that path, or choose another one.",
  EADDRINUSE: "Another program uses that port: stop it, or choose another port.",
  EADDRNOTAVAIL: "This machine does not have that address: choose one of its own, such as 127.0.0.1.",
  EEXIST: "Something has that name already: choose another path.",
  EISDIR: "That is a folder: name a file.",
  EMFILE: "Too many files are open: raise the limit (ulimit -n), or close other programs.",
  ENOENT: "Check the path.",
  ENOSPC: "The disk is full: free some space and try again.",
  ENOTDIR: "A part of that path is a file: check the path.",
  ENOTFOUND: "No machine has that name: check it.",
  EPERM: "The system does not allow that: check who owns the path, or choose another one.",
  EROFS: "That disk cannot be written: choose another path.",
};

function systemHintOf(error: unknown): string | undefined {
  const code = systemCodeOf(error) ?? "";
  const isPort = error instanceof Error && "syscall" in error && error.syscall === "listen";
  if (isPort && (code === "EACCES" || code === "EPERM")) {
    return "The system does not let you listen on that port: choose one above 1023.";
  }
  return SYSTEM_HINTS[code];
}

/** A coded error among the causes of what viem throws, or the thing itself. */
export function codedCause(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof CodedError) return cause;
  }
  return error;
}

/** A CodedError's `data.hint` is taken as what to do next, also where a library has wrapped it. */
export function describeFailure(thrown: unknown): Failure {
  const error = codedCause(thrown);
  if (error instanceof CodedError) {
    const { hint, ...data } = error.data;
    return {
      code: error.code,
      message: error.message,
      ...(typeof hint === "string" && { hint }),
      data,
      exitCode: error.code === USAGE ? 2 : 1,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  const code = systemCodeOf(error);
  const systemHint = systemHintOf(error);
  if (code !== undefined && systemHint !== undefined) {
    // Node.js begins its message with the code, which is told already.
    const told = message.startsWith(`${code}: `) ? message.slice(code.length + 2) : message;
    return { code, message: told, hint: systemHint, data: {}, exitCode: 1 };
  }
  const hint = "This is a bug in ogpu. Run it again with OGPU_DEBUG=1 and report what it prints.";
  return { code: "INTERNAL", message, hint, data: {}, exitCode: 1 };
}
