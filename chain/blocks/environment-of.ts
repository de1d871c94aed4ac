import type { BlockConsensus, BlockEnvironment } from "../../vm/execution/environment.ts";
import type { BlockHeader } from "./header.ts";

/** EIP-4844's minimum; there are no blobs on this chain to move it. */
const BLOB_BASE_FEE = 1n;

/** The header fields that are known before a block executes. */
export type EnvironmentFields = Pick<
  BlockHeader,
  "number" | "timestamp" | "coinbase" | "gasLimit" | "baseFeePerGas" | "beacon" | "extra"
>;

/**
 * What transactions of the block see. `blockHash` answers for the last 256 blocks before it. Without `consensus` the
 * protocol does nothing of its own: right for calls, which no block contains.
 */
export function environmentOf(
  header: EnvironmentFields,
  blockHash: (number: bigint) => Uint8Array | undefined,
  consensus?: BlockConsensus,
): BlockEnvironment {
  const { number, timestamp, coinbase, gasLimit, baseFeePerGas, beacon, extra } = header;
  return {
    number,
    timestamp,
    milliseconds: extra.milliseconds,
    consensus,
    coinbase,
    gasLimit,
    baseFeePerGas,
    prevRandao: beacon,
    blobBaseFee: BLOB_BASE_FEE,
    blockHash,
  };
}
