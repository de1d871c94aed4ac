/**
 * Two lanes in a block: part of its gas is kept for those whose turn it is, at a price that no rush can raise, so that
 * filling blocks cannot silence them. Which lane a transaction takes is decided on the state that it executes on, by
 * the proposer and everybody else alike. docs/spec/execution.md, "Reserved gas".
 */
import type { Hex } from "../../base/bytes.ts";
import type { Address } from "../state/account.ts";
import type { StateReader } from "../state/reader.ts";
import { WorkingState } from "../state/working-state.ts";
import type { UnsignedTransaction } from "../transaction/transaction.ts";
import type { BlockEnvironment } from "./environment.ts";
import type { GasTerms } from "./fees.ts";

/** A turn that a transaction takes. */
export interface Duty {
  /** Where it is kept that a transaction which took it has failed. */
  readonly account: Address;
  readonly failedSlot: Hex;
}

/** What the modules say of duties. */
export interface DutyRules {
  /** What of a block's gas is kept, and the base fee there at most. */
  terms(state: StateReader, gasLimit: bigint): { readonly reservedGas: bigint; readonly baseFeePerGas: bigint };
  /** The open duty that the transaction takes; `undefined` if it takes none, or has failed at it before. */
  find(
    state: WorkingState,
    environment: BlockEnvironment,
    transaction: UnsignedTransaction,
    sender: Address,
  ): Duty | undefined;
}

/** What the block's transactions have used before. */
export interface GasSpent {
  readonly gasUsed: bigint;
  readonly reservedGasUsed: bigint;
}

export interface Lane extends GasTerms {
  /** In the reserved lane alone. */
  readonly duty: Duty | undefined;
}

/** A duty that does not fit what is left of the reserved gas may still go with all others, at their price. */
export function laneOf(
  { duties }: { readonly duties?: DutyRules },
  environment: BlockEnvironment,
  state: WorkingState,
  { gasUsed, reservedGasUsed }: GasSpent,
  transaction: UnsignedTransaction,
  sender: Address,
): Lane {
  const { gasLimit, baseFeePerGas } = environment;
  if (duties === undefined) return { duty: undefined, gasLeft: gasLimit - gasUsed, baseFeePerGas };
  const reserve = duties.terms(state, gasLimit);
  const reservedLeft = reserve.reservedGas - reservedGasUsed;
  const gasLeft = gasLimit - reserve.reservedGas - (gasUsed - reservedGasUsed);
  if (transaction.gasLimit <= reservedLeft) {
    const duty = duties.find(state, environment, transaction, sender);
    const floor = reserve.baseFeePerGas < baseFeePerGas ? reserve.baseFeePerGas : baseFeePerGas;
    if (duty !== undefined) return { duty, gasLeft: reservedLeft, baseFeePerGas: floor };
  }
  return { duty: undefined, gasLeft, baseFeePerGas };
}

/** The lane in an empty block on that state: for whoever takes transactions in before they execute. */
export function laneInEmptyBlock(
  rules: { readonly duties?: DutyRules },
  environment: BlockEnvironment,
  state: StateReader,
  transaction: UnsignedTransaction,
  sender: Address,
): Lane {
  const spent = { gasUsed: 0n, reservedGasUsed: 0n };
  return laneOf(rules, environment, new WorkingState(state), spent, transaction, sender);
}

export function markFailed(state: WorkingState, { account, failedSlot }: Duty): void {
  state.setStorage(account, failedSlot, new Uint8Array([1]));
}
