/** How a round goes from phase to phase, and who may act in one. */
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import { protocolTime } from "../clock/clock.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { changeState, type RoundState, readState } from "./round-record.ts";
import { endPhaseAt, forgetDeadline } from "./timers.ts";

/** A new phase. With `seconds` it ends so much later; without, a draw is waited for and its end is not known yet. */
export function enterPhase(
  own: ModuleCall,
  round: bigint,
  phase: number,
  seconds: bigint | undefined,
  change: Partial<RoundState> = {},
): RoundState {
  const by = seconds === undefined ? 0n : protocolTime(own) + seconds;
  const state = changeState(own, round, { ...change, phase, by });
  if (by === 0n) forgetDeadline(own, round);
  else endPhaseAt(own, round, by);
  own.emit(verificationAbi, "PhaseChanged", { round, phase, by });
  return state;
}

/** Reverts unless the round is in that phase, and the phase has not ended. */
export function requirePhase(own: ModuleCall, round: bigint, ...phases: readonly number[]): RoundState {
  const state = readState(own, round);
  if (!phases.includes(state.phase)) throw revertWith(verificationAbi, "WrongPhase", [round, state.phase]);
  const now = protocolTime(own);
  if (state.by !== 0n && now >= state.by) throw revertWith(verificationAbi, "TooLate", [state.by, now]);
  return state;
}
