import { CodedError } from "../../../base/errors.ts";

/** The code of the coded error that `run` throws, `undefined` when it returns; any other error goes through. */
export function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof CodedError) return error.code;
    throw error;
  }
}
