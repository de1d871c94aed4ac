/** Chunks and where they come from, as the ABI has them, in the words of compute/program. */
import { type Hex, hexToBytes } from "../../../base/bytes.ts";
import type { ChunkOrigin, ChunkPlace, ProvenChunk } from "../../../compute/program/staged-chunks.ts";
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import { revertWith } from "../module-call.ts";
import {
  type OutcomeInput,
  outcomeOf,
  type ProofInput,
  proofOf,
  type TileOpeningInput,
  tileOpeningOf,
} from "./opening.ts";

export interface OriginInput {
  readonly kind: number;
  readonly launch: number;
  readonly outcome: OutcomeInput;
  readonly proof: ProofInput;
  readonly tile: number;
  readonly opening: TileOpeningInput;
}

export interface ChunkInput {
  readonly buffer: number;
  readonly origin: OriginInput;
  readonly contents: Hex;
  readonly proof: ProofInput;
}

/** `undefined` for an origin of no kind. */
function provenChunkOf({ buffer, origin, contents, proof }: ChunkInput): ProvenChunk | undefined {
  const from = originOf(buffer, origin);
  return from && { buffer, origin: from, bytes: hexToBytes(contents), proof: proofOf(proof) };
}

/**
 * A chunk that somebody brings, and where `placeIn` finds that it belongs; a number is what is wrong with it. Reverts with
 * BadChunk, naming the chunk by its position in the call.
 */
export function requireChunk(
  chunk: ChunkInput,
  index: number,
  placeIn: (proven: ProvenChunk) => ChunkPlace | number,
): { readonly place: ChunkPlace; readonly bytes: Uint8Array } {
  const proven = provenChunkOf(chunk);
  const place = proven === undefined ? 0 : placeIn(proven);
  if (proven === undefined || typeof place === "number") {
    throw revertWith(verificationAbi, "BadChunk", [BigInt(index), Number(place)]);
  }
  return { place, bytes: proven.bytes };
}

/** A checkpoint's version is the only one of its outcome. */
export function originOf(buffer: number, given: OriginInput): ChunkOrigin | undefined {
  const { kind, launch, outcome, tile } = given;
  if (kind === 0) return { kind: "start" };
  const rest = { proof: proofOf(given.proof), tile, opening: tileOpeningOf(given.opening) };
  if (given.opening.buffer !== buffer) return undefined;
  if (kind === 1) return { kind: "tile", launch, outcome: outcomeOf(outcome), ...rest };
  const [version] = outcome.versions;
  if (kind !== 2 || outcome.versions.length !== 1 || version?.buffer !== buffer) return undefined;
  return { kind: "checkpoint", root: hexToBytes(version.root), ...rest };
}
