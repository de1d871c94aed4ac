import type { AppName } from "../scenario.ts";
import { boundedMemory } from "./bounded-memory.ts";
import type { NamedChecker } from "./checker.ts";
import { equalRoots } from "./equal-roots.ts";
import { equalStates } from "./equal-states.ts";
import { lightClient } from "./light-client.ts";
import { mempoolBounds } from "./mempool-bounds.ts";
import { noConflictingFinals } from "./no-conflicting-finals.ts";
import { noHonestBlame } from "./no-honest-blame.ts";
import { noHonestEvidence } from "./no-honest-evidence.ts";
import { persistBeforeSend } from "./persist-before-send.ts";
import { prefixOrder } from "./prefix-order.ts";
import { voteAfterExecution } from "./vote-after-execution.ts";

const COMMON: readonly NamedChecker[] = [
  noConflictingFinals,
  prefixOrder,
  noHonestEvidence,
  noHonestBlame,
  persistBeforeSend,
  voteAfterExecution,
  boundedMemory,
  lightClient,
];

export function checkersOf(app: AppName): readonly NamedChecker[] {
  return app === "counter" ? [...COMMON, equalRoots] : [...COMMON, equalStates, mempoolBounds];
}
