/** What the agenda wakes a round for: a draw, or the end of a phase. Waking one for nothing does nothing. */
import { VERIFICATION_ADDRESS } from "../addresses.ts";
import type { AgendaHandler } from "../agenda/agenda.ts";
import { protocolTime } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { expireCanary } from "./canary.ts";
import { endChallenges } from "./decide.ts";
import { type RoundFacts, readFacts, readState } from "./round-record.ts";
import { PHASE } from "./round-types.ts";
import { countWave, drawVote, startCounting } from "./tier-one.ts";
import { drawSeat, failToOpen, finishSpot, startOpening } from "./tier-zero.ts";
import { WORK } from "./timers.ts";
import { endReferee } from "./verdict.ts";

/** For the agenda module. */
export const VERIFICATION_WORK: readonly AgendaHandler[] = [
  { module: VERIFICATION_ADDRESS, kind: WORK.draw, run: onDraw },
  { module: VERIFICATION_ADDRESS, kind: WORK.deadline, run: onDeadline },
  { module: VERIFICATION_ADDRESS, kind: WORK.canary, run: expireCanary },
];

function onDraw(own: ModuleCall, round: bigint): void {
  const { phase, by } = readState(own, round);
  if (by !== 0n) return;
  const facts = readFacts(own, round);
  if (phase === PHASE.sealing) drawSeat(own, facts);
  else if (phase === PHASE.voting) drawVote(own, facts);
}

const ENDS: Readonly<Record<number, (own: ModuleCall, facts: RoundFacts) => void>> = {
  [PHASE.sealing]: startOpening,
  [PHASE.opening]: failToOpen,
  [PHASE.revealing]: finishSpot,
  [PHASE.voting]: startCounting,
  [PHASE.counting]: countWave,
  [PHASE.referee]: endReferee,
  [PHASE.accepted]: endChallenges,
  [PHASE.rejected]: endChallenges,
};

function onDeadline(own: ModuleCall, round: bigint): void {
  const { phase, by, isFinal } = readState(own, round);
  if (isFinal || by === 0n || protocolTime(own) < by) return;
  ENDS[phase]?.(own, readFacts(own, round));
}
