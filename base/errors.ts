/**
 * Typed, coded errors. Input from users and peers that is wrong becomes a `CodedError`: a stable code that
 * programs match on, a sentence that says what to do, and the facts as data. Our own bugs are caught by
 * `assert`, which nobody is meant to handle.
 */
export class CodedError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: Code, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = "CodedError";
    this.code = code;
    this.data = data;
  }
}

/** True for a coded error, with any of the given codes when codes are given. */
export function isCoded(error: unknown, ...codes: readonly string[]): error is CodedError {
  return error instanceof CodedError && (codes.length === 0 || codes.includes(error.code));
}

/** The code of an error that the system or a library made, such as ENOENT. */
export function systemCodeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Guards an invariant of our own code. Never use it on input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant violated: ${message}`);
}
