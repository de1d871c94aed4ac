/** Who races for a task: places in the order that the beacon drew, what each has sealed and revealed, what is reserved. */
import type { Hex } from "../../../base/bytes.ts";
import type { Address } from "../../state/account.ts";
import type { ModuleCall } from "../module-call.ts";
import { type PackedWord, packedWord } from "../staking/packed-word.ts";
import { recordSpace, slotOf } from "../storage.ts";
import type { StoredCommitment } from "./commitment.ts";
import { type JobState, packWorker, readHashes, unpackWorker, type Worker, writeHashes } from "./job-record.ts";

/** Which race, and which place in it. */
export interface Place {
  readonly job: bigint;
  readonly attempt: bigint;
  readonly place: bigint;
}

type ProgressField = "drawn" | "sealBlock" | "sealTime" | "revealed" | "failed" | "released";

const words = recordSpace("racer", ["worker", "member", "progress", "seal", "segmentRoot", "checkpointRoot", "trap"]);
const progressWord: PackedWord<ProgressField> = packedWord({
  drawn: 48,
  sealBlock: 64,
  sealTime: 48,
  revealed: 1,
  failed: 1,
  released: 1,
});

export type Progress = Readonly<Record<ProgressField, bigint>>;

export interface Racer extends Worker, Progress, Place {
  readonly member: bigint;
}

function keys({ job, attempt, place }: Place): readonly [bigint, bigint, bigint] {
  return [job, attempt, place];
}

/** Holds the place plus one. */
function placeSlot(job: bigint, attempt: bigint, worker: Address): Hex {
  return slotOf("racer place", job, attempt, worker);
}

export function addRacer(call: ModuleCall, place: Place, worker: Worker, member: bigint, now: bigint): void {
  words.set(call, "worker", packWorker(worker), ...keys(place));
  words.set(call, "member", member, ...keys(place));
  const progress = { drawn: now, sealBlock: 0n, sealTime: 0n, revealed: 0n, failed: 0n, released: 0n };
  words.set(call, "progress", progressWord.pack(progress), ...keys(place));
  call.write(placeSlot(place.job, place.attempt, worker.worker), place.place + 1n);
}

export function racerAt(call: ModuleCall, place: Place): Racer {
  return {
    ...place,
    ...unpackWorker(words.get(call, "worker", ...keys(place))),
    ...progressWord.unpack(words.get(call, "progress", ...keys(place))),
    member: words.get(call, "member", ...keys(place)),
  };
}

/** Those of the present race, in the order of places. */
export function racersOf(call: ModuleCall, job: bigint, { attempt, racers }: JobState): readonly Racer[] {
  return Array.from({ length: Number(racers) }, (_, place) => racerAt(call, { job, attempt, place: BigInt(place) }));
}

export function findRacer(call: ModuleCall, job: bigint, attempt: bigint, worker: Address): Racer | undefined {
  const place = call.read(placeSlot(job, attempt, worker));
  return place === 0n ? undefined : racerAt(call, { job, attempt, place: place - 1n });
}

export function changeProgress(call: ModuleCall, racer: Racer, change: Partial<Progress>): Racer {
  const { drawn, sealBlock, sealTime, revealed, failed, released } = { ...racer, ...change };
  const progress = { drawn, sealBlock, sealTime, revealed, failed, released };
  words.set(call, "progress", progressWord.pack(progress), ...keys(racer));
  return { ...racer, ...progress };
}

export function sealOfRacer(call: ModuleCall, place: Place): bigint {
  return words.get(call, "seal", ...keys(place));
}

export function setSeal(call: ModuleCall, place: Place, seal: Hex): void {
  words.set(call, "seal", BigInt(seal), ...keys(place));
}

const RACER_OUTPUTS = "racer outputs";

export function writeRevealed(call: ModuleCall, place: Place, commitment: StoredCommitment): void {
  for (const field of ["segmentRoot", "checkpointRoot", "trap"] as const) {
    words.set(call, field, commitment[field], ...keys(place));
  }
  writeHashes(call, commitment.outputs, RACER_OUTPUTS, ...keys(place));
}

export function readRevealed(call: ModuleCall, place: Place): StoredCommitment {
  const get = (field: "segmentRoot" | "checkpointRoot" | "trap"): bigint => words.get(call, field, ...keys(place));
  return {
    segmentRoot: get("segmentRoot"),
    checkpointRoot: get("checkpointRoot"),
    trap: get("trap"),
    outputs: readHashes(call, RACER_OUTPUTS, ...keys(place)),
  };
}
