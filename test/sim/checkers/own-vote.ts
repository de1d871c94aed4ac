import type { Vote } from "../../../chain/consensus/types.ts";
import type { NodeMessage } from "../../../chain/wire/node-message.ts";

/** What the sender has signed itself. A PROPOSE without its block is another's, handed on to show what its leader did. */
export function ownVote(message: NodeMessage): Vote | undefined {
  if (message.type === "proposal") return message.proposal.vote;
  return message.type === "vote" && message.vote.kind !== "PROPOSE" ? message.vote : undefined;
}
