/** How a failure is told: a code for programs, a sentence for people, and what to do next. */
import { CodedError } from "../base/errors.ts";
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

/** Faults of the machine that Node.js reports by such codes, and their usual cure. */
const SYSTEM_HINTS: Readonly<Record<string, string>> = {
  EACCES: "Check who owns that path, or choose another one.",
  EADDRINUSE: "Another program uses that port: stop it, or choose another port.",
  ENOENT: "Check the path.",
  ENOSPC: "The disk is full: free some space and try again.",
};

/** A CodedError's `data.hint` is taken as what to do next. */
export function describeFailure(error: unknown): Failure {
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
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const systemHint = typeof code === "string" ? SYSTEM_HINTS[code] : undefined;
  if (typeof code === "string" && systemHint !== undefined) {
    return { code, message, hint: systemHint, data: {}, exitCode: 1 };
  }
  const hint = "This is a bug in ogpu. Run it again with OGPU_DEBUG=1 and report what it prints.";
  return { code: "INTERNAL", message, hint, data: {}, exitCode: 1 };
}
