/**
 * Seats of a round: those of tier 0 first, numbered from 0, then the votes of all its disputes in the order in which they
 * were drawn. So a number names one answer of one verifier on one tile, and a seal cannot be used anywhere else.
 */
import { bytes32, bytesToHex, type Hex } from "../../../base/bytes.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import type { ModuleCall } from "../module-call.ts";
import { packedWord } from "../staking/packed-word.ts";
import { recordSpace } from "../storage.ts";

const records = recordSpace("seat", ["holder", "answer", "place", "opened", "frozen"]);
/** Units fit: all the money there is has 85 bits of wei. */
const holder = packedWord({ verifier: 160, isSealed: 1, isRevealed: 1, dispute: 6, units: 88 });
const place = packedWord({ launch: 48, tile: 32 });

export interface SeatRecord {
  readonly verifier: Address;
  readonly isSealed: boolean;
  readonly isRevealed: boolean;
  /** Of a vote: which of the round's disputes it is in. */
  readonly dispute: number;
  /** Of a vote: what it weighs. */
  readonly units: bigint;
}

export interface SeatPlace {
  readonly launch: number;
  readonly tile: number;
}

export function readSeat(own: ModuleCall, round: bigint, seat: number): SeatRecord {
  const { verifier, isSealed, isRevealed, dispute, units } = holder.unpack(records.get(own, "holder", round, seat));
  return {
    verifier: wordToAddress(verifier),
    isSealed: isSealed === 1n,
    isRevealed: isRevealed === 1n,
    dispute: Number(dispute),
    units,
  };
}

export function writeSeat(own: ModuleCall, round: bigint, seat: number, record: SeatRecord): void {
  const word = holder.pack({
    verifier: addressToWord(record.verifier),
    isSealed: record.isSealed ? 1n : 0n,
    isRevealed: record.isRevealed ? 1n : 0n,
    dispute: BigInt(record.dispute),
    units: record.units,
  });
  records.set(own, "holder", word, round, seat);
}

/** Of a seat of tier 0. */
export function seatPlace(own: ModuleCall, round: bigint, seat: number): SeatPlace {
  const { launch, tile } = place.unpack(records.get(own, "place", round, seat));
  return { launch: Number(launch), tile: Number(tile) };
}

export function placeSeat(own: ModuleCall, round: bigint, seat: number, { launch, tile }: SeatPlace): void {
  records.set(own, "place", place.pack({ launch: BigInt(launch), tile: BigInt(tile) }), round, seat);
}

/** The seal until the seat has revealed, the digest from then on. */
export function answerOf(own: ModuleCall, round: bigint, seat: number): Hex {
  return bytesToHex(bytes32(records.get(own, "answer", round, seat)));
}

export function keepAnswer(own: ModuleCall, round: bigint, seat: number, answer: Hex): void {
  records.set(own, "answer", BigInt(answer), round, seat);
}

/** The digest that the worker's opening of the seat's tile gives; `undefined` until then. */
export function openedOf(own: ModuleCall, round: bigint, seat: number): Hex | undefined {
  const word = records.get(own, "opened", round, seat);
  return word === 0n ? undefined : bytesToHex(bytes32(word));
}

export function keepOpened(own: ModuleCall, round: bigint, seat: number, digest: Hex): void {
  records.set(own, "opened", BigInt(digest), round, seat);
}

/** What is frozen of the verifier for this seat. */
export function frozenOf(own: ModuleCall, round: bigint, seat: number): bigint {
  return records.get(own, "frozen", round, seat);
}

export function keepFrozen(own: ModuleCall, round: bigint, seat: number, amount: bigint): void {
  records.set(own, "frozen", amount, round, seat);
}
