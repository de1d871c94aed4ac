/** Decided rounds that wait for the market: it takes them out when a block ends, and verification knows nothing of it. */
import { VERIFICATION_ADDRESS } from "../addresses.ts";
import type { ModuleCall } from "../module-call.ts";
import { packedWord } from "../staking/packed-word.ts";
import { recordSpace } from "../storage.ts";
import { catcherOf, type RoundFacts, type RoundState, readFacts } from "./round-record.ts";
import { type DecidedRound, GUILTY, PHASE } from "./round-types.ts";

const ends = recordSpace("outbox", ["first", "next"]);
const entries = recordSpace("outbox entry", ["word"]);
/** As it was decided then: by the time that it is taken out, the round may be further. */
const entry = packedWord({ round: 64, isFinal: 1, accepted: 1, isTrap: 1, guilty: 8, reason: 16 });

/** Whether the result is that the program traps. */
export function isProgramTrapped({ trapTile }: RoundFacts, { phase, guilty }: RoundState): boolean {
  return guilty === GUILTY.program || (phase === PHASE.accepted && trapTile !== undefined);
}

export function putDecided(own: ModuleCall, facts: RoundFacts, state: RoundState): void {
  const next = ends.get(own, "next");
  const word = entry.pack({
    round: facts.id,
    isFinal: state.isFinal ? 1n : 0n,
    accepted: state.phase === PHASE.accepted ? 1n : 0n,
    isTrap: isProgramTrapped(facts, state) ? 1n : 0n,
    guilty: BigInt(state.guilty),
    reason: BigInt(state.reason),
  });
  entries.set(own, "word", word, next);
  ends.set(own, "next", next + 1n);
}

const GUILTY_NAMES = ["none", "worker", "program"] as const;

/** For the market: up to `most` of those that wait, in the order in which they were decided. */
export function takeDecided(call: ModuleCall, most: number): readonly DecidedRound[] {
  const own = call.in(VERIFICATION_ADDRESS);
  const first = ends.get(own, "first");
  const next = ends.get(own, "next");
  const count = next - first < BigInt(most) ? Number(next - first) : most;
  if (count === 0) return [];
  const decided = Array.from({ length: count }, (_, index) => {
    const at = first + BigInt(index);
    const { round, isFinal, accepted, isTrap, guilty, reason } = entry.unpack(entries.get(own, "word", at));
    entries.set(own, "word", 0n, at);
    return {
      round,
      job: readFacts(own, round).job,
      accepted: accepted === 1n,
      final: isFinal === 1n,
      reason: Number(reason),
      programTrapped: isTrap === 1n,
      guilty: GUILTY_NAMES[Number(guilty)] ?? "none",
      catcher: Number(guilty) === GUILTY.worker ? catcherOf(own, round) : undefined,
    };
  });
  ends.set(own, "first", first + BigInt(count));
  return decided;
}
