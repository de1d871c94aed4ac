/** A round is decided, and later closed. Between the two the referee may still be called. */
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import { protocolTime } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { putDecided } from "./outbox.ts";
import { enterPhase } from "./phases.ts";
import { changeState, type RoundFacts, readState, saltSum, seedOf } from "./round-record.ts";
import { GUILTY, PHASE, REASON } from "./round-types.ts";
import { settleRound } from "./settle.ts";
import { endPhaseAt, forgetDeadline } from "./timers.ts";

/** Every drawn tile was found, voted or proven true. Without the seed nobody else can check it: that comes first. */
export function accept(own: ModuleCall, facts: RoundFacts, reason: number): void {
  const { challengeSeconds, publishSeconds } = own.parameters.verification;
  const guilty = facts.trapTile === undefined ? GUILTY.nobody : GUILTY.program;
  const seconds = isCheckable(own, facts) ? challengeSeconds : publishSeconds;
  enterPhase(own, facts.id, PHASE.accepted, seconds, { reason, guilty });
  tellDecided(own, facts);
}

/** Where nothing was opened that has a salt, there is no seed to publish. */
export function isCheckable(own: ModuleCall, { id }: RoundFacts): boolean {
  return seedOf(own, id) !== undefined || saltSum(own, id) === 0n;
}

/** A tile is false: whoever it convicts may call the referee. */
export function reject(own: ModuleCall, facts: RoundFacts, reason: number, guilty: number): void {
  enterPhase(own, facts.id, PHASE.rejected, own.parameters.verification.challengeSeconds, { reason, guilty });
  tellDecided(own, facts);
}

/** There is nothing that a referee could find out. */
export function rejectForGood(own: ModuleCall, facts: RoundFacts, reason: number, guilty: number): void {
  changeState(own, facts.id, { phase: PHASE.rejected, reason, guilty });
  closeRound(own, facts);
}

export function tellDecided(own: ModuleCall, facts: RoundFacts): void {
  const state = readState(own, facts.id);
  const { reason, guilty, by } = state;
  const accepted = state.phase === PHASE.accepted;
  own.emit(verificationAbi, "Decided", { round: facts.id, job: facts.job, accepted, reason, guilty, by });
  putDecided(own, facts, state);
}

/** The seed is there: from now on the referee can be called. */
export function startChallengeWindow(own: ModuleCall, { id }: RoundFacts): void {
  const by = protocolTime(own) + own.parameters.verification.challengeSeconds;
  changeState(own, id, { by });
  endPhaseAt(own, id, by);
  own.emit(verificationAbi, "PhaseChanged", { round: id, phase: PHASE.accepted, by });
}

/** Once the time for challenges is over and none of them waits any more. */
export function closeRound(own: ModuleCall, facts: RoundFacts): void {
  const state = settleRound(own, facts);
  forgetDeadline(own, facts.id);
  const { reason, guilty } = state;
  const accepted = state.phase === PHASE.accepted;
  own.emit(verificationAbi, "Closed", { round: facts.id, job: facts.job, accepted, reason, guilty });
  putDecided(own, facts, state);
}

/** The time of a decided round is over. */
export function endChallenges(own: ModuleCall, facts: RoundFacts): void {
  const { phase, challenges } = readState(own, facts.id);
  if (challenges > 0) return;
  if (phase === PHASE.accepted && !isCheckable(own, facts)) {
    rejectForGood(own, facts, REASON.notPublished, GUILTY.worker);
  } else closeRound(own, facts);
}
