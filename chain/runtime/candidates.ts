/** Which waiting transactions the next block may have, and which of those that a block refused go on waiting. */
import type { CodedError } from "../../base/errors.ts";
import type { ExecutionRules } from "../../vm/execution/rules.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import { MAX_BLOCK_BYTES, MAX_BLOCK_TRANSACTIONS, MAX_HEADER_BYTES } from "../blocks/limits.ts";
import { roomInBlock, type SelectOptions } from "../mempool/select.ts";
import { LEAST_GAS } from "./limits.ts";

/** Rejections that pass: a fee below a base fee that moves, a full block, a nonce whose predecessor was postponed. */
const POSTPONED: readonly string[] = ["TX_FEE_BELOW_BASE_FEE", "TX_GAS_LIMIT_ABOVE_BLOCK", "TX_NONCE_TOO_HIGH"];
/** Each transaction takes up to five bytes of RLP around it. */
const MAX_BODY_BYTES = MAX_BLOCK_BYTES - MAX_HEADER_BYTES - 5 * MAX_BLOCK_TRANSACTIONS;

export interface CandidateRules {
  readonly rules: ExecutionRules;
  readonly gasLimit: bigint;
  readonly baseFee: bigint;
}

/** What a block on this state has room for. */
export function candidateOptions(reader: StateReader, { rules, gasLimit, baseFee }: CandidateRules): SelectOptions {
  const maxCount = Math.min(Number(gasLimit / LEAST_GAS), MAX_BLOCK_TRANSACTIONS);
  const reservedGas = rules.duties?.terms(reader, gasLimit).reservedGas ?? 0n;
  return {
    baseFee,
    ...roomInBlock({ gasLimit, maxBytes: MAX_BODY_BYTES, maxCount }, reservedGas),
    nonceOf: (sender) => reader.account(sender)?.nonce ?? 0n,
  };
}

/** Whether a transaction that was refused for this may be right in a later block. */
export function isPostponed({ code }: CodedError): boolean {
  return POSTPONED.includes(code);
}
