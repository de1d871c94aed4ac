import type { Hex } from "../../../base/bytes.ts";
import type { PeerId } from "../../../chain/consensus/types.ts";
import type { Actor, ActorContext, Outgoing } from "./actor.ts";

/** The two halves of the network that the conspirators keep apart, the same for all of them. */
function face(peer: PeerId): 0 | 1 {
  return (Number.parseInt(peer.slice(2, 4), 16) & 1) === 0 ? 0 : 1;
}

function* toFaces(context: ActorContext, make: (face: 0 | 1) => Iterable<Outgoing["message"]>): Iterable<Outgoing> {
  for (const to of context.peers) for (const message of make(face(to))) yield { to, message };
}

/**
 * The strongest attack on safety, by all liars together: their leader shows each half its own block, and they notarize
 * and finalize for each half the one that it saw. With quorums any smaller, both would become final.
 */
export const twoFaced: Actor = {
  name: "two-faced",
  *outgoing(context, said) {
    const { message } = said;
    if (message.type === "proposal") {
      const { proposal } = message;
      const { epoch, view } = proposal.vote;
      const twin = context.variantOf(proposal.block, true);
      const shown: readonly [Hex, Hex] = [proposal.block.hash, twin.hash];
      context.conspiracy.set(`${epoch}/${view}`, shown);
      const vote = context.sign({ kind: "PROPOSE", epoch, view, hash: twin.hash });
      yield* toFaces(context, (side) => [
        { type: "proposal", proposal: side === 0 ? proposal : { ...proposal, block: twin, vote } },
      ]);
      return;
    }
    if (message.type === "vote") {
      const { epoch, view } = message.vote;
      const shown = context.conspiracy.get(`${epoch}/${view}`);
      if (shown !== undefined) {
        yield* toFaces(context, (side) =>
          (["NOTARIZE", "FINALIZE"] as const).map((kind) => ({
            type: "vote",
            vote: context.sign({ kind, epoch, view, hash: shown[side] }),
          })),
        );
        return;
      }
    }
    yield said;
  },
};
