/**
 * The state at a segment's boundary as it moves between workers: for each buffer that something has written, which launch
 * wrote it last, what its salts come from, and its contents' address. Whoever has that can go on with the job, and open
 * tiles of versions that it did not make. docs/blobs.md, "Checkpoints".
 */
import { bytesToBigint, bytesToHex, equalBytes, type Hex, hexToBytes, utf8 } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { decodeRlp, encodeRlp, type RlpItem, rlpOfInteger } from "../../../base/rlp.ts";
import { type BufferVersion, checkpointRoot, commitWithKey } from "../../program/commitment.ts";
import { lastWriterBefore } from "../../program/last-writer.ts";
import { CHUNK_BYTES, CHUNK_HEIGHT, levelsAbove, mixIn, zeroRoot } from "../../program/merkle.ts";
import type { Program } from "../../program/types.ts";
import { agentError } from "../errors.ts";
import { startAddress } from "../tiles/check-tile-inputs.ts";
import { divisionBy } from "../tiles/tile-sources.ts";

const NAME: Uint8Array = utf8("OpenGPU/CHECKPOINT");

/** A buffer as the launch `launch` left it; the salts of that version come from `key`. */
export interface CheckpointBuffer {
  readonly launch: number;
  readonly key: Uint8Array;
  readonly contents: Uint8Array;
}

export interface ManifestEntry {
  readonly buffer: number;
  readonly launch: number;
  readonly key: Uint8Array;
  readonly address: Hex;
}

/** Ascending by buffer. */
export type CheckpointManifest = readonly ManifestEntry[];

export function encodeManifest(manifest: CheckpointManifest): Uint8Array {
  const number = (value: number): Uint8Array => rlpOfInteger(BigInt(value));
  return encodeRlp([
    NAME,
    manifest.map(({ buffer, launch, key, address }) => [number(buffer), number(launch), key, hexToBytes(address)]),
  ]);
}

/** Throws CHECKPOINT_WRONG for bytes that are none of this program after its first `launches` launches. */
export function decodeManifest(program: Program, launches: number, bytes: Uint8Array): CheckpointManifest {
  const entries = readEntries(bytes);
  const expected = program.buffers.flatMap((_, buffer) => {
    const launch = lastWriterBefore(program, launches, buffer);
    return launch === undefined ? [] : [{ buffer, launch }];
  });
  const fits = entries.every(
    ({ buffer, launch }, i) => expected[i]?.buffer === buffer && expected[i]?.launch === launch,
  );
  if (!fits || entries.length !== expected.length) wrong("it names other buffers or launches than the program has");
  return entries;
}

function wrong(message: string): never {
  throw agentError("CHECKPOINT_WRONG", `not the checkpoint: ${message}`);
}

function readEntries(bytes: Uint8Array): CheckpointManifest {
  try {
    const [name, list, ...rest] = decodeRlp(bytes, 10_000) as readonly RlpItem[];
    if (!(name instanceof Uint8Array) || !equalBytes(name, NAME) || !Array.isArray(list) || rest.length > 0)
      wrong("its form");
    return (list as readonly RlpItem[]).map((item) => {
      const [buffer, launch, key, address, ...more] = item as readonly Uint8Array[];
      const all = [buffer, launch, key, address];
      if (more.length > 0 || !all.every((part) => part instanceof Uint8Array)) wrong("its form");
      if (key?.length !== 32 || address?.length !== 32) wrong("its hashes");
      const number = (part: Uint8Array | undefined): number =>
        Number(bytesToBigint((part ?? new Uint8Array()).subarray(0, 6)));
      return { buffer: number(buffer), launch: number(launch), key, address: bytesToHex(address) };
    });
  } catch (error) {
    if (isCoded(error, "RLP_INVALID")) wrong(error.message);
    throw error;
  }
}

/** Of all blobs of a state; of bytes that are no manifest, none. */
export function manifestAddresses(bytes: Uint8Array): readonly Hex[] {
  try {
    return readEntries(bytes).map(({ address }) => address);
  } catch (error) {
    if (isCoded(error, "CHECKPOINT_WRONG")) return [];
    throw error;
  }
}

export function versionOf(
  program: Program,
  buffer: number,
  { launch, key, contents }: CheckpointBuffer,
): BufferVersion {
  const { tile, scheduled } = divisionBy(program, launch, buffer);
  return commitWithKey(contents, tile, scheduled.launch.grid, launch, buffer, key);
}

/** The content address of zeros, without going through them. */
export function zerosAddress(bytes: number): Uint8Array {
  const chunks = Math.max(1, Math.ceil(bytes / CHUNK_BYTES));
  return mixIn(zeroRoot(CHUNK_HEIGHT + levelsAbove(chunks)), bytes);
}

/** The root of every buffer: of its version where something has written it, else its content address at the start. */
export function bufferRoots(
  program: Program,
  inputs: readonly Uint8Array[],
  versions: ReadonlyMap<number, Uint8Array>,
): readonly Uint8Array[] {
  return program.buffers.map(
    ({ bytes }, buffer) => versions.get(buffer) ?? startAddress(program, inputs, buffer) ?? zerosAddress(bytes),
  );
}

/** Throws CHECKPOINT_WRONG unless these buffers are the state with this root. */
export function checkCheckpoint(
  program: Program,
  inputs: readonly Uint8Array[],
  buffers: ReadonlyMap<number, CheckpointBuffer>,
  root: Uint8Array,
): void {
  const versions = new Map(
    [...buffers].map(([buffer, state]) => {
      if (state.contents.length !== program.buffers[buffer]?.bytes) wrong(`buffer ${buffer} has another length`);
      return [buffer, versionOf(program, buffer, state).root] as const;
    }),
  );
  if (!equalBytes(checkpointRoot(bufferRoots(program, inputs, versions)), root))
    wrong("its contents have another root");
}
