/**
 * Money is neither made nor lost: after every transaction, the balances it touched have changed by exactly what
 * was minted less what was burned. The state counts both sides as they happen, so the check costs one
 * comparison, and when it fails the touched balances name the culprit.
 */
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import type { Address } from "../state/account.ts";
import type { WorkingState } from "../state/working-state.ts";

export interface ConservationViolation {
  readonly transaction: Hex;
  /** Wei that appeared (positive) or vanished (negative). */
  readonly surplus: bigint;
  readonly changes: readonly { readonly address: Address; readonly change: bigint }[];
}

export function findViolation(state: WorkingState, transaction: Uint8Array): ConservationViolation | undefined {
  const surplus = state.balanceDelta - (state.minted - state.burned);
  if (surplus === 0n) return undefined;
  return { transaction: bytesToHex(transaction), surplus, changes: state.balanceChangesSince(0) };
}
