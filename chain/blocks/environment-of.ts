import type { BlockEnvironment } from "../../vm/execution/environment.ts";
import type { BlockHeader } from "./header.ts";

/** EIP-4844's minimum; there are no blobs on this chain to move it. */
const BLOB_BASE_FEE = 1n;

/** The header fields that are known before a block executes. */
export type EnvironmentFields = Pick<
  BlockHeader,
  "number" | "timestamp" | "coinbase" | "gasLimit" | "baseFeePerGas" | "beacon"
>;

/** What transactions of the block see. `blockHash` answers for the last 256 blocks before it. */
export function environmentOf(
  header: EnvironmentFields,
  blockHash: (number: bigint) => Uint8Array | undefined,
): BlockEnvironment {
  const { number, timestamp, coinbase, gasLimit, baseFeePerGas, beacon } = header;
  return {
    number,
    timestamp,
    coinbase,
    gasLimit,
    baseFeePerGas,
    prevRandao: beacon,
    blobBaseFee: BLOB_BASE_FEE,
    blockHash,
  };
}
