/** What can go wrong with the database, each with what to do about it. Codes are stable once released. */
import { CodedError } from "../../base/errors.ts";

export type StoreErrorCode =
  /** There is no database in the folder, and none was to be made. */
  | "STORE_MISSING"
  /** Another process has the database open. */
  | "STORE_LOCKED"
  /** The folder holds files that are not ours. */
  | "STORE_FOREIGN_FILES"
  /** Records are missing, unreadable or contradict each other. */
  | "STORE_DAMAGED"
  /** Written by a newer program. */
  | "STORE_NEWER_SCHEMA"
  /** The database of another chain. */
  | "STORE_WRONG_CHAIN"
  /** A state import was interrupted: there is no state to use. */
  | "STORE_IMPORT_UNFINISHED"
  /** The imported leaves are not the state that was announced. */
  | "STORE_IMPORT_INVALID"
  /** Historical state was asked of a database that does not keep it. */
  | "STORE_NO_ARCHIVE"
  /** No block has that number yet. */
  | "STORE_NO_SUCH_BLOCK"
  /** A version of the state that was read for too long: many blocks have been finalised since. */
  | "STORE_STATE_EXPIRED"
  /** The block does not follow the last one. */
  | "STORE_NOT_NEXT"
  /** The disk refused a write; nothing more is written by this process. */
  | "STORE_WRITE_FAILED"
  | "STORE_CLOSED";

export function storeError(
  code: StoreErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): CodedError<StoreErrorCode> {
  return new CodedError(code, message, data);
}

/** Said wherever damage is found: nothing of ours can mend it, and going on would spread it. */
export const DAMAGE_CURE =
  "Run `ogpu audit --repair` with the same --data-dir: it keeps every record that is whole, then checks everything. If that fails, delete the folder and sync again, or restore a backup.";

export function damaged(reason: string, data: Readonly<Record<string, unknown>> = {}): CodedError<StoreErrorCode> {
  return storeError("STORE_DAMAGED", `the database is damaged: ${reason}`, { ...data, hint: DAMAGE_CURE });
}
