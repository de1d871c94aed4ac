/** Every Byzantine behaviour, by name. Some remember things, so each node gets its own. */
import type { Actor } from "./actor.ts";
import { bodyWithholder } from "./body-withholder.ts";
import { doubleVoter } from "./double-voter.ts";
import { equivocatingLeader } from "./equivocating-leader.ts";
import { falseServer } from "./false-server.ts";
import { finalizeWithholder } from "./finalize-withholder.ts";
import { garbageSender } from "./garbage-sender.ts";
import { nullifyFinalizer } from "./nullify-finalizer.ts";
import { silent } from "./silent.ts";
import { skippingLeader } from "./skipping-leader.ts";
import { staleReplayer } from "./stale-replayer.ts";
import { transactionSpammer } from "./transaction-spammer.ts";
import { twoFaced } from "./two-faced.ts";
import { wrongRootLeader } from "./wrong-root-leader.ts";

export const ACTORS: ReadonlyMap<string, () => Actor> = new Map([
  ["body-withholder", () => bodyWithholder],
  ["double-voter", () => doubleVoter],
  ["equivocating-leader", () => equivocatingLeader],
  ["false-server", () => falseServer],
  ["finalize-withholder", () => finalizeWithholder],
  ["garbage-sender", () => garbageSender],
  ["nullify-finalizer", () => nullifyFinalizer],
  ["silent", () => silent],
  ["skipping-leader", () => skippingLeader],
  ["stale-replayer", staleReplayer],
  ["transaction-spammer", () => transactionSpammer],
  ["two-faced", () => twoFaced],
  ["wrong-root-leader", () => wrongRootLeader],
]);
