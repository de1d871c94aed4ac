/** Why a block, a header or a stored list of receipts is refused. Codes are stable once released. */
import { CodedError } from "../../base/errors.ts";

export type BlockErrorCode =
  /** Bytes that are not the encoding of a header or a block, or a field that has one allowed value and another one. */
  | "BLOCK_MALFORMED"
  /** More bytes, transactions or certificate than a block may have. */
  | "BLOCK_TOO_LARGE"
  /** An extra data version that this program does not know. */
  | "BLOCK_VERSION_UNKNOWN"
  /** The header's parent hash is not the hash of the block before it. */
  | "BLOCK_WRONG_PARENT"
  | "BLOCK_WRONG_NUMBER"
  | "BLOCK_WRONG_GAS_LIMIT"
  | "BLOCK_WRONG_BASE_FEE"
  /** The block is older than its parent. */
  | "BLOCK_TIME_DECREASES"
  /** The epoch, view, validators, reveal or certificate do not follow from the parent. */
  | "BLOCK_WRONG_EPOCH"
  | "BLOCK_WRONG_VIEW"
  | "BLOCK_WRONG_VALIDATORS"
  | "BLOCK_NO_REVEAL"
  /** A certificate of something else than the parent, none where there must be one, or one where there must be none. */
  | "BLOCK_WRONG_CERTIFICATE"
  /** The validators in a seal are not those that its header commits to, or not those that the state says. */
  | "BLOCK_NEXT_VALIDATORS_MISMATCH"
  /** The block contains a transaction that cannot be included. */
  | "BLOCK_TRANSACTION_INVALID"
  | "BLOCK_TRANSACTIONS_ROOT_MISMATCH"
  | "BLOCK_RECEIPTS_ROOT_MISMATCH"
  | "BLOCK_LOGS_BLOOM_MISMATCH"
  | "BLOCK_GAS_USED_MISMATCH"
  | "BLOCK_STATE_ROOT_MISMATCH"
  /** The header names protocol tasks that the block does not have. */
  | "BLOCK_TASK_ROOT_MISMATCH"
  /** Bytes that are not a list of receipts as we store them. */
  | "RECEIPTS_MALFORMED";

export type BlockError = CodedError<BlockErrorCode>;

export function blockError(
  code: BlockErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): BlockError {
  return new CodedError(code, message, data);
}

/** Runs a decoder and turns its RLP errors into `code`; other errors pass. */
export function withRlpErrorsAs<T>(code: BlockErrorCode, what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof CodedError && error.code === "RLP_INVALID") {
      throw blockError(code, `not ${what}: ${error.message}`, error.data);
    }
    throw error;
  }
}
