import { isCoded } from "../../base/errors.ts";

/** With its stack if it is a bug; a coded error says by itself what is the matter. */
export function describeError(error: unknown): string {
  if (isCoded(error)) return `${error.code} ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
