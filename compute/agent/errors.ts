/** Every code that agents and their services give. Codes are stable once released. */
import { CodedError } from "../../base/errors.ts";

export type AgentErrorCode =
  /** Text that is no content address: 0x and 64 digits in lower case. */
  | "BLOB_ADDRESS"
  /** Nobody that was asked has it. */
  | "BLOB_ABSENT"
  /** Longer than is allowed, or than the asker wants. */
  | "BLOB_TOO_LARGE"
  /** The bytes are not the ones that the address names. */
  | "BLOB_MISMATCH"
  /** The owner, or the store as a whole, may keep no more. */
  | "BLOB_QUOTA"
  /** A range that the contents do not have, or that cannot be read. */
  | "BLOB_RANGE"
  /** An upload goes on at another place than where it stopped. */
  | "BLOB_OFFSET"
  /** Another upload of the same contents by the same owner is under way. */
  | "BLOB_BUSY"
  /** Who asks may not do that. */
  | "BLOB_REFUSED"
  /** A request that is not of the protocol. */
  | "BLOB_REQUEST"
  /** A place that is no http or https address, or that answers something else than blobs. */
  | "BLOB_PLACE"
  /** An address that others chose and that leads into an internal network. */
  | "PLACE_INTERNAL"
  /** Nobody answers there, or it breaks off. */
  | "PLACE_UNREACHABLE"
  /** The folder belongs to another process, or is damaged. */
  | "BLOB_STORE"
  /** The bytes are no answer to a question for a tile's inputs. */
  | "TILE_MALFORMED"
  /** A proof does not hold against what the worker committed to. */
  | "TILE_UNPROVEN"
  /** What the tile reads is not all there. */
  | "TILE_MISSING"
  /** Who asks holds no seat for that tile. */
  | "TILE_REFUSED"
  /** The worker does not have that round, launch or tile. */
  | "TILE_ABSENT"
  /** Too much is asked for at a time: later. */
  | "TILE_BUSY"
  /** A checkpoint's manifest or contents are not those of its root. */
  | "CHECKPOINT_WRONG"
  /** The journal is damaged before its end. */
  | "JOURNAL_DAMAGED"
  /** Another process has the journal. */
  | "JOURNAL_LOCKED"
  /** The device gives other bits than the reference. */
  | "DEVICE_WRONG"
  /** A job that the operator's policy or this machine refuses. */
  | "JOB_REFUSED"
  /** The queue cannot be reached, or what came through it is not what belongs there. */
  | "QUEUE_FAILED";

export function agentError(
  code: AgentErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): CodedError<AgentErrorCode> {
  return new CodedError<AgentErrorCode>(code, message, data);
}
