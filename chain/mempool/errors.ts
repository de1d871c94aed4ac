import { CodedError } from "../../base/errors.ts";

export type MempoolErrorCode =
  /** The same transaction waits already. */
  | "MEMPOOL_KNOWN"
  /** Another transaction of the sender waits with this nonce, and this one does not offer enough to replace it. */
  | "MEMPOOL_UNDERPRICED"
  | "MEMPOOL_NONCE_TOO_LOW"
  /** Too far ahead of the first nonce that is missing. */
  | "MEMPOOL_NONCE_TOO_FAR"
  /** There is no room, and nothing that waits is worth less. */
  | "MEMPOOL_FULL"
  /** The sender has as much waiting as one may. */
  | "MEMPOOL_SENDER_FULL"
  /** The balance does not cover it, or too much waits that the balance does not cover. */
  | "MEMPOOL_INSUFFICIENT_FUNDS";

export function refusal(
  code: MempoolErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): CodedError<MempoolErrorCode> {
  return new CodedError(code, message, data);
}
