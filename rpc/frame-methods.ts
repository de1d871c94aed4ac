/** Methods about what comes later: subscriptions and filters. */
import type { RpcMethod } from "./method.ts";
import { ethGetFilterChanges } from "./methods/eth-get-filter-changes.ts";
import { ethGetFilterLogs } from "./methods/eth-get-filter-logs.ts";
import { ethNewBlockFilter } from "./methods/eth-new-block-filter.ts";
import { ethNewFilter } from "./methods/eth-new-filter.ts";
import { ethNewPendingTransactionFilter } from "./methods/eth-new-pending-transaction-filter.ts";
import { ethSubscribe } from "./methods/eth-subscribe.ts";
import { ethUninstallFilter } from "./methods/eth-uninstall-filter.ts";
import { ethUnsubscribe } from "./methods/eth-unsubscribe.ts";
import { ogpuSubscribe } from "./methods/ogpu-subscribe.ts";
import { ogpuUnsubscribe } from "./methods/ogpu-unsubscribe.ts";

export const FRAME_METHODS: readonly RpcMethod[] = [
  ethNewFilter,
  ethNewBlockFilter,
  ethNewPendingTransactionFilter,
  ethGetFilterChanges,
  ethGetFilterLogs,
  ethUninstallFilter,
  ethSubscribe,
  ethUnsubscribe,
  ogpuSubscribe,
  ogpuUnsubscribe,
];
