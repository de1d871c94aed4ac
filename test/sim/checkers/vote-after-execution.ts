import type { NamedChecker } from "./checker.ts";
import { ownVote } from "./own-vote.ts";

/** A vote is a proof of being in sync: whoever signs for a block has executed it, and found its roots right. */
export const voteAfterExecution: NamedChecker = {
  name: "vote-after-execution",
  make: (report) => ({
    onSend: (node, message) => {
      const vote = ownVote(message);
      if (vote === undefined || vote.kind === "NULLIFY") return;
      const { kind, epoch, view, hash } = vote;
      if (!node.hasExecuted(hash))
        report(`node ${node.index} signed ${kind} in view ${epoch}/${view} before executing`);
    },
  }),
};
