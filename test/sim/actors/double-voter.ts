import type { Hex } from "../../../base/bytes.ts";
import { bytesToHex } from "../../../base/bytes.ts";
import { type Actor, halves } from "./actor.ts";

/** Votes for what it sees before one half, and for something else of the same view before the other. */
export const doubleVoter: Actor = {
  name: "double-voter",
  *outgoing(context, said) {
    const { message } = said;
    if (message.type !== "vote" || message.vote.kind === "NULLIFY") {
      yield said;
      return;
    }
    const { kind, epoch, view, hash } = message.vote;
    const seen = context.state.rounds.get(view)?.candidate?.block.hash;
    const other: Hex = seen !== undefined && seen !== hash ? seen : bytesToHex(context.prng.bytes(32));
    const [some, others] = halves(context);
    for (const to of some) yield { to, message };
    const vote = context.sign({ kind, epoch, view, hash: other });
    for (const to of others) yield { to, message: { type: "vote", vote } };
  },
};
