/** Every method of the RPC. A new one is one file in `methods/` and one line here. */
import type { ChainSpec } from "../genesis/chain-spec.ts";
import { allowedMethods } from "./access.ts";
import { FRAME_METHODS } from "./frame-methods.ts";
import type { RpcMethod } from "./method.ts";
import { debugGetBadBlocks } from "./methods/debug-get-bad-blocks.ts";
import { debugGetRawBlock } from "./methods/debug-get-raw-block.ts";
import { debugGetRawHeader } from "./methods/debug-get-raw-header.ts";
import { debugGetRawReceipts } from "./methods/debug-get-raw-receipts.ts";
import { debugGetRawTransaction } from "./methods/debug-get-raw-transaction.ts";
import { debugTraceBlockByHash } from "./methods/debug-trace-block-by-hash.ts";
import { debugTraceBlockByNumber } from "./methods/debug-trace-block-by-number.ts";
import { debugTraceCall } from "./methods/debug-trace-call.ts";
import { debugTraceTransaction } from "./methods/debug-trace-transaction.ts";
import { ethAccounts } from "./methods/eth-accounts.ts";
import { ethBaseFee } from "./methods/eth-base-fee.ts";
import { ethBlobBaseFee } from "./methods/eth-blob-base-fee.ts";
import { ethBlockNumber } from "./methods/eth-block-number.ts";
import { ethCall } from "./methods/eth-call.ts";
import { ethCapabilities } from "./methods/eth-capabilities.ts";
import { ethChainId } from "./methods/eth-chain-id.ts";
import { ethCoinbase } from "./methods/eth-coinbase.ts";
import { ethConfig } from "./methods/eth-config.ts";
import { ethCreateAccessList } from "./methods/eth-create-access-list.ts";
import { ethEstimateGas } from "./methods/eth-estimate-gas.ts";
import { ethFeeHistory } from "./methods/eth-fee-history.ts";
import { ethFillTransaction } from "./methods/eth-fill-transaction.ts";
import { ethGasPrice } from "./methods/eth-gas-price.ts";
import { ethGetBalance } from "./methods/eth-get-balance.ts";
import { ethGetBlockByHash } from "./methods/eth-get-block-by-hash.ts";
import { ethGetBlockByNumber } from "./methods/eth-get-block-by-number.ts";
import { ethGetBlockReceipts } from "./methods/eth-get-block-receipts.ts";
import { ethGetBlockTransactionCountByHash } from "./methods/eth-get-block-transaction-count-by-hash.ts";
import { ethGetBlockTransactionCountByNumber } from "./methods/eth-get-block-transaction-count-by-number.ts";
import { ethGetCode } from "./methods/eth-get-code.ts";
import { ethGetLogs } from "./methods/eth-get-logs.ts";
import { ethGetProof } from "./methods/eth-get-proof.ts";
import { ethGetStorageAt } from "./methods/eth-get-storage-at.ts";
import { ethGetStorageValues } from "./methods/eth-get-storage-values.ts";
import { ethGetTransactionByBlockHashAndIndex } from "./methods/eth-get-transaction-by-block-hash-and-index.ts";
import { ethGetTransactionByBlockNumberAndIndex } from "./methods/eth-get-transaction-by-block-number-and-index.ts";
import { ethGetTransactionByHash } from "./methods/eth-get-transaction-by-hash.ts";
import { ethGetTransactionCount } from "./methods/eth-get-transaction-count.ts";
import { ethGetTransactionReceipt } from "./methods/eth-get-transaction-receipt.ts";
import { ethGetUncleByBlockHashAndIndex } from "./methods/eth-get-uncle-by-block-hash-and-index.ts";
import { ethGetUncleByBlockNumberAndIndex } from "./methods/eth-get-uncle-by-block-number-and-index.ts";
import { ethGetUncleCountByBlockHash } from "./methods/eth-get-uncle-count-by-block-hash.ts";
import { ethGetUncleCountByBlockNumber } from "./methods/eth-get-uncle-count-by-block-number.ts";
import { ethMaxPriorityFeePerGas } from "./methods/eth-max-priority-fee-per-gas.ts";
import { ethSendRawTransaction } from "./methods/eth-send-raw-transaction.ts";
import { ethSendRawTransactionSync } from "./methods/eth-send-raw-transaction-sync.ts";
import { ethSendTransaction } from "./methods/eth-send-transaction.ts";
import { ethSign } from "./methods/eth-sign.ts";
import { ethSignTransaction } from "./methods/eth-sign-transaction.ts";
import { ethSignTypedDataV4 } from "./methods/eth-sign-typed-data-v4.ts";
import { ethSimulateV1 } from "./methods/eth-simulate-v1.ts";
import { ethSyncing } from "./methods/eth-syncing.ts";
import { netListening } from "./methods/net-listening.ts";
import { netPeerCount } from "./methods/net-peer-count.ts";
import { netVersion } from "./methods/net-version.ts";
import { ogpuFaucet } from "./methods/ogpu-faucet.ts";
import { ogpuGetAnomalies } from "./methods/ogpu-get-anomalies.ts";
import { ogpuGetDelegations } from "./methods/ogpu-get-delegations.ts";
import { ogpuGetEvidence } from "./methods/ogpu-get-evidence.ts";
import { ogpuGetFinality } from "./methods/ogpu-get-finality.ts";
import { ogpuGetJob } from "./methods/ogpu-get-job.ts";
import { ogpuGetJobs } from "./methods/ogpu-get-jobs.ts";
import { ogpuGetLightClientProof } from "./methods/ogpu-get-light-client-proof.ts";
import { ogpuGetParameters } from "./methods/ogpu-get-parameters.ts";
import { ogpuGetPeers } from "./methods/ogpu-get-peers.ts";
import { ogpuGetProof } from "./methods/ogpu-get-proof.ts";
import { ogpuGetProposals } from "./methods/ogpu-get-proposals.ts";
import { ogpuGetProvider } from "./methods/ogpu-get-provider.ts";
import { ogpuGetProviders } from "./methods/ogpu-get-providers.ts";
import { ogpuGetReceipt } from "./methods/ogpu-get-receipt.ts";
import { ogpuGetRecentBlocks } from "./methods/ogpu-get-recent-blocks.ts";
import { ogpuGetRewards } from "./methods/ogpu-get-rewards.ts";
import { ogpuGetRound } from "./methods/ogpu-get-round.ts";
import { ogpuGetSlashes } from "./methods/ogpu-get-slashes.ts";
import { ogpuGetStake } from "./methods/ogpu-get-stake.ts";
import { ogpuGetStakingValidators } from "./methods/ogpu-get-staking-validators.ts";
import { ogpuGetSupply } from "./methods/ogpu-get-supply.ts";
import { ogpuGetTrustLocks } from "./methods/ogpu-get-trust-locks.ts";
import { ogpuGetValidators } from "./methods/ogpu-get-validators.ts";
import { ogpuGetVerifiers } from "./methods/ogpu-get-verifiers.ts";
import { ogpuQuote } from "./methods/ogpu-quote.ts";
import { ogpuReportProgress } from "./methods/ogpu-report-progress.ts";
import { ogpuStatus } from "./methods/ogpu-status.ts";
import { personalSign } from "./methods/personal-sign.ts";
import { rpcDiscover } from "./methods/rpc-discover.ts";
import { txpoolContent } from "./methods/txpool-content.ts";
import { txpoolContentFrom } from "./methods/txpool-content-from.ts";
import { txpoolInspect } from "./methods/txpool-inspect.ts";
import { txpoolStatus } from "./methods/txpool-status.ts";
import { web3ClientVersion } from "./methods/web3-client-version.ts";
import { web3Sha3 } from "./methods/web3-sha3.ts";

const OWN_METHODS: readonly RpcMethod[] = [
  debugGetBadBlocks,
  debugGetRawBlock,
  debugGetRawHeader,
  debugGetRawReceipts,
  debugGetRawTransaction,
  debugTraceBlockByHash,
  debugTraceBlockByNumber,
  debugTraceCall,
  debugTraceTransaction,
  ethAccounts,
  ethBaseFee,
  ethBlobBaseFee,
  ethBlockNumber,
  ethCall,
  ethCapabilities,
  ethChainId,
  ethCoinbase,
  ethConfig,
  ethCreateAccessList,
  ethEstimateGas,
  ethFeeHistory,
  ethFillTransaction,
  ethGasPrice,
  ethGetBalance,
  ethGetBlockByHash,
  ethGetBlockByNumber,
  ethGetBlockReceipts,
  ethGetBlockTransactionCountByHash,
  ethGetBlockTransactionCountByNumber,
  ethGetCode,
  ethGetLogs,
  ethGetProof,
  ethGetStorageAt,
  ethGetStorageValues,
  ethGetTransactionByBlockHashAndIndex,
  ethGetTransactionByBlockNumberAndIndex,
  ethGetTransactionByHash,
  ethGetTransactionCount,
  ethGetTransactionReceipt,
  ethGetUncleByBlockHashAndIndex,
  ethGetUncleByBlockNumberAndIndex,
  ethGetUncleCountByBlockHash,
  ethGetUncleCountByBlockNumber,
  ethMaxPriorityFeePerGas,
  ethSendRawTransaction,
  ethSendRawTransactionSync,
  ethSendTransaction,
  ethSign,
  ethSignTransaction,
  ethSignTypedDataV4,
  ethSimulateV1,
  ethSyncing,
  netListening,
  netPeerCount,
  netVersion,
  ogpuFaucet,
  ogpuGetAnomalies,
  ogpuGetDelegations,
  ogpuGetEvidence,
  ogpuGetFinality,
  ogpuGetJob,
  ogpuGetJobs,
  ogpuGetLightClientProof,
  ogpuGetParameters,
  ogpuGetPeers,
  ogpuGetProof,
  ogpuGetProposals,
  ogpuGetProvider,
  ogpuGetProviders,
  ogpuGetRecentBlocks,
  ogpuGetReceipt,
  ogpuGetRewards,
  ogpuGetRound,
  ogpuGetSlashes,
  ogpuGetStake,
  ogpuGetStakingValidators,
  ogpuGetSupply,
  ogpuGetTrustLocks,
  ogpuGetValidators,
  ogpuGetVerifiers,
  ogpuQuote,
  ogpuReportProgress,
  ogpuStatus,
  personalSign,
  txpoolContent,
  txpoolContentFrom,
  txpoolInspect,
  txpoolStatus,
  web3ClientVersion,
  web3Sha3,
];

const LISTED: readonly RpcMethod[] = [...OWN_METHODS, ...FRAME_METHODS];

/** They use keys that everybody knows: elsewhere there are none, and no such methods. */
const DEVELOPMENT_METHODS: ReadonlySet<RpcMethod> = new Set([
  ethSendTransaction,
  ethSign,
  ethSignTransaction,
  ethSignTypedDataV4,
  ogpuFaucet,
  personalSign,
]);

/** Those that the lists allow (access.ts) and such a chain has, and the document of them. */
export function methodsFor(
  lists: readonly string[],
  { development }: Pick<ChainSpec, "development">,
): readonly RpcMethod[] {
  const offered = development ? LISTED : LISTED.filter((method) => !DEVELOPMENT_METHODS.has(method));
  const allowed = allowedMethods(offered, lists);
  return [...allowed, ...allowedMethods([rpcDiscover(allowed)], lists)];
}

export const METHODS: readonly RpcMethod[] = methodsFor([], { development: true });
