/** Proof that what a worker committed contradicts itself: it takes no execution, and no bond. */
import { equalBytes, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { lastWriterBefore } from "../../../compute/program/last-writer.ts";
import {
  CHUNK_BYTES,
  type MerkleProof,
  verifyChunk,
  verifyLeaf,
  zeroAddress,
} from "../../../compute/program/merkle.ts";
import {
  type ChunkPlace,
  placeAfter,
  type SegmentClaims,
  startAddress,
  tileIn,
  versionRoot,
} from "../../../compute/program/staged-chunks.ts";
import type { TileBytes } from "../../../compute/program/tiles.ts";
import { verificationAbi } from "../../interfaces/abi/verification.ts";
import { type ModuleCall, revertWith } from "../module-call.ts";
import { type ProofInput, proofOf } from "./opening.ts";
import { requirePhase } from "./phases.ts";
import { claimsOf } from "./referee.ts";
import { type ChunkInput, type OriginInput, originOf, requireChunk } from "./referee-input.ts";
import { STAGED_CHUNK_GAS } from "./referee-limits.ts";
import { outputsOf, type RoundFacts, requireFacts } from "./round-record.ts";
import { PHASE } from "./round-types.ts";
import { onFalseOutput } from "./verdict.ts";

export interface OutputChunkInput {
  readonly contents: Hex;
  readonly proof: ProofInput;
}

/** A round whose decision can still be overturned. */
function requireOpen(call: ModuleCall, round: bigint): RoundFacts {
  const facts = requireFacts(call, round);
  const { isFinal, phase } = requirePhase(call, round, PHASE.referee, PHASE.accepted, PHASE.rejected);
  if (isFinal) throw revertWith(verificationAbi, "WrongPhase", [round, phase]);
  return facts;
}

function nothingShown(): Error {
  return revertWith(verificationAbi, "NothingShown", []);
}

export function challengeOutput(
  call: ModuleCall,
  round: bigint,
  output: number,
  written: ChunkInput,
  chunks: readonly OutputChunkInput[],
): void {
  const facts = requireOpen(call, round);
  call.charge(STAGED_CHUNK_GAS * BigInt(1 + chunks.length));
  const claims = claimsOf(call, facts);
  const address = outputsOf(call, round)[output];
  const buffer = claims.program.outputs[output];
  if (address === undefined || buffer === undefined || written.buffer !== buffer) throw nothingShown();
  const known = chunks.map(({ contents, proof }, index) => {
    const chunk = { bytes: hexToBytes(contents), proof: proofOf(proof) };
    if (!verifyChunk(hexToBytes(address), chunk.bytes, chunk.proof)) {
      throw revertWith(verificationAbi, "BadChunk", [BigInt(index), 5]);
    }
    return chunk;
  });
  const length = claims.program.buffers[buffer]?.bytes;
  // The address is bound to a length: another one is shown by any chunk.
  const isOther = known.some(({ proof }) => proof.count !== length) || differs(claims, facts, written, known);
  if (!isOther) throw nothingShown();
  onFalseOutput(call, round);
}

interface KnownBytes {
  readonly bytes: Uint8Array;
  readonly proof: MerkleProof;
}

/** Whether some byte of the output is not what the last launch to write it left there, or what it was at the start. */
function differs(
  claims: SegmentClaims,
  { end }: RoundFacts,
  written: ChunkInput,
  known: readonly KnownBytes[],
): boolean {
  const { program } = claims;
  const { buffer } = written;
  const isZeros = lastWriterBefore(program, end, buffer) === undefined && startAddress(claims, buffer) === undefined;
  if (isZeros) return known.some(({ bytes }) => bytes.some((byte) => byte !== 0));
  const { place, bytes: left } = requireChunk(written, 0, (proven) => placeAfter(claims, end, proven));
  const at = bytesAt(claims, place);
  return known.some(({ bytes, proof }) => overlaps(at, place.index, left, proof.index, bytes));
}

function bytesAt({ program }: SegmentClaims, { buffer, writer, tile }: ChunkPlace): TileBytes {
  const length = program.buffers[buffer]?.bytes ?? 0;
  if (writer === undefined) return { start: 0, width: length, rows: 1, pitch: length };
  const found = tileIn(program, writer, buffer, tile);
  assert(found !== undefined, "the chunk was proven");
  return found.bytes;
}

/** Whether bytes of chunk `index` of a tile differ from those of a chunk of the whole buffer that lie in the same place. */
function overlaps(at: TileBytes, index: number, tile: Uint8Array, chunk: number, whole: Uint8Array): boolean {
  const first = chunk * CHUNK_BYTES;
  return tile.some((byte, i) => {
    const offset = index * CHUNK_BYTES + i;
    const place = at.start + Math.floor(offset / at.width) * at.pitch + (offset % at.width) - first;
    return place >= 0 && place < whole.length && whole[place] !== byte;
  });
}

export function challengeCheckpoint(
  call: ModuleCall,
  round: bigint,
  buffer: number,
  claimed: Hex,
  proof: ProofInput,
  origin: OriginInput,
): void {
  const facts = requireOpen(call, round);
  call.charge(2n * STAGED_CHUNK_GAS);
  const claims = claimsOf(call, facts);
  const count = claims.program.buffers.length;
  const isClaimed = verifyLeaf(hexToBytes(facts.checkpointRoot), hexToBytes(claimed), proofOf(proof));
  if (!isClaimed || proof.index !== buffer || facts.trapTile !== undefined) throw nothingShown();
  const left = proof.count === count ? rootAfter(claims, facts, buffer, origin) : undefined;
  if (proof.count === count && (left === undefined || equalBytes(left, hexToBytes(claimed)))) throw nothingShown();
  onFalseOutput(call, round);
}

/** The version of a buffer that the segment leaves; `undefined` when the origin does not show it. */
function rootAfter(
  claims: SegmentClaims,
  { end }: RoundFacts,
  buffer: number,
  given: OriginInput,
): Uint8Array | undefined {
  const writer = lastWriterBefore(claims.program, end, buffer);
  const length = claims.program.buffers[buffer]?.bytes ?? 0;
  if (writer === undefined) return startAddress(claims, buffer) ?? zeroAddress(length);
  const origin = originOf(buffer, given);
  if (origin === undefined || origin.kind === "start") return undefined;
  if ((origin.kind === "tile") !== writer >= claims.first) return undefined;
  return versionRoot(claims, writer, buffer, origin);
}
