/** What answers a demand on chain: one chunk of an output, or of the state after a segment, with its proofs. */
import { bytesToHex, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { openWithKey } from "../../program/commitment.ts";
import { MAX_BUFFER_BYTES } from "../../program/limits.ts";
import { CHUNK_BYTES, proveChunk, proveLeaf } from "../../program/merkle.ts";
import { readTile } from "../../program/tiles.ts";
import type { CheckedProgram } from "../../ptx/check-program.ts";
import { agentError } from "../errors.ts";
import type { BlobPort, ChainAction, DemandView, JobView } from "../ports.ts";
import { bytesOfTile, divisionBy } from "../tiles/tile-sources.ts";
import { bufferRoots, type CheckpointBuffer, decodeManifest, versionOf } from "./checkpoint.ts";
import type { JobPrograms } from "./job-programs.ts";
import type { ProviderMemory, SegmentRecord } from "./provider-memory.ts";

/** What answers are made of. */
interface Known {
  readonly blobs: BlobPort;
  readonly memory: ProviderMemory;
  readonly programs: JobPrograms;
}

/** The state that can be demanded is the one after the segment that was accepted last. Throws BLOB_ABSENT or TILE_ABSENT. */
export async function answerDemand(
  { blobs, memory, programs }: Known,
  job: JobView,
  demand: DemandView,
  signal: AbortSignal,
): Promise<ChainAction> {
  const segment = demand.kind === "output" ? job.segments - 1 : job.segment;
  const record = memory.lastSegment(job.id, segment);
  if (record === undefined) throw agentError("BLOB_ABSENT", `nothing is kept of segment ${segment} of job ${job.id}`);
  if (demand.kind === "output") return await answerOutput(blobs, job.id, demand, record, signal);
  const { checked } = await programs.get(job.program);
  return await answerCheckpoint(blobs, job.id, demand, record, checked, signal);
}

function chunkOf(contents: Uint8Array, index: number): Uint8Array {
  if (index * CHUNK_BYTES >= Math.max(1, contents.length)) {
    throw agentError("TILE_ABSENT", `there is no chunk ${index}`, { index });
  }
  return contents.slice(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
}

async function answerOutput(
  blobs: BlobPort,
  job: bigint,
  { item, chunk }: DemandView,
  { outcome }: SegmentRecord,
  signal: AbortSignal,
): Promise<ChainAction> {
  const address = outcome.commitment.outputs[item];
  if (address === undefined) throw agentError("BLOB_ABSENT", `job ${job} has no output ${item}`);
  const contents = await blobs.get(address, MAX_BUFFER_BYTES, [], signal);
  return {
    ...{ kind: "answerOutput", job, output: item },
    ...{ chunk: chunkOf(contents, chunk), proof: proveChunk(contents, chunk) },
  };
}

/** The buffers of a manifest, from the own blobs or from elsewhere; not yet held to a root. */
export async function loadCheckpoint(
  blobs: BlobPort,
  { program }: CheckedProgram,
  launches: number,
  manifest: Hex,
  places: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, CheckpointBuffer>> {
  const bytes = await blobs.get(manifest, MAX_MANIFEST_BYTES, places, signal);
  const buffers = new Map<number, CheckpointBuffer>();
  for (const { buffer, launch, key, address } of decodeManifest(program, launches, bytes)) {
    const most = program.buffers[buffer]?.bytes ?? 0;
    buffers.set(buffer, { launch, key, contents: await blobs.get(address, most, places, signal) });
  }
  return buffers;
}

export const MAX_MANIFEST_BYTES: number = 64 * 1_024;

async function answerCheckpoint(
  blobs: BlobPort,
  job: bigint,
  { item: buffer, chunk, tile }: DemandView,
  { outcome, task }: SegmentRecord,
  checked: CheckedProgram,
  signal: AbortSignal,
): Promise<ChainAction> {
  const { program } = checked;
  if (outcome.manifest === null) throw agentError("BLOB_ABSENT", `segment ${task.segment} of job ${job} left no state`);
  const state = await loadCheckpoint(blobs, checked, task.end, outcome.manifest, [], signal);
  const versions = new Map([...state].map(([index, held]) => [index, versionOf(program, index, held)] as const));
  const roots = new Map([...versions].map(([index, { root }]) => [index, root] as const));
  const leaves = bufferRoots(program, task.inputs.map(hexToBytes), roots);
  const held = state.get(buffer);
  const version = versions.get(buffer);
  const root = leaves[buffer];
  if (root === undefined) throw agentError("TILE_ABSENT", `there is no buffer ${buffer}`, { buffer });
  const base = { kind: "answerCheckpoint", job, buffer, tile, root, version: proveLeaf(leaves, buffer) } as const;
  if (held === undefined || version === undefined) {
    const contents = await startContents(blobs, checked, task.inputs, buffer, signal);
    return { ...base, chunk: chunkOf(contents, chunk), proof: proveChunk(contents, chunk), opening: undefined };
  }
  const contents = readTile(
    held.contents,
    bytesOfTile(program, divisionBy(program, held.launch, buffer), buffer, tile),
  );
  const opening = openWithKey(version, tile, held.key);
  return { ...base, chunk: chunkOf(contents, chunk), proof: proveChunk(contents, chunk), opening };
}

function startContents(
  blobs: BlobPort,
  { program }: CheckedProgram,
  inputs: readonly Hex[],
  buffer: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const spec = program.buffers[buffer];
  const bytes = spec?.bytes ?? 0;
  const position = program.buffers.slice(0, buffer).filter(({ kind }) => kind === "input").length;
  const address = spec?.kind === "input" ? inputs[position] : spec?.address && bytesToHex(spec.address);
  return address === undefined ? Promise.resolve(new Uint8Array(bytes)) : blobs.get(address, bytes, [], signal);
}
