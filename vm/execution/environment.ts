/** The block that transactions see: its header fields, and the hashes of blocks before it. */
import type { Address } from "../state/account.ts";

export interface BlockEnvironment {
  readonly number: bigint;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
  /** Receives the priority fees: the proposer's payout address. */
  readonly coinbase: Address;
  readonly gasLimit: bigint;
  readonly baseFeePerGas: bigint;
  /** The beacon, which DIFFICULTY/PREVRANDAO reads. */
  readonly prevRandao: Uint8Array;
  /** What BLOBBASEFEE reads. This chain has no blobs: 1, Ethereum's minimum. */
  readonly blobBaseFee: bigint;
  /** 32 bytes; `undefined` when the chain has no such block. Asked for the last 256 only. */
  blockHash(number: bigint): Uint8Array | undefined;
}
