/**
 * Stake that is withheld while a round is in doubt, seat by seat, so that nobody who has spoken can leave before it is
 * known who was right; and what silence costs.
 */
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import type { Address } from "../../state/account.ts";
import { protocolTime } from "../clock/clock.ts";
import type { ModuleCall } from "../module-call.ts";
import { recordSpace } from "../storage.ts";
import { freezeStake, jailVerifier } from "../verifiers/stake.ts";
import type { RoundFacts } from "./round-record.ts";
import { frozenOf, keepFrozen, readSeat } from "./seat-record.ts";
import { isExcused } from "./share-out.ts";

/** By number of the window: seats that had to answer in it, and those that did not. */
const windows = recordSpace("window", ["due", "silent"]);
/** By verifier: how often in a row it was silent without excuse. */
const absences = recordSpace("absences", ["count"]);

export function absencesOf(own: ModuleCall, verifier: Address): bigint {
  return absences.get(own, "count", verifier);
}

/** Withholds what a false vote costs, of everybody among these seats who has revealed and of whom nothing is withheld. */
export function freezeSpeakers(own: ModuleCall, { id, seatFee }: RoundFacts, seats: readonly number[]): void {
  const penalty = seatFee * own.parameters.verification.penaltyMultiple;
  for (const seat of seats) {
    const { verifier, isRevealed } = readSeat(own, id, seat);
    if (isRevealed && frozenOf(own, id, seat) === 0n) withhold(own, id, seat, verifier, penalty);
  }
}

function withhold(own: ModuleCall, round: bigint, seat: number, verifier: Address, amount: bigint): void {
  const frozen = freezeStake(own, verifier, amount);
  if (frozen > 0n) keepFrozen(own, round, seat, frozen);
}

/**
 * Of seats that had to answer and whose time is over. Silence costs the seat's fee, which is withheld until the round
 * closes, and too much of it in a row jails; both are waived while more than a third of all seats in this window of time
 * and the one before it was silent.
 */
export function noteAnswers(
  own: ModuleCall,
  { id, seatFee }: RoundFacts,
  seats: readonly number[],
  isSilent: (seat: number) => boolean,
): void {
  const silent = seats.filter(isSilent);
  const window = protocolTime(own) / own.parameters.verification.silenceWindowSeconds;
  const due = windows.add(own, "due", BigInt(seats.length), window);
  const silentNow = silent.length === 0 ? 0n : windows.add(own, "silent", BigInt(silent.length), window);
  if (silent.length === 0) return;
  const before = window - 1n;
  const excused = isExcused(silentNow + windows.get(own, "silent", before), due + windows.get(own, "due", before));
  for (const seat of silent) {
    const { verifier } = readSeat(own, id, seat);
    if (!excused) {
      withhold(own, id, seat, verifier, seatFee);
      noteAbsence(own, verifier);
    }
    own.emit(verificationAbi, "Absent", { round: id, verifier, amount: frozenOf(own, id, seat) });
  }
}

/** One more silence in a row. */
export function noteAbsence(own: ModuleCall, verifier: Address): void {
  const { jailAfter, jailSeconds } = own.parameters.verification;
  const count = absencesOf(own, verifier) + 1n;
  absences.set(own, "count", count < jailAfter ? count : 0n, verifier);
  if (count >= jailAfter) jailVerifier(own, verifier, protocolTime(own) + jailSeconds);
}

/** It has answered. */
export function forgetAbsences(own: ModuleCall, verifier: Address): void {
  if (absencesOf(own, verifier) > 0n) absences.set(own, "count", 0n, verifier);
}
