import type { Actor } from "./actor.ts";

/** Sends votes with false signatures in everybody's name, which only a check one by one tells apart. */
export const garbageSender: Actor = {
  name: "garbage-sender",
  *outgoing({ prng, state }, said) {
    if (said.message.type === "vote") {
      const { vote } = said.message;
      const validator = prng.below(state.epoch.set.ids.length);
      yield {
        to: "all",
        message: { type: "vote", vote: { ...vote, validator, signature: prng.bytes(96 * prng.below(2)) } },
      };
    }
    yield said;
  },
};
