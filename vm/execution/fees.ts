/** Gas prices: EIP-1559's base fee, and what one transaction pays. */
import type { UnsignedTransaction } from "../transaction/transaction.ts";

/** A block aims at half its gas limit (EIP-1559's ELASTICITY_MULTIPLIER). */
const ELASTICITY = 2n;
/** The base fee moves by at most an eighth per block (EIP-1559's BASE_FEE_MAX_CHANGE_DENOMINATOR). */
const MAX_CHANGE_DENOMINATOR = 8n;

export interface ParentGas {
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  readonly baseFeePerGas: bigint;
}

/** What a block has for a transaction, and at which price: docs/spec/execution.md, "Reserved gas". */
export interface GasTerms {
  readonly gasLeft: bigint;
  readonly baseFeePerGas: bigint;
}

/** The base fee of the block after `parent`. */
export function nextBaseFee(parent: ParentGas): bigint {
  const target = parent.gasLimit / ELASTICITY;
  const { gasUsed, baseFeePerGas } = parent;
  if (gasUsed === target) return baseFeePerGas;
  if (gasUsed > target) {
    const rise = (baseFeePerGas * (gasUsed - target)) / target / MAX_CHANGE_DENOMINATOR;
    return baseFeePerGas + (rise > 1n ? rise : 1n);
  }
  return baseFeePerGas - (baseFeePerGas * (target - gasUsed)) / target / MAX_CHANGE_DENOMINATOR;
}

/** What the transaction pays per gas: the base fee and as much of its tip as its maximum leaves room for. */
export function effectiveGasPrice(transaction: UnsignedTransaction, baseFeePerGas: bigint): bigint {
  const wanted = baseFeePerGas + transaction.maxPriorityFeePerGas;
  return wanted < transaction.maxFeePerGas ? wanted : transaction.maxFeePerGas;
}
