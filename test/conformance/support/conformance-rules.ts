/** The executor's rules for Ethereum's own suites: mainnet at Cancun, no native modules. */
import type { ExecutionRules } from "../../../vm/execution/rules.ts";

export const conformanceRules: ExecutionRules = {
  chainId: 1n,
  fork: "cancun",
  allowUnprotected: true,
  maxTransactionBytes: Number.POSITIVE_INFINITY,
  modules: new Map(),
};
