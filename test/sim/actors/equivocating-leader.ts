import { type Actor, halves } from "./actor.ts";

/** Proposes two blocks in one view, each to one half of the others, and notarizes both. */
export const equivocatingLeader: Actor = {
  name: "equivocating-leader",
  *outgoing(context, said) {
    if (said.message.type !== "proposal") {
      yield said;
      return;
    }
    const { proposal } = said.message;
    const [some, others] = halves(context);
    const block = context.variantOf(proposal.block, true);
    const content = { epoch: block.epoch, view: proposal.vote.view, hash: block.hash };
    const twin = { ...proposal, block, vote: context.sign({ kind: "PROPOSE", ...content }) };
    const vote = context.sign({ kind: "NOTARIZE", ...content });
    for (const to of some) yield { to, message: said.message };
    for (const to of others) {
      yield { to, message: { type: "proposal", proposal: twin } };
      yield { to, message: { type: "vote", vote } };
    }
  },
};
