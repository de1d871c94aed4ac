/** Errors in the form of JSON-RPC 2.0 (section 5.1), with the texts that Ethereum's wallets and libraries look for. */
import { CodedError } from "../base/errors.ts";

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;
/** Ethereum's "server error": the request was understood and refused. */
export const REFUSED = -32_000;
/** EIP-1474's, at which libraries wait and try again. */
export const LIMIT_EXCEEDED = -32_005;
/** Ethereum's "execution error" of a call that reverted; its data is the revert data. */
export const EXECUTION_REVERTED = 3;
/** Ethereum's "pruned history unavailable" (EIP-4444). */
export const PRUNED = 4444;

export interface RpcErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export class RpcError extends Error {
  readonly body: RpcErrorBody;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.body = { code, message, ...(data !== undefined && { data }) };
  }
}

export function invalidParams(message: string): RpcError {
  return new RpcError(INVALID_PARAMS, message);
}

/** Ethereum clients agree on these words, and libraries tell errors apart by them. Our own sentence follows. */
const KNOWN_TEXTS: Readonly<Record<string, string>> = {
  MEMPOOL_KNOWN: "already known",
  MEMPOOL_UNDERPRICED: "replacement transaction underpriced",
  MEMPOOL_NONCE_TOO_LOW: "nonce too low",
  MEMPOOL_NONCE_TOO_FAR: "nonce too high",
  MEMPOOL_FULL: "txpool is full",
  MEMPOOL_SENDER_FULL: "account limit exceeded",
  MEMPOOL_INSUFFICIENT_FUNDS: "insufficient funds for gas * price + value",
  TX_NONCE_TOO_LOW: "nonce too low",
  TX_NONCE_TOO_HIGH: "nonce too high",
  TX_NONCE_OVERFLOW: "nonce has max value",
  TX_INSUFFICIENT_FUNDS: "insufficient funds for gas * price + value",
  TX_INTRINSIC_GAS_TOO_LOW: "intrinsic gas too low",
  TX_CALLDATA_FLOOR_TOO_LOW: "intrinsic gas too low",
  TX_FEE_BELOW_BASE_FEE: "max fee per gas less than block base fee",
  TX_PRIORITY_FEE_ABOVE_MAX_FEE: "max priority fee per gas higher than max fee per gas",
  TX_GAS_LIMIT_ABOVE_BLOCK: "exceeds block gas limit",
  TX_GAS_LIMIT_ABOVE_CAP: "transaction gas limit too high",
  TX_INITCODE_TOO_LARGE: "max initcode size exceeded",
  TX_SENDER_HAS_CODE: "sender not an eoa",
  TX_SIGNATURE_INVALID: "invalid sender",
  TX_SIGNATURE_HIGH_S: "invalid sender",
  TX_TOO_LARGE: "oversized data",
  TX_TYPE_UNSUPPORTED: "transaction type not supported",
  TX_UNPROTECTED: "only replay-protected (EIP-155) transactions allowed",
  TX_WRONG_CHAIN: "invalid chain id for signer",
};

/** How any failure of a method is told. `undefined`: it is a bug of ours, and its details are not the caller's. */
export function describeError(error: unknown): RpcErrorBody | undefined {
  if (error instanceof RpcError) return error.body;
  if (!(error instanceof CodedError)) return undefined;
  const known = KNOWN_TEXTS[error.code];
  const message = known === undefined ? error.message : `${known}: ${error.message}`;
  return { code: REFUSED, message, data: { code: error.code, ...plainData(error.data) } };
}

/** JSON has no bigint and no bytes: the first become decimal text, the second stay out. */
function plainData(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(data).filter(([, value]) => typeof value !== "object");
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "bigint" ? value.toString() : value]),
  );
}
