import { boundedMemory } from "./bounded-memory.ts";
import type { NamedChecker } from "./checker.ts";
import { equalRoots } from "./equal-roots.ts";
import { lightClient } from "./light-client.ts";
import { noConflictingFinals } from "./no-conflicting-finals.ts";
import { noHonestBlame } from "./no-honest-blame.ts";
import { noHonestEvidence } from "./no-honest-evidence.ts";
import { persistBeforeSend } from "./persist-before-send.ts";
import { prefixOrder } from "./prefix-order.ts";
import { voteAfterExecution } from "./vote-after-execution.ts";

export const ALL_CHECKERS: readonly NamedChecker[] = [
  noConflictingFinals,
  prefixOrder,
  noHonestEvidence,
  noHonestBlame,
  persistBeforeSend,
  voteAfterExecution,
  equalRoots,
  boundedMemory,
  lightClient,
];
