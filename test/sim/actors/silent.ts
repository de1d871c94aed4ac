import type { Actor } from "./actor.ts";

/** Says nothing at all. */
export const silent: Actor = {
  name: "silent",
  *outgoing() {
    // Nothing.
  },
};
