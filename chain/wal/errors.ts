/** What can go wrong with the consensus log, each with what to do about it. Codes are stable once released. */
import { CodedError } from "../../base/errors.ts";

export type WalErrorCode =
  /** There is no log in the folder: the disk may have been lost, and with it what was signed. */
  | "WAL_MISSING"
  /** A log is there already; making a new one would forget what was signed. */
  | "WAL_EXISTS"
  /** Another process has the folder open. */
  | "WAL_LOCKED"
  /** The log was changed after it was written. Cutting it off would forget votes. */
  | "WAL_DAMAGED"
  /** Written by a newer program. */
  | "WAL_NEWER_FORMAT"
  /** The log of another chain. */
  | "WAL_WRONG_CHAIN"
  /** The log of another validator. */
  | "WAL_WRONG_VALIDATOR"
  /** A validator's key, but the log of a node that followed and signed nothing. */
  | "WAL_OF_FOLLOWER"
  /** Its guard was exported: another machine may sign now. */
  | "WAL_RETIRED"
  /** The disk refused a write or a sync; nothing more is written by this process. */
  | "WAL_WRITE_FAILED"
  /** The disk is so slow that more waits for it than may. */
  | "WAL_OVERLOADED"
  /** Not the file that an export wrote. */
  | "GUARD_INVALID";

export function walError(
  code: WalErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): CodedError<WalErrorCode> {
  return new CodedError(code, message, data);
}

export function damaged(reason: string, data: Readonly<Record<string, unknown>> = {}): CodedError<WalErrorCode> {
  return walError("WAL_DAMAGED", `the consensus log is damaged: ${reason}`, {
    ...data,
    hint: "It says what this validator has signed, and cannot be made again. Restore the disk, or rotate to a new validator key. Never sign with the old key without it.",
  });
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
