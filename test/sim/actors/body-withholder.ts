import { type Actor, halves } from "./actor.ts";

/** Shows its blocks to some, and gives no block to whoever asks for one. */
export const bodyWithholder: Actor = {
  name: "body-withholder",
  *outgoing(context, said) {
    const { message } = said;
    if (message.type === "block" || message.type === "finals") return;
    if (message.type !== "proposal") {
      yield said;
      return;
    }
    const [some, others] = halves(context);
    for (const to of [...some, ...others.slice(0, 1)]) yield { to, message };
  },
};
