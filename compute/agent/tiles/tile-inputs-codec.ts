/** A tile's inputs as bytes: RLP in one form only. docs/blobs.md, "Inputs of a tile". */
import { bytesToBigint } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpOfInteger } from "../../../base/rlp.ts";
import type { ChunkRun } from "../../program/chunk-run.ts";
import type { LaunchOutcome, TileOpening } from "../../program/commitment.ts";
import type { MerkleProof } from "../../program/merkle.ts";
import { agentError } from "../errors.ts";
import { TILE_LIMITS } from "../limits.ts";
import type { BufferInputs, SourceTile, TileInputs } from "./tile-inputs.ts";

const KINDS = ["start", "segment", "checkpoint"] as const;

function number(value: number): Uint8Array {
  return rlpOfInteger(BigInt(value));
}

export function encodeTileInputs({ buffers }: TileInputs): Uint8Array {
  return encodeRlp(buffers.map(bufferItem));
}

function bufferItem(inputs: BufferInputs): RlpItem {
  const head = [number(KINDS.indexOf(inputs.kind)), number(inputs.buffer)];
  if (inputs.kind === "start") return [...head, inputs.runs.map(runItem)];
  const version = inputs.kind === "segment" ? outcomeItem(inputs.outcome) : inputs.root;
  return [...head, version, proofItem(inputs.proof), inputs.tiles.map(tileItem)];
}

function outcomeItem(outcome: LaunchOutcome): RlpItem {
  if (outcome.kind === "trap") return [number(1), number(outcome.tile)];
  return [number(0), outcome.versions.map(({ buffer, root }) => [number(buffer), root])];
}

function proofItem({ index, count, siblings }: MerkleProof): RlpItem {
  return [number(index), number(count), siblings];
}

function tileItem({ tile, opening, runs }: SourceTile): RlpItem {
  return [number(tile), opening.address, opening.salt, proofItem(opening.proof), runs.map(runItem)];
}

function runItem({ first, bytes, siblings }: ChunkRun): RlpItem {
  return [number(first), bytes, siblings];
}

/** Throws TILE_MALFORMED. The bytes are kept as views. */
export function decodeTileInputs(bytes: Uint8Array): TileInputs {
  if (bytes.length > TILE_LIMITS.answerBytes) malformed(`an answer has at most ${TILE_LIMITS.answerBytes} bytes`);
  try {
    return { buffers: list(decodeRlp(bytes, TILE_LIMITS.answerItems)).map(readBuffer) };
  } catch (error) {
    if (isCoded(error, "RLP_INVALID")) malformed(error.message);
    throw error;
  }
}

function malformed(message: string): never {
  throw agentError("TILE_MALFORMED", `not the inputs of a tile: ${message}`);
}

function list(item: RlpItem | undefined, length?: number): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) malformed("bytes where a list belongs");
  if (length !== undefined && item.length !== length) malformed(`a list of ${item.length}, not of ${length}`);
  return item;
}

function bytesOf(item: RlpItem | undefined, length?: number): Uint8Array {
  if (!(item instanceof Uint8Array)) malformed("a list where bytes belong");
  if (length !== undefined && item.length !== length) malformed(`${item.length} bytes, not ${length}`);
  return item;
}

function integer(item: RlpItem | undefined): number {
  const bytes = bytesOf(item);
  if (bytes[0] === 0 || bytes.length > 6) malformed("a number that is too large, or not in its shortest form");
  return Number(bytesToBigint(bytes));
}

function hashes(item: RlpItem | undefined): readonly Uint8Array[] {
  return list(item).map((hash) => bytesOf(hash, 32));
}

function readBuffer(item: RlpItem): BufferInputs {
  const parts = list(item);
  const kind = KINDS[integer(parts[0])];
  const buffer = integer(parts[1]);
  if (kind === undefined) malformed("a buffer of unknown kind");
  if (kind === "start") {
    list(item, 3);
    return { kind, buffer, runs: list(parts[2]).map(readRun) };
  }
  list(item, 5);
  const rest = { buffer, proof: readProof(parts[3]), tiles: list(parts[4]).map(readTile) };
  if (kind === "segment") return { kind, outcome: readOutcome(parts[2]), ...rest };
  return { kind, root: bytesOf(parts[2], 32), ...rest };
}

function readOutcome(item: RlpItem | undefined): LaunchOutcome {
  const [kind, body] = list(item, 2);
  if (integer(kind) === 1) return { kind: "trap", tile: integer(body) };
  if (integer(kind) !== 0) malformed("a launch that is neither done nor trapped");
  const versions = list(body).map((version) => {
    const [buffer, root] = list(version, 2);
    return { buffer: integer(buffer), root: bytesOf(root, 32) };
  });
  return { kind: "done", versions };
}

function readProof(item: RlpItem | undefined): MerkleProof {
  const [index, count, siblings] = list(item, 3);
  return { index: integer(index), count: integer(count), siblings: hashes(siblings) };
}

function readTile(item: RlpItem): SourceTile {
  const [tile, address, salt, proof, runs] = list(item, 5);
  const opening: TileOpening = {
    ...{ address: bytesOf(address, 32), salt: bytesOf(salt, 32), proof: readProof(proof) },
  };
  return { tile: integer(tile), opening, runs: list(runs).map(readRun) };
}

function readRun(item: RlpItem): ChunkRun {
  const [first, bytes, siblings] = list(item, 3);
  return { first: integer(first), bytes: bytesOf(bytes), siblings: hashes(siblings) };
}
