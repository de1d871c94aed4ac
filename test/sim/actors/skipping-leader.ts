import type { Actor } from "./actor.ts";

/** Builds on the final block and leaves out what was notarized since, without certificates that would allow it. */
export const skippingLeader: Actor = {
  name: "skipping-leader",
  *outgoing(context, said) {
    if (said.message.type !== "proposal") {
      yield said;
      return;
    }
    const { proposal } = said.message;
    const { epoch, view } = proposal.vote;
    const block = context.blockOn(context.state.final, view);
    if (block === undefined) {
      yield said;
      return;
    }
    const vote = context.sign({ kind: "PROPOSE", epoch, view, hash: block.hash });
    const notarize = context.sign({ kind: "NOTARIZE", epoch, view, hash: block.hash });
    yield {
      to: said.to,
      message: { type: "proposal", proposal: { vote, block, parentView: context.state.finalView } },
    };
    yield { to: said.to, message: { type: "vote", vote: notarize } };
  },
};
