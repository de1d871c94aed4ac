/**
 * A job in the slots of the market's account. What changes with every step is one word, what never changes another; money
 * and addresses have words of their own. All functions take a call in the market's account.
 */
import { bytes32, bytesToHex, concatBytes, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { marketAbi } from "../../interfaces/abi/market.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { type PackedWord, packedWord } from "../staking/packed-word.ts";
import { type RecordSpace, readBytes, recordSpace, slotOf, writeBytes } from "../storage.ts";

const FIELDS = [
  "state",
  "terms",
  "times",
  "client",
  "program",
  "worker",
  "budget",
  "verification",
  "price",
  "paid",
  "burned",
  "treasury",
  "minted",
  "refunded",
  "verified",
  "reserve",
  "checkpoint",
  "segmentRoot",
  "checkpointRoot",
  "trap",
  "region",
  "holder",
  "callback",
  "tip",
  "gap",
  "seatFee",
  "lastRound",
] as const;

export type JobField = (typeof FIELDS)[number];

export const jobWords: RecordSpace<JobField> = recordSpace("job", FIELDS);

type StateField =
  | "status"
  | "reason"
  | "actor"
  | "by"
  | "segment"
  | "attempt"
  | "round"
  | "racers"
  | "demands"
  | "demanded"
  | "cancelling"
  | "delivered"
  | "traps"
  | "attested"
  | "final"
  | "ownDemanded";

type TermsField =
  | "source"
  | "created"
  | "segments"
  | "seats"
  | "tier"
  | "assurance"
  | "seconds"
  | "bidSeconds"
  | "racers";

type TimesField = "deadline" | "started" | "ended" | "promised" | "first" | "extended" | "worked";

/** What changes with every step. `round` is 0 while none runs. Flags are 0 or 1. */
const stateWord: PackedWord<StateField> = packedWord({
  status: 8,
  reason: 16,
  actor: 8,
  by: 48,
  segment: 16,
  attempt: 16,
  round: 64,
  racers: 8,
  /** Demands that wait for an answer; and all there ever were of others than the client. */
  demands: 8,
  demanded: 8,
  cancelling: 1,
  delivered: 1,
  traps: 1,
  attested: 1,
  /** The round is final; something else is waited for. */
  final: 1,
  /** Demands of the client itself; the others are in `demanded`. */
  ownDemanded: 8,
});
/** What was agreed at the beginning. `seconds` is what racers have, or the whole of an auction job. */
const termsWord: PackedWord<TermsField> = packedWord({
  source: 64,
  created: 48,
  segments: 16,
  seats: 8,
  tier: 8,
  assurance: 8,
  seconds: 32,
  bidSeconds: 32,
  racers: 8,
});
/**
 * `deadline` of the job; `started`: the present attempt or segment; `ended`; `promised` by the worker for all segments
 * from `first` on; `extended`: what demands for inputs have given racers on top of their time;
 * `worked`: from `started` to the worker's commitment.
 */
const timesWord: PackedWord<TimesField> = packedWord({
  deadline: 48,
  started: 48,
  ended: 48,
  promised: 32,
  first: 16,
  extended: 32,
  worked: 32,
});

export type JobState = Readonly<Record<StateField, bigint>>;
export type JobTerms = Readonly<Record<TermsField, bigint>>;
export type JobTimes = Readonly<Record<TimesField, bigint>>;

export function readState(call: ModuleCall, job: bigint): JobState {
  return stateWord.unpack(jobWords.get(call, "state", job));
}

export function writeState(call: ModuleCall, job: bigint, state: JobState): void {
  jobWords.set(call, "state", stateWord.pack(state), job);
}

export function readTerms(call: ModuleCall, job: bigint): JobTerms {
  return termsWord.unpack(jobWords.get(call, "terms", job));
}

export function writeTerms(call: ModuleCall, job: bigint, terms: JobTerms): void {
  jobWords.set(call, "terms", termsWord.pack(terms), job);
}

export function readTimes(call: ModuleCall, job: bigint): JobTimes {
  return timesWord.unpack(jobWords.get(call, "times", job));
}

export function changeTimes(call: ModuleCall, job: bigint, change: Partial<JobTimes>): void {
  jobWords.set(call, "times", timesWord.pack({ ...readTimes(call, job), ...change }), job);
}

export function clientOf(call: ModuleCall, job: bigint): Address {
  return wordToAddress(jobWords.get(call, "client", job));
}

export function programOf(call: ModuleCall, job: bigint): Hex {
  return wordToHash(jobWords.get(call, "program", job));
}

const DEVICE_BITS = 64n;

export interface Worker {
  readonly worker: Address;
  /** 0 in an auction job. */
  readonly device: bigint;
}

/** `undefined` while there is none. */
export function workerOf(call: ModuleCall, job: bigint): Worker | undefined {
  const word = jobWords.get(call, "worker", job);
  return word === 0n ? undefined : unpackWorker(word);
}

export function setWorker(call: ModuleCall, job: bigint, worker: Worker | undefined): void {
  jobWords.set(call, "worker", worker === undefined ? 0n : packWorker(worker), job);
}

export function packWorker({ worker, device }: Worker): bigint {
  return (addressToWord(worker) << DEVICE_BITS) | device;
}

export function unpackWorker(word: bigint): Worker {
  return { worker: wordToAddress(word >> DEVICE_BITS), device: BigInt.asUintN(64, word) };
}

export function wordToHash(word: bigint): Hex {
  return bytesToHex(bytes32(word));
}

/** Lists of content addresses. */
export function writeHashes(call: ModuleCall, hashes: readonly Hex[], space: string, ...keys: readonly bigint[]): void {
  writeBytes(call, concatBytes(...hashes.map(hexToBytes)), space, ...keys);
}

const HASH_BYTES = 32;

export function readHashes(call: ModuleCall, space: string, ...keys: readonly bigint[]): readonly Hex[] {
  const bytes = readBytes(call, space, ...keys);
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, index) =>
    bytesToHex(bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)),
  );
}

export const INPUTS = "job inputs";
export const OUTPUTS = "job outputs";

const JOB_COUNT: Hex = slotOf("job count");

export function jobCount(call: ModuleCall): bigint {
  return call.read(JOB_COUNT);
}

/** Jobs are numbered from 1. */
export function nextJob(call: ModuleCall): bigint {
  const job = jobCount(call) + 1n;
  call.write(JOB_COUNT, job);
  return job;
}

/** Its state; reverts with NoJob. */
export function requireJob(call: ModuleCall, job: bigint): JobState {
  const state = readState(call, job);
  if (state.status === 0n) throw revertWith(marketAbi, "NoJob", [job]);
  return state;
}

export function requireClient(call: ModuleCall, job: bigint): Address {
  const client = clientOf(call, job);
  if (call.message.caller !== client) throw revertWith(marketAbi, "NotClient", [client]);
  return client;
}

export function wrongStatus(job: bigint, { status }: JobState): Error {
  return revertWith(marketAbi, "WrongStatus", [job, Number(status)]);
}

/** What was meant for another draw or auction of the job is refused: its sender may not know of the present one. */
export function requireAttempt(job: bigint, state: JobState, attempt: bigint): void {
  if (state.attempt !== attempt) throw revertWith(marketAbi, "WrongAttempt", [job, state.attempt]);
}

export function isTask({ source }: JobTerms): boolean {
  return source > 0n;
}
