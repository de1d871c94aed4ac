/** What can go wrong while a node catches up. Codes are stable once released. */
import { CodedError } from "../../base/errors.ts";

export type SyncErrorCode =
  /** What a peer sent is not what it should be: malformed, without proof, or signed by nobody. */
  | "SYNC_INVALID"
  /** The chain spec or the checkpoint is too old to be trusted without somebody's word. */
  | "SYNC_TRUST_EXPIRED"
  /** The checkpoint is not on the chain that the peers have. */
  | "SYNC_CHECKPOINT_UNKNOWN"
  /** The import of a fetched state failed. */
  | "SYNC_IMPORT_FAILED"
  | "SYNC_STOPPED";

export function syncError(
  code: SyncErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): CodedError<SyncErrorCode> {
  return new CodedError(code, message, data);
}

/** For everything that a peer answers for. */
export function invalid(message: string, data: Readonly<Record<string, unknown>> = {}): CodedError<SyncErrorCode> {
  return syncError("SYNC_INVALID", message, data);
}
