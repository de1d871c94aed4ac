/** What went wrong, and the one thing to do next. */
export class SetupError extends Error {
  constructor(message, next) {
    super(message);
    this.next = next;
  }
}

/** Failures that have the same cure whichever step meets them; `undefined` for the rest. */
export function commonFailure(output) {
  if (/ENOSPC|no space left/i.test(output)) {
    return new SetupError(
      "the disk is full.",
      "Free about 1 GB where this checkout lies and run the same command again.",
    );
  }
  if (/EACCES|EPERM|EROFS/.test(output)) {
    return new SetupError(
      "a file in this checkout cannot be written.",
      "Give yourself write access to the checkout (its node_modules and dist too) and run the same command again.",
    );
  }
  return undefined;
}
