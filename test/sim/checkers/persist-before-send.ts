import type { VoteContent } from "../../../base/votes.ts";
import type { SimNode } from "../sim-node.ts";
import type { NamedChecker } from "./checker.ts";
import { ownVote } from "./own-vote.ts";

/** Whether the disk, as it is at this moment, would remember the vote after a crash. */
function remembers({ finals, log }: SimNode, { kind, epoch, view, hash }: VoteContent): boolean {
  const { epoch: current, certificate } = finals.base();
  if (epoch < current.number) return true;
  // After a crash the node would be in the epoch before, where records of a later one mean nothing.
  if (epoch > current.number) return false;
  if (certificate?.epoch === epoch && certificate.view >= view) return true;
  return log.records.some(
    ({ type, ...rest }) =>
      type === "vote" &&
      "vote" in rest &&
      rest.vote.kind === kind &&
      rest.vote.epoch === epoch &&
      rest.vote.view === view &&
      rest.vote.hash === hash,
  );
}

/** A block that somebody may need because of our vote. */
function holdsBlock({ finals, log }: SimNode, { kind, hash }: VoteContent): boolean {
  if (kind !== "PROPOSE" && kind !== "NOTARIZE") return true;
  if (finals.blockOf(hash) !== undefined) return true;
  return log.records.some((entry) => entry.type === "block" && entry.block.hash === hash);
}

/** Nothing signed leaves a node before its own disk knows of it, and no proposal or certificate either. */
export const persistBeforeSend: NamedChecker = {
  name: "persist-before-send",
  make: (report) => ({
    onSend: (node, message) => {
      const vote = ownVote(message);
      if (vote && !remembers(node, vote)) {
        report(`node ${node.index} sent ${vote.kind} of view ${vote.epoch}/${vote.view} before its fsync`);
      }
      if (vote && !holdsBlock(node, vote)) {
        report(`node ${node.index} sent ${vote.kind} of view ${vote.epoch}/${vote.view} without its block on disk`);
      }
      if (message.type !== "certificate" || message.certificate.kind === "FINALIZE") return;
      const { kind, epoch, view } = message.certificate;
      const base = node.finals.base();
      const isPast = epoch < base.epoch.number || (base.certificate?.epoch === epoch && base.certificate.view >= view);
      const isHeld = node.log.records.some(
        (entry) =>
          entry.type === "certificate" &&
          entry.certificate.kind === kind &&
          entry.certificate.epoch === epoch &&
          entry.certificate.view === view,
      );
      if (!isPast && !isHeld) report(`node ${node.index} sent a ${kind} certificate of view ${view} before its fsync`);
    },
  }),
};
