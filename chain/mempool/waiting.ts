import type { Hex } from "../../base/bytes.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";

/** What an order by price looks at. */
export interface Priced {
  /** The most per gas that goes to the proposer. */
  readonly tip: bigint;
  /** The most per gas in all. */
  readonly maxFee: bigint;
  /** The order of arrival, different for everything that is compared. */
  readonly sequence: number;
}

/** A transaction that waits. */
export interface Waiting extends Priced {
  readonly entry: RecoveredTransaction;
  readonly hash: Hex;
  readonly nonce: bigint;
  /** The most it can take from its sender. */
  readonly cost: bigint;
  readonly bytes: number;
  readonly arrivedAt: number;
  /** Whether it is priced as one whose turn it is. */
  readonly isDuty: boolean;
}

/** More than any tip, and than any base fee: what is owed to the protocol comes first and waits for no price to fall. */
const DUTY_TIP = 1n << 256n;
const DUTY_FEE = 1n << 512n;

/** What a transaction is ordered by. */
export function priceOf(
  { maxPriorityFeePerGas, maxFeePerGas }: RecoveredTransaction["transaction"],
  isDuty: boolean,
): Pick<Priced, "tip" | "maxFee"> {
  if (!isDuty) return { tip: maxPriorityFeePerGas, maxFee: maxFeePerGas };
  return { tip: DUTY_TIP + maxPriorityFeePerGas, maxFee: DUTY_FEE };
}

/** Per gas to the proposer at this base fee; negative when the transaction cannot pay the base fee itself. */
export function effectiveTip({ tip, maxFee }: Pick<Priced, "tip" | "maxFee">, baseFee: bigint): bigint {
  const left = maxFee - baseFee;
  return tip < left ? tip : left;
}
