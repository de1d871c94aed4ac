/** What the chain keeps of a challenge until its verdict, and the chunks that were staged for it. */
import { bytes32, bytesToHex, type Hex } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { decodeRlp, encodeRlp, rlpBytes, rlpInteger, rlpList, rlpOfInteger } from "../../../base/rlp.ts";
import type { ChunkPlace } from "../../../compute/program/staged-chunks.ts";
import type { Address } from "../../state/account.ts";
import { addressToWord, wordToAddress } from "../address-word.ts";
import { readBlob, removeBlob, writeBlob } from "../blob.ts";
import type { ModuleCall } from "../module-call.ts";
import { packedWord } from "../staking/packed-word.ts";
import { recordSpace, slotOf } from "../storage.ts";
import { STAGED_BYTE_GAS } from "./referee-limits.ts";

const records = recordSpace("challenge", ["place", "challenger", "bond", "opened", "stages", "defends"]);
const place = packedWord({ round: 64, launch: 48, tile: 32 });
const COUNT_SLOT: Hex = slotOf("challenges");

export interface ChallengeName {
  readonly round: bigint;
  readonly launch: number;
  readonly tile: number;
  readonly challenger: Address;
}

export interface Challenge extends ChallengeName {
  readonly id: bigint;
  readonly bond: bigint;
  /** The digest of what the worker committed; `undefined` until the tile is open. */
  readonly opened: Hex | undefined;
  /** Calls that have staged chunks. */
  readonly stages: number;
  /** The round's dispute that it may overturn, on which the round stood when it was made. */
  readonly defends: number | undefined;
}

/** Several may challenge the same tile: nobody can keep others from it by a challenge that he lets fail. */
function numberSlot({ round, launch, tile, challenger }: ChallengeName): Hex {
  return slotOf("challenge at", round, launch, tile, challenger);
}

/** Somebody's challenge of a tile that waits for its verdict. */
export function findChallenge(own: ModuleCall, name: ChallengeName): Challenge | undefined {
  const id = own.read(numberSlot(name));
  return id === 0n ? undefined : readChallenge(own, id);
}

export function readChallenge(own: ModuleCall, id: bigint): Challenge {
  const { round, launch, tile } = place.unpack(records.get(own, "place", id));
  const opened = records.get(own, "opened", id);
  const defends = Number(records.get(own, "defends", id));
  return {
    id,
    ...{ round, launch: Number(launch), tile: Number(tile) },
    challenger: wordToAddress(records.get(own, "challenger", id)),
    bond: records.get(own, "bond", id),
    opened: opened === 0n ? undefined : bytesToHex(bytes32(opened)),
    stages: Number(records.get(own, "stages", id)),
    defends: defends === 0 ? undefined : defends - 1,
  };
}

/** Gives its number. Numbers are never used again. */
export function writeChallenge(own: ModuleCall, given: Omit<Challenge, "id" | "stages">): bigint {
  const id = own.read(COUNT_SLOT) + 1n;
  own.write(COUNT_SLOT, id);
  own.write(numberSlot(given), id);
  const where = { round: given.round, launch: BigInt(given.launch), tile: BigInt(given.tile) };
  records.set(own, "place", place.pack(where), id);
  records.set(own, "challenger", addressToWord(given.challenger), id);
  records.set(own, "bond", given.bond, id);
  records.set(own, "opened", BigInt(given.opened ?? 0), id);
  if (given.defends !== undefined) records.set(own, "defends", BigInt(given.defends + 1), id);
  return id;
}

export function keepOpening(own: ModuleCall, id: bigint, digest: Hex): void {
  records.set(own, "opened", BigInt(digest), id);
}

/** Everything of it goes, its chunks too. */
export function removeChallenge(own: ModuleCall, found: Challenge): void {
  const { id, stages } = found;
  own.write(numberSlot(found), 0n);
  for (const field of ["place", "challenger", "bond", "opened", "stages", "defends"] as const) {
    records.set(own, field, 0n, id);
  }
  for (let stage = 0; stage < stages; stage++) removeBlob(own, "stage", id, stage);
}

export interface StagedBytes {
  readonly place: ChunkPlace;
  readonly bytes: Uint8Array;
}

/** RLP of [buffer, 0 or 1 + the launch that wrote it, tile, index, bytes] for each chunk. */
export function encodeStage(chunks: readonly StagedBytes[]): Uint8Array {
  return encodeRlp(
    chunks.map(({ place: { buffer, writer, tile, index }, bytes }) => [
      ...[buffer, writer === undefined ? 0 : writer + 1, tile, index].map((value) => rlpOfInteger(BigInt(value))),
      bytes,
    ]),
  );
}

/** The bytes are those of `encodeStage`, and fit. */
export function writeStage(own: ModuleCall, { id, stages }: Challenge, encoded: Uint8Array): void {
  writeBlob(own, encoded, STAGED_BYTE_GAS, "stage", id, stages);
  records.set(own, "stages", BigInt(stages + 1), id);
}

export function readStages(own: ModuleCall, { id, stages }: Challenge): readonly StagedBytes[] {
  return Array.from({ length: stages }, (_, stage) => {
    const bytes = readBlob(own, "stage", id, stage);
    assert(bytes !== undefined, "what was staged is there");
    return rlpList(decodeRlp(bytes)).map((item) => {
      const [buffer, writer, tile, index, contents] = rlpList(item);
      const number = (field: typeof buffer): number => Number(rlpInteger(field as Uint8Array, 8));
      return {
        place: {
          ...{ buffer: number(buffer), tile: number(tile), index: number(index) },
          writer: number(writer) === 0 ? undefined : number(writer) - 1,
        },
        bytes: rlpBytes(contents as Uint8Array),
      };
    });
  }).flat();
}
