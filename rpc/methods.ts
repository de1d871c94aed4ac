/** Every method of the RPC. A new one is one file in `methods/` and one line here. */
import type { RpcMethod } from "./method.ts";
import { ethAccounts } from "./methods/eth-accounts.ts";
import { ethBlockNumber } from "./methods/eth-block-number.ts";
import { ethCall } from "./methods/eth-call.ts";
import { ethChainId } from "./methods/eth-chain-id.ts";
import { ethEstimateGas } from "./methods/eth-estimate-gas.ts";
import { ethFeeHistory } from "./methods/eth-fee-history.ts";
import { ethGasPrice } from "./methods/eth-gas-price.ts";
import { ethGetBalance } from "./methods/eth-get-balance.ts";
import { ethGetBlockByHash } from "./methods/eth-get-block-by-hash.ts";
import { ethGetBlockByNumber } from "./methods/eth-get-block-by-number.ts";
import { ethGetCode } from "./methods/eth-get-code.ts";
import { ethGetLogs } from "./methods/eth-get-logs.ts";
import { ethGetStorageAt } from "./methods/eth-get-storage-at.ts";
import { ethGetTransactionByHash } from "./methods/eth-get-transaction-by-hash.ts";
import { ethGetTransactionCount } from "./methods/eth-get-transaction-count.ts";
import { ethGetTransactionReceipt } from "./methods/eth-get-transaction-receipt.ts";
import { ethMaxPriorityFeePerGas } from "./methods/eth-max-priority-fee-per-gas.ts";
import { ethSendRawTransaction } from "./methods/eth-send-raw-transaction.ts";
import { ethSyncing } from "./methods/eth-syncing.ts";
import { netVersion } from "./methods/net-version.ts";
import { web3ClientVersion } from "./methods/web3-client-version.ts";

export const METHODS: readonly RpcMethod[] = [
  web3ClientVersion,
  netVersion,
  ethChainId,
  ethAccounts,
  ethSyncing,
  ethBlockNumber,
  ethGetBalance,
  ethGetTransactionCount,
  ethGetCode,
  ethGetStorageAt,
  ethGasPrice,
  ethMaxPriorityFeePerGas,
  ethFeeHistory,
  ethCall,
  ethEstimateGas,
  ethSendRawTransaction,
  ethGetTransactionByHash,
  ethGetTransactionReceipt,
  ethGetBlockByNumber,
  ethGetBlockByHash,
  ethGetLogs,
];
