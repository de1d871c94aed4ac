import { boundedMemory } from "./bounded-memory.ts";
import type { NamedChecker } from "./checker.ts";
import { equalRoots } from "./equal-roots.ts";
import { lightClient } from "./light-client.ts";
import { noConflictingFinals } from "./no-conflicting-finals.ts";
import { noHonestEvidence } from "./no-honest-evidence.ts";
import { persistBeforeSend } from "./persist-before-send.ts";
import { prefixOrder } from "./prefix-order.ts";

export const ALL_CHECKERS: readonly NamedChecker[] = [
  noConflictingFinals,
  prefixOrder,
  noHonestEvidence,
  persistBeforeSend,
  equalRoots,
  boundedMemory,
  lightClient,
];
