import { type Lane, laneInEmptyBlock } from "../../vm/execution/duties.ts";
import type { RecoveredTransaction } from "../../vm/execution/execute-block.ts";
import type { ExecutionRules } from "../../vm/execution/rules.ts";
import { NO_BLOCK } from "../../vm/modules/read-only-call.ts";
import type { StateReader } from "../../vm/state/reader.ts";

/** The lane that a transaction would take on this state. Some turns come a block later: they are taken for due already. */
export function waitingLane(
  rules: ExecutionRules,
  state: StateReader,
  block: { readonly gasLimit: bigint; readonly baseFeePerGas: bigint },
  { transaction, sender }: RecoveredTransaction,
): Lane {
  return laneInEmptyBlock(rules, { ...NO_BLOCK, ...block, number: LATER }, state, transaction, sender);
}

const LATER = 1n << 62n;
