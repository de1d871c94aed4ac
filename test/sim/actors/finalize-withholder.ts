import type { Actor } from "./actor.ts";

/** Helps to notarize and never to finalize: whoever is slow and honest is then needed. */
export const finalizeWithholder: Actor = {
  name: "finalize-withholder",
  *outgoing(_context, said) {
    const { message } = said;
    if (message.type === "vote" && message.vote.kind === "FINALIZE") return;
    if (message.type === "certificate" && message.certificate.kind === "FINALIZE") return;
    yield said;
  },
};
