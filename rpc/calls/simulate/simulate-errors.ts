/** The codes of eth_simulateV1 in Ethereum's execution API. */
import { isCoded } from "../../../base/errors.ts";
import { describeError, RpcError } from "../../rpc-error.ts";

export const NUMBER_NOT_LATER = -38_020;
export const TIME_NOT_LATER = -38_021;
export const BLOCK_GAS_EXCEEDED = -38_015;
export const TOO_MANY_BLOCKS = -38_026;
export const EXECUTION_FAILED = -32_015;

const CODES: Readonly<Record<string, number>> = {
  TX_NONCE_TOO_LOW: -38_010,
  TX_NONCE_TOO_HIGH: -38_011,
  TX_FEE_BELOW_BASE_FEE: -38_012,
  TX_INTRINSIC_GAS_TOO_LOW: -38_013,
  TX_CALLDATA_FLOOR_TOO_LOW: -38_013,
  TX_INSUFFICIENT_FUNDS: -38_014,
  TX_GAS_LIMIT_ABOVE_BLOCK: BLOCK_GAS_EXCEEDED,
  TX_INITCODE_TOO_LARGE: -38_025,
};

/** The same error with the code that the method has for it. */
export function simulateError(error: unknown): unknown {
  if (!isCoded(error, ...Object.keys(CODES))) return error;
  const body = describeError(error);
  return body === undefined ? error : new RpcError(CODES[error.code] ?? body.code, body.message, body.data);
}
