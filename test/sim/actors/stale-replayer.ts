import type { Actor, Outgoing } from "./actor.ts";

const REMEMBERED = 200;

/** Says what it said long ago again, to whomever. */
export function staleReplayer(): Actor {
  const past: Outgoing[] = [];
  return {
    name: "stale-replayer",
    *outgoing({ prng, peers }, said) {
      yield said;
      past.push(said);
      if (past.length > REMEMBERED) past.shift();
      const old = past[prng.below(past.length)];
      const to = peers[prng.below(peers.length)];
      if (old !== undefined && to !== undefined) yield { to, message: old.message };
    },
  };
}
