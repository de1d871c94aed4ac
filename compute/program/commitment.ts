/**
 * What a provider commits to: tiles, salted so that nobody can copy a result before it is opened, buffer versions over
 * tiles, launches over versions, segments over launches. docs/spec/job-program.md, "Commitments".
 */
import { concatBytes, utf8 } from "../../base/bytes.ts";
import { hashPairs } from "../../base/hash-pairs.ts";
import { encodeRlp, rlpOfInteger } from "../../base/rlp.ts";
import { sha256 } from "../../base/sha256.ts";
import { contentAddresses, leavesRoot, type MerkleProof, proveLeaf, verifyLeaf } from "./merkle.ts";
import { blockAt, blockCount, readTile, tileBytes } from "./tiles.ts";
import type { Extent, TileSpec } from "./types.ts";

/** Where a tile is in a job. */
export interface TilePlace {
  /** The launch, counting every iteration. */
  readonly launch: number;
  readonly buffer: number;
  readonly tile: number;
}

/**
 * What the salts of one buffer version come from. It is shown only with a checkpoint that was accepted: whoever goes on
 * from there opens tiles of it.
 */
export function saltKey(seed: Uint8Array, launch: number, buffer: number): Uint8Array {
  const place = [launch, buffer].map((value) => rlpOfInteger(BigInt(value)));
  return sha256(encodeRlp([utf8("OpenGPU/SALT"), seed, ...place]));
}

/** Salts of tiles `first` to `first + count`, in pairs with the key so that they are hashed in one go. */
function salts(key: Uint8Array, first: number, count: number): Uint8Array {
  const pairs = new Uint8Array(64 * count);
  const view = new DataView(pairs.buffer);
  for (let i = 0; i < count; i++) {
    pairs.set(key, 64 * i);
    view.setBigUint64(64 * i + 32, BigInt(first + i), true);
  }
  return hashPairs(pairs);
}

/** The salt of one tile: without the seed, nothing can be told about it from other salts. */
export function saltOf(seed: Uint8Array, { launch, buffer, tile }: TilePlace): Uint8Array {
  return salts(saltKey(seed, launch, buffer), tile, 1);
}

/** The leaf of a tile: its contents' hash and its salt. */
export function tileLeaf(address: Uint8Array, salt: Uint8Array): Uint8Array {
  return hashPairs(concatBytes(address, salt));
}

export function tileCount(tile: TileSpec, grid: Extent): number {
  return tile.kind === "whole" ? 1 : blockCount(grid);
}

/** A buffer as one launch left it. */
export interface BufferVersion {
  readonly launch: number;
  readonly buffer: number;
  /** Hashes of the tiles' contents, in the order of blocks. */
  readonly addresses: readonly Uint8Array[];
  readonly leaves: readonly Uint8Array[];
  readonly root: Uint8Array;
}

export function commitBuffer(
  contents: Uint8Array,
  tile: TileSpec,
  grid: Extent,
  launch: number,
  buffer: number,
  seed: Uint8Array,
): BufferVersion {
  return commitWithKey(contents, tile, grid, launch, buffer, saltKey(seed, launch, buffer));
}

export function commitWithKey(
  contents: Uint8Array,
  tile: TileSpec,
  grid: Extent,
  launch: number,
  buffer: number,
  key: Uint8Array,
): BufferVersion {
  return commitAddresses(tileAddresses(contents, tile, grid), launch, buffer, key);
}

/** `hashes`: the tiles' content addresses, one after the other, in the order of blocks. */
export function commitAddresses(hashes: Uint8Array, launch: number, buffer: number, key: Uint8Array): BufferVersion {
  const addresses = parts(hashes);
  const pairs = new Uint8Array(2 * hashes.length);
  const salt = salts(key, 0, addresses.length);
  addresses.forEach((address, index) => {
    pairs.set(address, 64 * index);
    pairs.set(salt.subarray(32 * index, 32 * index + 32), 64 * index + 32);
  });
  const leaves = parts(hashPairs(pairs));
  return { launch, buffer, addresses, leaves, root: leavesRoot(leaves) };
}

/** Tiles of one length are hashed together; all have it but those at the edges. */
export function tileAddresses(contents: Uint8Array, tile: TileSpec, grid: Extent): Uint8Array {
  const count = tileCount(tile, grid);
  const addresses = new Uint8Array(32 * count);
  const groups = new Map<number, number[]>();
  for (let index = 0; index < count; index++) {
    const { width, rows } = tileBytes(tile, blockAt(index, grid), grid, contents.length);
    const group = groups.get(width * rows);
    if (group === undefined) groups.set(width * rows, [index]);
    else group.push(index);
  }
  for (const [length, indices] of groups) {
    const found = contentAddresses(indices.length, length, (i) =>
      readTile(contents, tileBytes(tile, blockAt(indices[i] as number, grid), grid, contents.length)),
    );
    parts(found).forEach((address, i) => {
      addresses.set(address, 32 * (indices[i] as number));
    });
  }
  return addresses;
}

function parts(hashes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: hashes.length / 32 }, (_, i) => hashes.subarray(32 * i, 32 * i + 32));
}

/** What opens one tile of a version: its contents' hash, its salt and its place. */
export interface TileOpening {
  readonly address: Uint8Array;
  readonly salt: Uint8Array;
  readonly proof: MerkleProof;
}

export function openTile(version: BufferVersion, index: number, seed: Uint8Array): TileOpening {
  return openWithKey(version, index, saltKey(seed, version.launch, version.buffer));
}

export function openWithKey({ addresses, leaves }: BufferVersion, index: number, key: Uint8Array): TileOpening {
  const address = addresses[index] as Uint8Array;
  return { address, salt: salts(key, index, 1), proof: proveLeaf(leaves, index) };
}

/** Whether the opening shows that tile `index` of the version with this root has these contents. */
export function verifyTile(root: Uint8Array, index: number, { address, salt, proof }: TileOpening): boolean {
  if (proof.index !== index || address.length !== 32 || salt.length !== 32) return false;
  return verifyLeaf(root, tileLeaf(address, salt), proof);
}

export type LaunchOutcome =
  | { readonly kind: "done"; readonly versions: readonly { readonly buffer: number; readonly root: Uint8Array }[] }
  /** A tile that traps is a result too. */
  | { readonly kind: "trap"; readonly tile: number };

/** The leaf of one launch: the versions that it wrote, or where it trapped. */
export function launchLeaf(launch: number, outcome: LaunchOutcome): Uint8Array {
  const number = (value: number): Uint8Array => rlpOfInteger(BigInt(value));
  const body =
    outcome.kind === "done"
      ? [number(0), outcome.versions.map(({ buffer, root }) => [number(buffer), root])]
      : [number(1), number(outcome.tile)];
  return sha256(encodeRlp([utf8("OpenGPU/LAUNCH"), number(launch), ...body]));
}

/** The trace of a segment: the root over the leaves of its launches, in their order. */
export function segmentRoot(launches: readonly Uint8Array[]): Uint8Array {
  return leavesRoot(launches);
}

/** The state at a segment's boundary: the current root of every buffer, in their order. */
export function checkpointRoot(versions: readonly Uint8Array[]): Uint8Array {
  return leavesRoot(versions);
}
