/** The asker's side: holds what a worker sent to what it committed, and gives the tile its chunks. */
import { assert } from "../../../base/errors.ts";
import { type ChunkRun, proofsOf, verifyRun } from "../../program/chunk-run.ts";
import { launchLeaf, tileCount, verifyTile } from "../../program/commitment.ts";
import { CHUNK_BYTES, verifyLeaf } from "../../program/merkle.ts";
import { launchAt, type ScheduledLaunch } from "../../program/schedule.ts";
import type { Program } from "../../program/types.ts";
import type { CheckedProgram } from "../../ptx/check-program.ts";
import { agentError } from "../errors.ts";
import type { StagedChunk, StagedOrigin } from "../ports.ts";
import { neededOf } from "./needed-bytes.ts";
import type { BufferInputs, SourceTile, TileInputs } from "./tile-inputs.ts";
import { type BufferSource, bytesOfTile, chunkBytes, type Division, partsOf, sourceOf } from "./tile-sources.ts";
import { buffersOfLaunch, bytesOfBuffer } from "./touched-chunks.ts";

export interface TileQuestion {
  readonly checked: CheckedProgram;
  /** The segment's first launch. */
  readonly first: number;
  readonly launch: number;
  readonly tile: number;
  readonly segmentRoot: Uint8Array;
  /** Where the segment starts; undefined for the first one. */
  readonly checkpointRoot: Uint8Array | undefined;
  /** Content addresses of the job's inputs, in the order of the program's buffers. */
  readonly inputs: readonly Uint8Array[];
}

/** The address of an input or constant. */
export function startAddress(
  { buffers }: Program,
  inputs: readonly Uint8Array[],
  buffer: number,
): Uint8Array | undefined {
  if (buffers[buffer]?.kind !== "input") return buffers[buffer]?.address;
  const position = buffers.slice(0, buffer).filter(({ kind }) => kind === "input").length;
  return inputs[position];
}

function unproven(message: string, data: Readonly<Record<string, unknown>>): never {
  throw agentError("TILE_UNPROVEN", message, data);
}

/** Throws TILE_UNPROVEN when something does not hold against the commitment. What is missing shows when it is asked for. */
export function checkTileInputs(question: TileQuestion, { buffers }: TileInputs): TileContents {
  const scheduled = launchAt(question.checked.program, question.launch);
  if (scheduled === undefined) throw agentError("TILE_ABSENT", `the program has no launch ${question.launch}`);
  const read = buffersOfLaunch(scheduled);
  const known = new Map<number, KnownBuffer>();
  let last = -1;
  for (const inputs of buffers) {
    const { buffer } = inputs;
    if (buffer <= last || !read.includes(buffer)) unproven(`buffer ${buffer} does not belong here`, { buffer });
    last = buffer;
    known.set(buffer, checkBuffer(question, inputs));
  }
  return new TileContents(question, scheduled, known);
}

/** Chunk -> bytes, of a whole input or of each tile. */
type KnownChunks = ReadonlyMap<number, Uint8Array>;
type KnownBuffer = ReadonlyMap<number, KnownChunks>;

/** Stands for the tile where there are none. */
const WHOLE = 0;

function checkBuffer(question: TileQuestion, inputs: BufferInputs): KnownBuffer {
  const { checked, first, launch } = question;
  const { program } = checked;
  const { buffer } = inputs;
  const source = sourceOf(program, first, launch, buffer);
  if (source.kind !== inputs.kind) unproven(`buffer ${buffer} is from the ${source.kind}`, { buffer });
  if (inputs.kind === "start") {
    const address = startAddress(program, question.inputs, buffer);
    return new Map([[WHOLE, checkRuns(address, bytesOfBuffer(program, buffer), inputs.runs, buffer)]]);
  }
  assert(source.kind === "segment" || source.kind === "checkpoint", "the kinds are the same");
  const root = versionRoot(question, inputs, source.division);
  return checkTiles(program, source.division, buffer, root, inputs.tiles);
}

function versionRoot(
  { first, segmentRoot, checkpointRoot, checked }: TileQuestion,
  inputs: Exclude<BufferInputs, { kind: "start" }>,
  { launch }: Division,
): Uint8Array {
  const { buffer, proof } = inputs;
  if (inputs.kind === "checkpoint") {
    const isIt = proof.index === buffer && proof.count === checked.program.buffers.length;
    if (!isIt || checkpointRoot === undefined || !verifyLeaf(checkpointRoot, inputs.root, proof)) {
      unproven(`the checkpoint has another version of buffer ${buffer}`, { buffer });
    }
    return inputs.root;
  }
  const { outcome } = inputs;
  if (proof.index !== launch - first || !verifyLeaf(segmentRoot, launchLeaf(launch, outcome), proof)) {
    unproven(`launch ${launch} was committed otherwise`, { launch });
  }
  const version = outcome.kind === "done" ? outcome.versions.find((one) => one.buffer === buffer) : undefined;
  if (version === undefined)
    unproven(`launch ${launch} was not committed to write buffer ${buffer}`, { launch, buffer });
  return version.root;
}

function checkTiles(
  program: Program,
  division: Division,
  buffer: number,
  root: Uint8Array,
  tiles: readonly SourceTile[],
): KnownBuffer {
  const known = new Map<number, KnownChunks>();
  const count = tileCount(division.tile, division.scheduled.launch.grid);
  for (const { tile, opening, runs } of tiles) {
    if (tile >= count || known.has(tile) || opening.proof.count !== count || !verifyTile(root, tile, opening)) {
      unproven(`tile ${tile} of buffer ${buffer} was committed otherwise`, { buffer, tile });
    }
    const { width, rows } = bytesOfTile(program, division, buffer, tile);
    known.set(tile, checkRuns(opening.address, width * rows, runs, buffer));
  }
  return known;
}

function checkRuns(
  address: Uint8Array | undefined,
  length: number,
  runs: readonly ChunkRun[],
  buffer: number,
): KnownChunks {
  const known = new Map<number, Uint8Array>();
  for (const run of runs) {
    if (address === undefined || !verifyRun(address, length, run)) {
      unproven(`bytes of buffer ${buffer} are not the committed ones`, { buffer });
    }
    for (let i = 0; i * CHUNK_BYTES < Math.max(1, run.bytes.length); i++) {
      known.set(run.first + i, run.bytes.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES));
    }
  }
  return known;
}

/** What a tile reads, proven. */
export class TileContents {
  readonly scheduled: ScheduledLaunch;
  readonly #question: TileQuestion;
  readonly #known: ReadonlyMap<number, KnownBuffer>;

  constructor(question: TileQuestion, scheduled: ScheduledLaunch, known: ReadonlyMap<number, KnownBuffer>) {
    this.#question = question;
    this.scheduled = scheduled;
    this.#known = known;
  }

  /** As the engine asks for it. Throws TILE_MISSING when the worker left it out. */
  chunk(buffer: number, chunk: number): Uint8Array {
    const { checked, first, launch, tile } = this.#question;
    const { program } = checked;
    const { start, end } = chunkBytes(program, buffer, chunk);
    const bytes = new Uint8Array(end - start);
    const source = sourceOf(program, first, launch, buffer);
    if (source.kind === "zeros") return bytes;
    for (const needed of neededOf(program, this.scheduled, tile, buffer, chunk)) {
      for (const part of piecesOf(program, source, buffer, needed.start, needed.end)) {
        this.#copy(buffer, part, bytes, part.start - start);
      }
    }
    return bytes;
  }

  #copy(
    buffer: number,
    {
      tile,
      start,
      end,
      offset,
    }: { readonly tile: number; readonly start: number; readonly end: number; readonly offset: number },
    target: Uint8Array,
    to: number,
  ): void {
    for (let done = 0; done < end - start; ) {
      const at = offset + done;
      const piece = this.#known
        .get(buffer)
        ?.get(tile)
        ?.get(Math.floor(at / CHUNK_BYTES));
      if (piece === undefined) {
        throw agentError("TILE_MISSING", `the worker left out bytes of buffer ${buffer}`, { buffer, tile });
      }
      const some = piece.subarray(at % CHUNK_BYTES, (at % CHUNK_BYTES) + (end - start - done));
      target.set(some, to + done);
      done += some.length;
    }
  }
}

function piecesOf(
  program: Program,
  source: Exclude<BufferSource, { kind: "zeros" }>,
  buffer: number,
  start: number,
  end: number,
): ReturnType<typeof partsOf> {
  if (source.kind === "start") return [{ tile: WHOLE, start, end, offset: start }];
  return partsOf(program, source.division, buffer, start, end);
}

/** The same as the chain takes it for the referee: one chunk at a time, each with the way to what was committed. */
export function stagedChunks(
  { checked, first, launch }: TileQuestion,
  { buffers }: TileInputs,
): readonly StagedChunk[] {
  const { program } = checked;
  return buffers.flatMap((inputs) => {
    const { buffer } = inputs;
    if (inputs.kind === "start")
      return stagedRuns(buffer, { kind: "start" }, bytesOfBuffer(program, buffer), inputs.runs);
    const source = sourceOf(program, first, launch, buffer);
    assert(source.kind === "segment" || source.kind === "checkpoint", "the inputs were checked");
    const { division } = source;
    return inputs.tiles.flatMap(({ tile, opening, runs }) => {
      const { width, rows } = bytesOfTile(program, division, buffer, tile);
      const origin: StagedOrigin =
        inputs.kind === "segment"
          ? { kind: "tile", launch: division.launch, outcome: inputs.outcome, proof: inputs.proof, tile, opening }
          : { kind: "checkpoint", root: inputs.root, proof: inputs.proof, tile, opening };
      return stagedRuns(buffer, origin, width * rows, runs);
    });
  });
}

function stagedRuns(
  buffer: number,
  origin: StagedOrigin,
  length: number,
  runs: readonly ChunkRun[],
): readonly StagedChunk[] {
  return runs.flatMap((run) =>
    proofsOf(length, run).map((proof, i) => {
      const bytes = run.bytes.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES);
      return { buffer, origin, bytes, proof };
    }),
  );
}
