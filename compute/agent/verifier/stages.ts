import type { MerkleProof } from "../../program/merkle.ts";
import type { StagedChunk } from "../ports.ts";
import { STAGE_BYTES, STAGE_CONTENTS } from "./limits.ts";

const WORD = 32;
/** Words of a chunk in a call beside its contents and hashes. */
const FRAME_WORDS = 40;

function wordsOf({ siblings }: MerkleProof): number {
  return siblings.length;
}

function bytesOf({ origin, bytes, proof }: StagedChunk): number {
  const inside = origin.kind === "start" ? 0 : wordsOf(origin.proof) + wordsOf(origin.opening.proof);
  const versions = origin.kind === "tile" && origin.outcome.kind === "done" ? 2 * origin.outcome.versions.length : 2;
  return bytes.length + WORD * (FRAME_WORDS + wordsOf(proof) + inside + versions);
}

/** Chunks in parts that each fit into a transaction. */
export function* stagesOf(chunks: readonly StagedChunk[]): Generator<readonly StagedChunk[]> {
  let part: StagedChunk[] = [];
  let [size, contents] = [0, 0];
  for (const chunk of chunks) {
    const more = bytesOf(chunk);
    if (part.length > 0 && (size + more > STAGE_BYTES || contents + chunk.bytes.length > STAGE_CONTENTS)) {
      yield part;
      part = [];
      [size, contents] = [0, 0];
    }
    part.push(chunk);
    size += more;
    contents += chunk.bytes.length;
  }
  if (part.length > 0) yield part;
}
