import type { FinalSegment } from "../../../chain/consensus/types.ts";
import type { NodeMessage } from "../../../chain/wire/node-message.ts";
import { chance } from "../chance.ts";
import type { Actor, ActorContext } from "./actor.ts";

/**
 * Serves whoever catches up with what is not so: offers of snapshots that nobody has certified, states, headers and blocks
 * with something changed, or nothing at all. Half of its offers are true, or nobody would ask it for more.
 */
export const falseServer: Actor = {
  name: "false-server",
  *outgoing(context, said) {
    const message = falsified(context, said.message);
    if (message === said.message) yield said;
    else if (message !== undefined) yield { to: said.to, message };
  },
};

function falsified(context: ActorContext, message: NodeMessage): NodeMessage | undefined {
  const change = (bytes: Uint8Array): Uint8Array => changed(context, bytes);
  const { prng } = context;
  switch (message.type) {
    case "offers": {
      if (chance(prng, 0.5)) return message;
      const offers = message.offers.map((offer) => ({ ...offer, header: change(offer.header) }));
      return { ...message, height: message.height + 1_000, offers };
    }
    case "seals":
      return { ...message, seals: message.seals.map((seal) => ({ ...seal, certificate: change(seal.certificate) })) };
    case "headers":
      return { ...message, headers: message.headers.map(change) };
    case "chunk":
      if (chance(prng, 0.2)) return undefined;
      return chance(prng, 0.5)
        ? { ...message, leaves: new Uint8Array() }
        : { ...message, leaves: change(message.leaves) };
    case "code":
      return { ...message, codes: message.codes.map(change) };
    case "block":
      return { ...message, block: context.variantOf(message.block, false) };
    case "finals":
      return { ...message, segments: message.segments.map((segment) => withFalseEnd(context, segment)) };
    default:
      return message;
  }
}

/** One bit. */
function changed({ prng }: ActorContext, bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const place = prng.below(Math.max(1, copy.length));
  copy[place] = (copy[place] ?? 0) ^ (1 << prng.below(8));
  return copy;
}

function withFalseEnd(context: ActorContext, { blocks, certificate }: FinalSegment): FinalSegment {
  const last = blocks.at(-1);
  return { blocks: [...blocks.slice(0, -1), ...(last ? [context.variantOf(last, false)] : [])], certificate };
}
