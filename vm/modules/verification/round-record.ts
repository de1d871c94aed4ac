/** What the chain keeps of a round: what was asked for, which never changes, and where it is. */
import { bytes32, bytesToHex, type Hex } from "../../../base/bytes.ts";
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { packedWord } from "../staking/packed-word.ts";
import { fieldSlot, recordSpace, slotOf } from "../storage.ts";
import type { RoundRequest } from "./round-types.ts";

const records = recordSpace("round", [
  "ids",
  "range",
  "client",
  "worker",
  "program",
  "segmentRoot",
  "checkpointRoot",
  "startCheckpoint",
  "seatFee",
  "state",
  "saltSum",
  "seed",
  "catcher",
]);

const ids = packedWord({ job: 64, segment: 32, segments: 32, seats: 16, tier: 8, epoch: 64 });
const range = packedWord({ first: 48, end: 48, trapTile: 32, isTrap: 1, begun: 64, excluded: 8, outputs: 16 });
const state = packedWord({
  phase: 8,
  isFinal: 1,
  reason: 16,
  guilty: 8,
  by: 64,
  drawn: 16,
  sealed: 16,
  opened: 16,
  revealed: 16,
  dispute: 8,
  disputes: 8,
  votes: 16,
  challenges: 8,
  isFrozen: 1,
  wasVoted: 1,
  isDisproven: 1,
});

const COUNT_SLOT: Hex = slotOf("rounds");

/** What never changes. */
export interface RoundFacts {
  readonly id: bigint;
  readonly job: bigint;
  readonly segment: number;
  readonly segments: number;
  readonly seats: number;
  readonly tier: number;
  /** Whose snapshot draws go by. */
  readonly epoch: bigint;
  readonly first: number;
  /** Behind the last committed launch. */
  readonly end: number;
  /** The tile that traps in the last committed launch. */
  readonly trapTile: number | undefined;
  /** The block in which the round began. */
  readonly begun: bigint;
  readonly client: Address;
  readonly worker: Address;
  readonly program: Hex;
  readonly segmentRoot: Hex;
  readonly checkpointRoot: Hex;
  readonly startCheckpoint: Hex | undefined;
  readonly seatFee: bigint;
}

/** Where the round is. */
export interface RoundState {
  readonly phase: number;
  readonly isFinal: boolean;
  readonly reason: number;
  readonly guilty: number;
  /** Protocol seconds; 0 while a draw is waited for. */
  readonly by: bigint;
  /** Of tier 0: seats that were drawn, sealed, opened, revealed. */
  readonly drawn: number;
  readonly sealed: number;
  readonly opened: number;
  readonly revealed: number;
  /** The dispute that is voted on, or was last; how many there are. */
  readonly dispute: number;
  readonly disputes: number;
  /** Votes drawn in all disputes. */
  readonly votes: number;
  /** Challenges that wait for the referee. */
  readonly challenges: number;
  /** Whoever spoke has stake frozen. */
  readonly isFrozen: boolean;
  /** Something was put to the vote. */
  readonly wasVoted: boolean;
  /** Something of it is proven false: no other proof can save it. */
  readonly isDisproven: boolean;
}

export function roundCount(own: ModuleCall): bigint {
  return own.read(COUNT_SLOT);
}

const hash = (word: bigint): Hex => bytesToHex(bytes32(word));

/** Writes a new round and gives its number. */
export function writeRound(
  own: ModuleCall,
  request: RoundRequest,
  committed: { readonly first: number; readonly end: number; readonly epoch: bigint },
  excluded: readonly Address[],
): bigint {
  const id = roundCount(own) + 1n;
  own.write(COUNT_SLOT, id);
  const { commitment } = request;
  const words = {
    ids: ids.pack({
      job: request.job,
      segment: BigInt(request.segment),
      segments: BigInt(request.segments),
      seats: BigInt(request.seats),
      tier: BigInt(request.tier),
      epoch: committed.epoch,
    }),
    range: range.pack({
      first: BigInt(committed.first),
      end: BigInt(committed.end),
      trapTile: BigInt(commitment.trap?.tile ?? 0),
      isTrap: commitment.trap === undefined ? 0n : 1n,
      begun: own.environment.number,
      excluded: BigInt(excluded.length),
      outputs: BigInt(commitment.outputs.length),
    }),
    client: addressToWord(request.client),
    worker: addressToWord(request.worker),
    program: BigInt(request.program),
    segmentRoot: BigInt(commitment.segmentRoot),
    checkpointRoot: BigInt(commitment.checkpointRoot),
    startCheckpoint: BigInt(request.startCheckpoint ?? 0),
    seatFee: request.seatFee,
  };
  for (const [field, word] of Object.entries(words)) {
    if (word !== 0n) records.set(own, field as keyof typeof words, word, id);
  }
  writeList(own, excluded.map(addressToWord), slotOf("excluded", id));
  writeList(own, commitment.outputs.map(BigInt), slotOf("outputs", id));
  return id;
}

export function readFacts(own: ModuleCall, id: bigint): RoundFacts {
  const numbers = ids.unpack(records.get(own, "ids", id));
  const launches = range.unpack(records.get(own, "range", id));
  const start = records.get(own, "startCheckpoint", id);
  return {
    id,
    job: numbers.job,
    segment: Number(numbers.segment),
    segments: Number(numbers.segments),
    seats: Number(numbers.seats),
    tier: Number(numbers.tier),
    epoch: numbers.epoch,
    first: Number(launches.first),
    end: Number(launches.end),
    trapTile: launches.isTrap === 1n ? Number(launches.trapTile) : undefined,
    begun: launches.begun,
    client: wordToAddress(records.get(own, "client", id)),
    worker: wordToAddress(records.get(own, "worker", id)),
    program: hash(records.get(own, "program", id)),
    segmentRoot: hash(records.get(own, "segmentRoot", id)),
    checkpointRoot: hash(records.get(own, "checkpointRoot", id)),
    startCheckpoint: start === 0n ? undefined : hash(start),
    seatFee: records.get(own, "seatFee", id),
  };
}

/** Reverts with NoSuchRound. */
export function requireFacts(own: ModuleCall, id: bigint): RoundFacts {
  if (id === 0n || id > roundCount(own)) throw revertWith(verificationAbi, "NoSuchRound", [id]);
  return readFacts(own, id);
}

export function readState(own: ModuleCall, id: bigint): RoundState {
  const words = state.unpack(records.get(own, "state", id));
  const number = (field: keyof typeof words): number => Number(words[field]);
  return {
    phase: number("phase"),
    isFinal: words.isFinal === 1n,
    reason: number("reason"),
    guilty: number("guilty"),
    by: words.by,
    drawn: number("drawn"),
    sealed: number("sealed"),
    opened: number("opened"),
    revealed: number("revealed"),
    dispute: number("dispute"),
    disputes: number("disputes"),
    votes: number("votes"),
    challenges: number("challenges"),
    isFrozen: words.isFrozen === 1n,
    wasVoted: words.wasVoted === 1n,
    isDisproven: words.isDisproven === 1n,
  };
}

/** Writes what changed; says how the round is now. */
export function changeState(own: ModuleCall, id: bigint, change: Partial<RoundState>): RoundState {
  const now = { ...readState(own, id), ...change };
  const word = state.pack({
    phase: BigInt(now.phase),
    isFinal: now.isFinal ? 1n : 0n,
    reason: BigInt(now.reason),
    guilty: BigInt(now.guilty),
    by: now.by,
    drawn: BigInt(now.drawn),
    sealed: BigInt(now.sealed),
    opened: BigInt(now.opened),
    revealed: BigInt(now.revealed),
    dispute: BigInt(now.dispute),
    disputes: BigInt(now.disputes),
    votes: BigInt(now.votes),
    challenges: BigInt(now.challenges),
    isFrozen: now.isFrozen ? 1n : 0n,
    wasVoted: now.wasVoted ? 1n : 0n,
    isDisproven: now.isDisproven ? 1n : 0n,
  });
  records.set(own, "state", word, id);
  return now;
}

export function excludedOf(own: ModuleCall, id: bigint): readonly Address[] {
  const { excluded } = range.unpack(records.get(own, "range", id));
  return readList(own, Number(excluded), slotOf("excluded", id)).map(wordToAddress);
}

export function outputsOf(own: ModuleCall, id: bigint): readonly Hex[] {
  const { outputs } = range.unpack(records.get(own, "range", id));
  return readList(own, Number(outputs), slotOf("outputs", id)).map(hash);
}

/** Inputs are a job's: later rounds of the same job find them there. */
export function keepInputs(own: ModuleCall, job: bigint, inputs: readonly Hex[]): void {
  const base = slotOf("inputs", job);
  if (inputs.length === 0 || own.read(base) !== 0n) return;
  own.write(base, BigInt(inputs.length));
  writeList(own, inputs.map(BigInt), fieldSlot(base, 1));
}

export function inputsOf(own: ModuleCall, job: bigint): readonly Hex[] {
  const base = slotOf("inputs", job);
  return readList(own, Number(own.read(base)), fieldSlot(base, 1)).map(hash);
}

function writeList(own: ModuleCall, words: readonly bigint[], base: Hex): void {
  for (const [index, word] of words.entries()) own.write(fieldSlot(base, index), word);
}

function readList(own: ModuleCall, count: number, base: Hex): readonly bigint[] {
  return Array.from({ length: count }, (_, index) => own.read(fieldSlot(base, index)));
}

/** The sum, modulo 2^256, of what `saltWord` gives of each salt that was opened. */
export function saltSum(own: ModuleCall, id: bigint): bigint {
  return records.get(own, "saltSum", id);
}

export function addSalts(own: ModuleCall, id: bigint, words: bigint): void {
  records.set(own, "saltSum", BigInt.asUintN(256, saltSum(own, id) + words), id);
}

/** `undefined` until it is published. */
export function seedOf(own: ModuleCall, id: bigint): Hex | undefined {
  const word = records.get(own, "seed", id);
  return word === 0n ? undefined : hash(word);
}

export function keepSeed(own: ModuleCall, id: bigint, seed: Hex): void {
  records.set(own, "seed", BigInt(seed), id);
}

/** Who proved the worker wrong when nothing else had; `undefined` if nobody did. */
export function catcherOf(own: ModuleCall, id: bigint): Address | undefined {
  const word = records.get(own, "catcher", id);
  return word === 0n ? undefined : wordToAddress(word);
}

export function keepCatcher(own: ModuleCall, id: bigint, catcher: Address): void {
  records.set(own, "catcher", addressToWord(catcher), id);
}
