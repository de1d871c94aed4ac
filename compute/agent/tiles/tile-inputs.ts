/**
 * What a seat needs to compute one tile: the parts of buffers that it reads, each proven against what the worker
 * committed to. docs/blobs.md, "Inputs of a tile".
 */
import type { ChunkRun } from "../../program/chunk-run.ts";
import type { LaunchOutcome, TileOpening } from "../../program/commitment.ts";
import type { MerkleProof } from "../../program/merkle.ts";

/** Parts of one tile that an earlier launch wrote. */
export interface SourceTile {
  readonly tile: number;
  readonly opening: TileOpening;
  readonly runs: readonly ChunkRun[];
}

export type BufferInputs =
  /** Nothing has written it: runs of the whole input or constant. Zeros are not sent. */
  | { readonly kind: "start"; readonly buffer: number; readonly runs: readonly ChunkRun[] }
  /** A launch of the same segment wrote it last: its leaf against the segment root. */
  | {
      readonly kind: "segment";
      readonly buffer: number;
      readonly outcome: LaunchOutcome;
      readonly proof: MerkleProof;
      readonly tiles: readonly SourceTile[];
    }
  /** It was last written before the segment: its version against the checkpoint root. */
  | {
      readonly kind: "checkpoint";
      readonly buffer: number;
      readonly root: Uint8Array;
      readonly proof: MerkleProof;
      readonly tiles: readonly SourceTile[];
    };

/** Ascending by buffer. */
export interface TileInputs {
  readonly buffers: readonly BufferInputs[];
}
