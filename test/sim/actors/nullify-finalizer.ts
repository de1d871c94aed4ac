import { NO_HASH } from "../../../base/votes.ts";
import type { Actor } from "./actor.ts";

/** Signs NULLIFY and FINALIZE in the same view, the pair that safety rests on. */
export const nullifyFinalizer: Actor = {
  name: "nullify-finalizer",
  *outgoing(context, said) {
    yield said;
    if (said.message.type !== "vote" || said.message.vote.kind === "NULLIFY") return;
    const { epoch, view, hash } = said.message.vote;
    yield { to: "all", message: { type: "vote", vote: context.sign({ kind: "NULLIFY", epoch, view, hash: NO_HASH }) } };
    yield { to: "all", message: { type: "vote", vote: context.sign({ kind: "FINALIZE", epoch, view, hash }) } };
  },
};
