/** Why a transaction cannot be included. Each reason has one code; the state is untouched by all of them. */
import { CodedError } from "../../base/errors.ts";

export type TransactionErrorCode =
  /** Not the canonical RLP of a transaction, or a field out of range. */
  | "TX_MALFORMED"
  /** An EIP-2718 type this chain does not have (blob transactions are type 3). */
  | "TX_TYPE_UNSUPPORTED"
  /** More bytes than the chain accepts in one transaction. */
  | "TX_TOO_LARGE"
  | "TX_WRONG_CHAIN"
  /** A legacy transaction without EIP-155 replay protection, where the chain wants it. */
  | "TX_UNPROTECTED"
  | "TX_SIGNATURE_INVALID"
  /** s above half the curve's order (EIP-2). */
  | "TX_SIGNATURE_HIGH_S"
  | "TX_NONCE_TOO_LOW"
  | "TX_NONCE_TOO_HIGH"
  /** Nonces end at 2^64 - 2 (EIP-2681). */
  | "TX_NONCE_OVERFLOW"
  | "TX_INSUFFICIENT_FUNDS"
  | "TX_INTRINSIC_GAS_TOO_LOW"
  /** EIP-7623: gas limit below the floor price of the call data. */
  | "TX_CALLDATA_FLOOR_TOO_LOW"
  /** Gas limit times fee does not fit 256 bits. */
  | "TX_FEE_OVERFLOW"
  | "TX_FEE_BELOW_BASE_FEE"
  | "TX_PRIORITY_FEE_ABOVE_MAX_FEE"
  | "TX_GAS_LIMIT_ABOVE_BLOCK"
  /** EIP-7825: more gas than one transaction may ask for. */
  | "TX_GAS_LIMIT_ABOVE_CAP"
  /** EIP-3860 */
  | "TX_INITCODE_TOO_LARGE"
  /** EIP-3607: the sender is a contract. */
  | "TX_SENDER_HAS_CODE";

/**
 * A class of its own: a transaction is rejected for these reasons alone. Any other error while it runs, a damaged
 * record on disk for instance, is this node's trouble and ends the block, or two nodes would disagree about it.
 */
export class TransactionError extends CodedError<TransactionErrorCode> {}

export function transactionError(
  code: TransactionErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): TransactionError {
  return new TransactionError(code, message, data);
}
