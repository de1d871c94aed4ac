import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { Address } from "../../vm/state/account.ts";
import type { PriceWalk } from "./price-index.ts";
import type { SenderQueue } from "./sender-queue.ts";
import type { Waiting } from "./waiting.ts";

export interface Room {
  /** For the sum of the transactions' gas limits. */
  readonly gasLimit: bigint;
  /** For the sum of the transactions as they are encoded. */
  readonly maxBytes: number;
  readonly maxCount: number;
}

export interface SelectOptions extends Room {
  readonly baseFee: bigint;
  /** For duties alone, beside the room of all others; without it they share that. */
  readonly reserved?: Room;
  /** In the state that the block is built on, which may be ahead of the last final one. */
  nonceOf(sender: Address): bigint;
}

/** The cheapest transaction there is. */
const LEAST_GAS = 21_000n;

/**
 * For a block of these limits, of whose gas so much is kept for duties: they have that share of all, beside the rest. Most
 * ask for more gas than they use: execution stops at the block's limit, not the sum of theirs.
 */
export function roomInBlock({ gasLimit, maxBytes, maxCount }: Room, reservedGas: bigint): Room & { reserved: Room } {
  const share = (all: number): number => Number((BigInt(all) * reservedGas) / gasLimit);
  const reserved = { gasLimit: 2n * reservedGas, maxBytes: share(maxBytes), maxCount: share(maxCount) };
  const others = { maxBytes: maxBytes - reserved.maxBytes, maxCount: maxCount - reserved.maxCount };
  return { gasLimit: 2n * (gasLimit - reservedGas), ...others, reserved };
}

class RoomLeft {
  #gas: bigint;
  #bytes: number;
  #count: number;

  constructor({ gasLimit, maxBytes, maxCount }: Room) {
    this.#gas = gasLimit;
    this.#bytes = maxBytes;
    this.#count = maxCount;
  }

  get isFull(): boolean {
    return this.#count <= 0 || this.#gas < LEAST_GAS;
  }

  take({ bytes, entry: { transaction } }: Waiting): boolean {
    if (this.isFull || transaction.gasLimit > this.#gas || bytes > this.#bytes) return false;
    this.#gas -= transaction.gasLimit;
    this.#bytes -= bytes;
    this.#count--;
    return true;
  }
}

class Rooms {
  /** Duties are few, and one that finds no room says nothing of the room for others. */
  misfits = 0;
  readonly #ordinary: RoomLeft;
  readonly #reserved: RoomLeft;

  constructor(options: SelectOptions) {
    this.#ordinary = new RoomLeft(options);
    this.#reserved = options.reserved === undefined ? this.#ordinary : new RoomLeft(options.reserved);
  }

  /** Duties have come first. */
  get isFull(): boolean {
    return this.#ordinary.isFull;
  }

  take(waiting: Waiting): boolean {
    const isTaken = (waiting.isDuty ? this.#reserved : this.#ordinary).take(waiting);
    if (!isTaken && !waiting.isDuty) this.misfits++;
    return isTaken;
  }
}

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
  const { baseFee } = options;
  const chosen: RecoveredTransaction[] = [];
  const rooms = new Rooms(options);
  while (!rooms.isFull && rooms.misfits <= maxMisfits) {
    const waiting = heads.pop();
    // Nobody after this one can pay the base fee either.
    if (waiting === undefined || waiting.maxFee < baseFee) break;
    const { entry, nonce } = waiting;
    const queue = queueOf(entry.sender);
    if (queue === undefined) continue;
    const next = waiting === queue.indexedHead ? options.nonceOf(entry.sender) : nonce;
    if (next === nonce) {
      if (!rooms.take(waiting)) continue;
      chosen.push(entry);
    }
    const follower = next < nonce ? undefined : queue.readyAt(next === nonce ? nonce + 1n : next);
    if (follower !== undefined) heads.push(follower);
  }
  return chosen;
}
