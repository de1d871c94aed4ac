/** The block that transactions see: its header fields, and the hashes of blocks before it. */
import type { Address } from "../state/account.ts";

/** What consensus says of the block; the protocol's own work goes by it. Validators are positions in the epoch's set. */
export interface BlockConsensus {
  readonly epoch: number;
  /** Whether the block ends its epoch. */
  readonly isSeal: boolean;
  readonly proposer: number;
  /** Whose votes for the parent the block carries; `undefined` in the first block of an epoch, which carries none. */
  readonly parentSigners: readonly number[] | undefined;
}

export interface BlockEnvironment {
  readonly number: bigint;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
  /** Of that second, 0 to 999. */
  readonly milliseconds: number;
  /** `undefined` in calls that no block contains, and in test suites: then the protocol does no work of its own. */
  readonly consensus: BlockConsensus | undefined;
  /** Receives the priority fees: the proposer's payout address. */
  readonly coinbase: Address;
  readonly gasLimit: bigint;
  readonly baseFeePerGas: bigint;
  /** What the block's transactions have paid as base fees: known to the hooks that end it. */
  readonly baseFees?: bigint;
  /** The beacon, which DIFFICULTY/PREVRANDAO reads. */
  readonly prevRandao: Uint8Array;
  /** What BLOBBASEFEE reads. This chain has no blobs: 1, Ethereum's minimum. */
  readonly blobBaseFee: bigint;
  /** 32 bytes; `undefined` when the chain has no such block. Asked for the last 256 only. */
  blockHash(number: bigint): Uint8Array | undefined;
}
