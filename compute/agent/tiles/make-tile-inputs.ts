/** The worker's side: picks what a tile reads out of the buffers as they were, with the proofs. */
import { assert } from "../../../base/errors.ts";
import { type ChunkRun, proveRun } from "../../program/chunk-run.ts";
import type { BufferVersion, LaunchOutcome, TileOpening } from "../../program/commitment.ts";
import { REFEREE_BYTES, REFEREE_FUEL } from "../../program/limits.ts";
import { CHUNK_BYTES, chunkRoots, type MerkleProof } from "../../program/merkle.ts";
import type { ScheduledLaunch } from "../../program/schedule.ts";
import { readTile } from "../../program/tiles.ts";
import type { CheckedProgram } from "../../ptx/check-program.ts";
import { neededOf } from "./needed-bytes.ts";
import type { BufferInputs, SourceTile, TileInputs } from "./tile-inputs.ts";
import { bytesOfTile, type Division, partsOf, sourceOf } from "./tile-sources.ts";
import { buffersOfLaunch, touchedChunks } from "./touched-chunks.ts";

/** A buffer as the launch or the checkpoint before the tile left it. */
export interface SourceVersion {
  readonly version: BufferVersion;
  readonly contents: Uint8Array;
  open(tile: number): TileOpening;
}

export interface SegmentMemory {
  readonly checked: CheckedProgram;
  /** The segment's first launch. */
  readonly first: number;
  /** Contents of an input or constant. */
  start(buffer: number): Uint8Array;
  /** A version that a launch of the segment wrote, or that the checkpoint has. */
  version(launch: number, buffer: number): SourceVersion;
  launchProof(launch: number): { readonly outcome: LaunchOutcome; readonly proof: MerkleProof };
  checkpointProof(buffer: number): MerkleProof;
}

export function makeTileInputs(memory: SegmentMemory, scheduled: ScheduledLaunch, tile: number): TileInputs {
  const { checked, first } = memory;
  const { program } = checked;
  const contentsOf = contentsBefore(memory, scheduled.index);
  const chunks = chunksToSend(checked, scheduled, tile, contentsOf);
  const buffers: BufferInputs[] = [];
  for (const [buffer, touched] of [...chunks].sort(([a], [b]) => a - b)) {
    const needed = touched.flatMap((chunk) => neededOf(program, scheduled, tile, buffer, chunk));
    const source = sourceOf(program, first, scheduled.index, buffer);
    if (source.kind === "zeros" || needed.length === 0) continue;
    if (source.kind === "start") {
      const wanted = new Set(needed.flatMap(({ start, end }) => chunksOf(start, end)));
      buffers.push({ kind: "start", buffer, runs: runsOf(contentsOf(buffer), wanted) });
      continue;
    }
    const parts = needed.flatMap(({ start, end }) => partsOf(program, source.division, buffer, start, end));
    const wanted = new Map<number, Set<number>>();
    for (const { tile: owner, start, end, offset } of parts) {
      const set = wanted.get(owner) ?? new Set();
      wanted.set(owner, set);
      for (const chunk of chunksOf(offset, offset + end - start)) set.add(chunk);
    }
    buffers.push(provenBuffer(memory, source.kind, source.division, buffer, wanted));
  }
  return { buffers };
}

/** What buffers held before a launch, each looked up once. */
export function contentsBefore(memory: SegmentMemory, launch: number): (buffer: number) => Uint8Array {
  const { program } = memory.checked;
  const known = new Map<number, Uint8Array>();
  return (buffer) => {
    let contents = known.get(buffer);
    if (contents === undefined) {
      const source = sourceOf(program, memory.first, launch, buffer);
      if (source.kind === "zeros") contents = new Uint8Array(program.buffers[buffer]?.bytes ?? 0);
      else if (source.kind === "start") contents = memory.start(buffer);
      else contents = memory.version(source.division.launch, buffer).contents;
      known.set(buffer, contents);
    }
    return contents;
  };
}

/** What the tile touches; of one that may take long to compute, all that it could. */
function chunksToSend(
  checked: CheckedProgram,
  scheduled: ScheduledLaunch,
  tile: number,
  contentsOf: (buffer: number) => Uint8Array,
): ReadonlyMap<number, readonly number[]> {
  const { fuel, bytes } = scheduled.launch;
  if (fuel <= REFEREE_FUEL && bytes <= REFEREE_BYTES) return touchedChunks(checked, scheduled, tile, contentsOf).chunks;
  const all = buffersOfLaunch(scheduled).map((buffer) => [buffer, chunksOf(0, contentsOf(buffer).length)] as const);
  return new Map(all);
}

function chunksOf(start: number, end: number): readonly number[] {
  const first = Math.floor(start / CHUNK_BYTES);
  return Array.from({ length: Math.ceil(end / CHUNK_BYTES) - first }, (_, i) => first + i);
}

function provenBuffer(
  memory: SegmentMemory,
  kind: "segment" | "checkpoint",
  division: Division,
  buffer: number,
  wanted: ReadonlyMap<number, ReadonlySet<number>>,
): BufferInputs {
  const { program } = memory.checked;
  const source = memory.version(division.launch, buffer);
  const tiles = [...wanted]
    .sort(([a], [b]) => a - b)
    .map(([tile, chunks]): SourceTile => {
      const bytes = readTile(source.contents, bytesOfTile(program, division, buffer, tile));
      return { tile, opening: source.open(tile), runs: runsOf(bytes, chunks) };
    });
  if (kind === "segment") return { kind, buffer, ...memory.launchProof(division.launch), tiles };
  return { kind, buffer, root: source.version.root, proof: memory.checkpointProof(buffer), tiles };
}

/** Chunks that follow each other become one run. */
function runsOf(contents: Uint8Array, chunks: ReadonlySet<number>): readonly ChunkRun[] {
  const roots = chunkRoots(contents);
  const sorted = [...chunks].sort((a, b) => a - b);
  const runs: ChunkRun[] = [];
  for (let at = 0; at < sorted.length; ) {
    let next = at + 1;
    while (sorted[next] === (sorted[next - 1] as number) + 1) next++;
    const first = sorted[at];
    assert(first !== undefined, "the run has a first chunk");
    runs.push(proveRun(contents, first, first + next - at, roots));
    at = next;
  }
  return runs;
}
