/** Errors of whatever lies under a working state: a damaged record, a database that is closed. Remembered, not wrapped. */
const failures = new WeakSet<object>();

/** Gives the error back. From then on it is known to say something of this machine alone. */
export function noteFailure(error: unknown): unknown {
  if (typeof error === "object" && error !== null) failures.add(error);
  return error;
}

export function isReadFailure(error: object): boolean {
  return failures.has(error);
}
