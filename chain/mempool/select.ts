import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Address } from "../../vm/state/account.ts";
import type { PriceWalk } from "./price-index.ts";
import type { SenderQueue } from "./sender-queue.ts";
import type { Waiting } from "./waiting.ts";

export interface SelectOptions {
  readonly baseFee: bigint;
  /** For the sum of the transactions' gas limits. */
  readonly gasLimit: bigint;
  /** For the sum of the transactions as they are encoded. */
  readonly maxBytes: number;
  readonly maxCount: number;
  /** In the state that the block is built on, which may be ahead of the last final one. */
  nonceOf(sender: Address): bigint;
}

/** The cheapest transaction there is. */
const LEAST_GAS = 21_000n;

/**
 * Best first. A sender's turn comes by the price of its first transaction that waits, also when that one is in a block
 * that is not final yet: what follows those then takes part by its own price. Whoever cannot pay the base fee or does
 * not fit keeps back what comes after it of the same sender.
 */
export function selectTransactions(
  heads: PriceWalk<Waiting>,
  queueOf: (sender: Address) => SenderQueue | undefined,
  options: SelectOptions,
  maxMisfits: number,
): RecoveredTransaction[] {
  const { baseFee, maxBytes, maxCount } = options;
  const chosen: RecoveredTransaction[] = [];
  let gasLeft = options.gasLimit;
  let bytesLeft = maxBytes;
  let misfits = 0;
  while (chosen.length < maxCount && gasLeft >= LEAST_GAS && misfits <= maxMisfits) {
    const waiting = heads.pop();
    // Nobody after this one can pay the base fee either.
    if (waiting === undefined || waiting.maxFee < baseFee) break;
    const { entry, nonce, bytes } = waiting;
    const queue = queueOf(entry.sender);
    if (queue === undefined) continue;
    const next = waiting === queue.indexedHead ? options.nonceOf(entry.sender) : nonce;
    if (next === nonce) {
      if (entry.transaction.gasLimit > gasLeft || bytes > bytesLeft) {
        misfits++;
        continue;
      }
      chosen.push(entry);
      gasLeft -= entry.transaction.gasLimit;
      bytesLeft -= bytes;
    }
    const follower = next < nonce ? undefined : queue.readyAt(next === nonce ? nonce + 1n : next);
    if (follower !== undefined) heads.push(follower);
  }
  return chosen;
}
