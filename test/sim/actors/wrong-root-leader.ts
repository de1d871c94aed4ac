import type { Actor } from "./actor.ts";

/** Proposes blocks whose root is wrong. */
export const wrongRootLeader: Actor = {
  name: "wrong-root-leader",
  *outgoing(context, said) {
    if (said.message.type !== "proposal") {
      yield said;
      return;
    }
    const { proposal } = said.message;
    const block = context.variantOf(proposal.block, false);
    const vote = context.sign({ kind: "PROPOSE", epoch: block.epoch, view: proposal.vote.view, hash: block.hash });
    yield { to: said.to, message: { type: "proposal", proposal: { ...proposal, block, vote } } };
  },
};
