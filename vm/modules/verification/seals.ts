/**
 * Sealing and revealing, the same in both tiers: first H(verifier, round, seat, digest, nonce), later what it hides. A seal
 * names who made it and for which seat, so nobody can copy another's, or reveal it, or use its own twice.
 */
import { bytes32, bytesToHex, concatBytes, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { keccak256 } from "../../../base/keccak.ts";
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord } from "../address-word.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { answerOf, keepAnswer, readSeat, type SeatRecord, writeSeat } from "./seat-record.ts";

export interface SealInput {
  readonly seat: number;
  readonly hash: Hex;
}

export interface AnswerInput {
  readonly seat: number;
  readonly digest: Hex;
  readonly nonce: Hex;
}

/** keccak256(abi.encode(verifier, round, seat, digest, nonce)): five words. */
export function sealOf(verifier: Address, round: bigint, { seat, digest, nonce }: AnswerInput): Hex {
  const words = [bytes32(addressToWord(verifier)), bytes32(round), bytes32(BigInt(seat))];
  return bytesToHex(keccak256(concatBytes(...words, hexToBytes(digest), hexToBytes(nonce))));
}

/** Which seats can be meant: from `first` up to `end`. */
export interface SeatRange {
  readonly first: number;
  readonly end: number;
}

export function requireSeat(own: ModuleCall, round: bigint, { first, end }: SeatRange, seat: number): SeatRecord {
  const record = seat >= first && seat < end ? readSeat(own, round, seat) : undefined;
  if (record?.verifier !== own.message.caller) throw revertWith(verificationAbi, "NotYourSeat", [seat]);
  return record;
}

/** Keeps the caller's seals. */
export function keepSeals(own: ModuleCall, round: bigint, range: SeatRange, seals: readonly SealInput[]): void {
  for (const { seat, hash } of seals) {
    const record = requireSeat(own, round, range, seat);
    if (record.isSealed) throw revertWith(verificationAbi, "AlreadySealed", [seat]);
    keepAnswer(own, round, seat, hash);
    writeSeat(own, round, seat, { ...record, isSealed: true });
    own.emit(verificationAbi, "SeatSealed", { round, seat });
  }
}

/** Puts what they hide in the place of the caller's seals. */
export function keepReveals(own: ModuleCall, round: bigint, range: SeatRange, answers: readonly AnswerInput[]): void {
  for (const answer of answers) {
    const { seat, digest } = answer;
    const record = requireSeat(own, round, range, seat);
    if (!record.isSealed) throw revertWith(verificationAbi, "NotSealed", [seat]);
    if (record.isRevealed) throw revertWith(verificationAbi, "AlreadyRevealed", [seat]);
    if (sealOf(record.verifier, round, answer) !== answerOf(own, round, seat)) {
      throw revertWith(verificationAbi, "SealMismatch", [seat]);
    }
    keepAnswer(own, round, seat, digest);
    writeSeat(own, round, seat, { ...record, isRevealed: true });
    own.emit(verificationAbi, "SeatRevealed", { round, seat, digest });
  }
}
