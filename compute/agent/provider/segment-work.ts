/**
 * One segment, run on a device: what is committed of it, and what its openings need. Versions between launches are kept
 * while they fit in memory; what was dropped is computed again by running the segment once more, which gives the same bits.
 */
import { assert } from "../../../base/errors.ts";
import type { Device, DeviceLaunch, DeviceResult } from "../../device/device.ts";
import { hashTiles } from "../../device/hash-tiles.ts";
import type { ProgramTrap } from "../../device/run-program.ts";
import {
  type BufferVersion,
  checkpointRoot,
  commitAddresses,
  type LaunchOutcome,
  launchLeaf,
  openWithKey,
  saltKey,
  segmentRoot,
} from "../../program/commitment.ts";
import type { DrawnPlace } from "../../program/draw-place.ts";
import { lastWriterBefore } from "../../program/last-writer.ts";
import { type MerkleProof, proveLeaf } from "../../program/merkle.ts";
import { launchAt, launchesIn, type ScheduledLaunch } from "../../program/schedule.ts";
import type { LaunchRange } from "../../program/segments.ts";
import type { CheckedProgram } from "../../ptx/check-program.ts";
import { agentError } from "../errors.ts";
import { PROVIDER_LIMITS } from "../limits.ts";
import { makeTileInputs, type SegmentMemory, type SourceVersion } from "../tiles/make-tile-inputs.ts";
import type { TileInputs } from "../tiles/tile-inputs.ts";
import { sourceOf } from "../tiles/tile-sources.ts";
import { buffersOfLaunch } from "../tiles/touched-chunks.ts";
import { bufferRoots, type CheckpointBuffer, versionOf } from "./checkpoint.ts";

export interface SegmentOrder {
  readonly checked: CheckedProgram;
  readonly range: LaunchRange;
  /** Contents of inputs and constants, by name, and the inputs' addresses in their order. */
  readonly contents: ReadonlyMap<string, Uint8Array>;
  readonly inputs: readonly Uint8Array[];
  /** What earlier segments left, by buffer. */
  readonly checkpoint: ReadonlyMap<number, CheckpointBuffer>;
  /** What the salts of this segment come from; nobody else knows it until the round is decided. */
  readonly seed: Uint8Array;
}

export interface SegmentOptions {
  readonly onProgress?: (launches: number) => void;
  readonly signal?: AbortSignal;
  /** Tiles that will be looked at for certain. */
  readonly places?: readonly DrawnPlace[];
  /** Bytes of versions that are kept. */
  readonly keptBytes?: number;
}

export interface SegmentCommitment {
  readonly segmentRoot: Uint8Array;
  readonly checkpointRoot: Uint8Array;
  readonly trap: { readonly launch: number; readonly tile: number } | undefined;
}

/** What opens one tile against the segment root. */
export interface PlaceOpening {
  readonly outcome: LaunchOutcome;
  readonly proof: MerkleProof;
  readonly tiles: readonly { readonly buffer: number; readonly opening: ReturnType<typeof openWithKey> }[];
}

interface KeptVersion extends SourceVersion {
  readonly key: Uint8Array;
}

const NO_ROOT: Uint8Array = new Uint8Array(32);

export class SegmentWork implements SegmentMemory {
  readonly checked: CheckedProgram;
  readonly first: number;
  readonly #order: SegmentOrder;
  readonly #device: Device;
  readonly #keptBytes: number;
  readonly #leaves: Uint8Array[] = [];
  readonly #outcomes: LaunchOutcome[] = [];
  /** Launch -> buffer -> as it was left. */
  readonly #kept = new Map<number, Map<number, KeptVersion>>();
  readonly #before = new Map<number, KeptVersion>();
  readonly #after = new Map<number, CheckpointBuffer>();
  readonly #startRoots: readonly Uint8Array[];
  #roomLeft: number;
  #trap: ProgramTrap | undefined;
  #result: DeviceResult | undefined;

  constructor(order: SegmentOrder, device: Device, keptBytes: number = PROVIDER_LIMITS.keptBytes) {
    const { program } = order.checked;
    this.checked = order.checked;
    this.first = order.range.first;
    this.#order = order;
    this.#device = device;
    this.#keptBytes = keptBytes;
    this.#roomLeft = keptBytes;
    const launches = order.range.end - order.range.first;
    if (launches > PROVIDER_LIMITS.segmentLaunches) {
      throw agentError("JOB_REFUSED", `a segment has at most ${PROVIDER_LIMITS.segmentLaunches} launches`, {
        launches,
      });
    }
    for (const [buffer, state] of order.checkpoint) {
      this.#before.set(buffer, kept(versionOf(program, buffer, state), state.contents, state.key));
      this.#after.set(buffer, state);
    }
    const versions = new Map([...this.#before].map(([buffer, { version }]) => [buffer, version.root] as const));
    this.#startRoots = bufferRoots(program, order.inputs, versions);
  }

  /** Runs the segment. Rejects with the device's error; a trap is a result. */
  async run(options: SegmentOptions = {}): Promise<SegmentCommitment> {
    const always = new Set((options.places ?? []).flatMap((place) => [...this.#needed(place)]));
    this.#leaves.length = 0;
    this.#outcomes.length = 0;
    const result = await this.#replay(this.#order.range.end, options, (launch, versions) => {
      const outcome = {
        kind: "done",
        versions: versions.map(({ version: { buffer, root } }) => ({ buffer, root })),
      } as const;
      this.#outcomes.push(outcome);
      this.#leaves.push(launchLeaf(launch, outcome));
      this.#keepIfRoom(launch, versions, always.has(launch));
    });
    this.#result = result;
    if (result.kind === "trap") {
      const { launch, tile } = result.trap;
      this.#trap = result.trap;
      this.#outcomes.push({ kind: "trap", tile });
      this.#leaves.push(launchLeaf(launch, { kind: "trap", tile }));
    }
    return this.commitment();
  }

  /** Runs launches up to `end`, with every version that they write. */
  async #replay(
    end: number,
    { onProgress, signal }: SegmentOptions,
    onVersions: (launch: number, versions: readonly KeptVersion[]) => void,
  ): Promise<DeviceResult> {
    const { checked, contents, checkpoint, range, seed } = this.#order;
    const { program } = checked;
    const last = new Map(program.buffers.map((_, buffer) => [buffer, lastWriterBefore(program, range.end, buffer)]));
    const commit = async (
      { index, launch }: ScheduledLaunch,
      { buffer, tile, contents: view }: DeviceLaunch["written"][number],
    ): Promise<KeptVersion> => {
      const key = saltKey(seed, index, buffer);
      return kept(commitAddresses(await hashTiles(view, tile, launch.grid), index, buffer, key), view, key);
    };
    const onLaunch = async ({ scheduled, written }: DeviceLaunch): Promise<void> => {
      const versions = await Promise.all(written.map((one) => commit(scheduled, one)));
      versions.sort((a, b) => a.version.buffer - b.version.buffer);
      for (const { version, contents: view, key } of versions) {
        if (last.get(version.buffer) !== scheduled.index) continue;
        this.#after.set(version.buffer, { launch: scheduled.index, key, contents: view.slice() });
      }
      onVersions(scheduled.index, versions);
    };
    const state = new Map([...checkpoint].map(([buffer, { contents: bytes }]) => [buffer, bytes] as const));
    return await this.#device.run(checked, contents, {
      ...{ onLaunch, segment: { first: range.first, end, contents: state } },
      ...(onProgress && { onProgress }),
      ...(signal && { signal }),
    });
  }

  /** All or nothing beyond the certain ones: with one missing, the segment is run again anyway. */
  #keepIfRoom(launch: number, versions: readonly KeptVersion[], always: boolean): void {
    const bytes = versions.reduce(
      (sum, { contents, version }) => sum + contents.length + 128 * version.leaves.length,
      0,
    );
    if (!always && this.#roomLeft < bytes) {
      this.#roomLeft = 0;
      return;
    }
    this.#roomLeft -= bytes;
    this.#keep(launch, versions);
  }

  #keep(launch: number, versions: readonly KeptVersion[]): void {
    const copies = versions.map(
      ({ version, contents, key }) => [version.buffer, kept(version, contents.slice(), key)] as const,
    );
    this.#kept.set(launch, new Map(copies));
  }

  commitment(): SegmentCommitment {
    assert(this.#result !== undefined, "the segment was run");
    const trap = this.#trap && { launch: this.#trap.launch, tile: this.#trap.tile };
    const root = segmentRoot(this.#leaves);
    // What buffers hold after a trap is no part of the result.
    return { segmentRoot: root, checkpointRoot: trap === undefined ? checkpointRoot(this.#endRoots()) : NO_ROOT, trap };
  }

  #endRoots(): readonly Uint8Array[] {
    const { checked, inputs } = this.#order;
    const roots = new Map([...this.#before].map(([buffer, { version }]) => [buffer, version.root] as const));
    for (const outcome of this.#outcomes) {
      if (outcome.kind === "done") for (const { buffer, root } of outcome.versions) roots.set(buffer, root);
    }
    return bufferRoots(checked.program, inputs, roots);
  }

  /** Of the program, in its order; none unless this is the last segment and nothing trapped. */
  outputs(): readonly Uint8Array[] {
    const { program } = this.checked;
    const result = this.#result;
    if (result?.kind !== "done" || this.#order.range.end !== launchesIn(program.steps)) return [];
    return program.outputs.map((buffer) => {
      const contents = result.outputs.get(program.buffers[buffer]?.name ?? "");
      assert(contents !== undefined, "the device gives every output");
      return contents;
    });
  }

  /** The state after the segment. */
  checkpoint(): ReadonlyMap<number, CheckpointBuffer> {
    return this.#after;
  }

  start(buffer: number): Uint8Array {
    const contents = this.#order.contents.get(this.checked.program.buffers[buffer]?.name ?? "");
    assert(contents !== undefined, "inputs and constants are there");
    return contents;
  }

  version(launch: number, buffer: number): SourceVersion {
    const found = launch < this.first ? this.#before.get(buffer) : this.#kept.get(launch)?.get(buffer);
    assert(found !== undefined, "the version was brought back before it is asked for");
    return found;
  }

  launchProof(launch: number): { readonly outcome: LaunchOutcome; readonly proof: MerkleProof } {
    const outcome = this.#outcomes[launch - this.first];
    assert(outcome !== undefined, "the launch is of the segment");
    return { outcome, proof: proveLeaf(this.#leaves, launch - this.first) };
  }

  checkpointProof(buffer: number): MerkleProof {
    return proveLeaf(this.#startRoots, buffer);
  }

  /** Throws TILE_ABSENT for a place that was not committed. */
  #scheduled({ launch, tile }: DrawnPlace): ScheduledLaunch {
    const scheduled = launchAt(this.checked.program, launch);
    const isHere = launch >= this.first && launch - this.first < this.#leaves.length;
    if (scheduled === undefined || !isHere || tile < 0) {
      throw agentError("TILE_ABSENT", `there is no tile ${tile} of launch ${launch} here`, { launch, tile });
    }
    return scheduled;
  }

  /** Launches of the segment whose versions open the place and are what it reads. */
  #needed({ launch }: DrawnPlace): ReadonlySet<number> {
    const { program } = this.checked;
    const scheduled = launchAt(program, launch);
    const needed = new Set([launch]);
    for (const buffer of scheduled === undefined ? [] : buffersOfLaunch(scheduled)) {
      const source = sourceOf(program, this.first, launch, buffer);
      if (source.kind === "segment") needed.add(source.division.launch);
    }
    return needed;
  }

  /** Brings back what was dropped of the versions that these places need. */
  async ensure(places: readonly DrawnPlace[], signal?: AbortSignal): Promise<void> {
    for (const place of places) this.#scheduled(place);
    const wanted = new Set(places.flatMap((place) => [...this.#needed(place)]));
    const missing = [...wanted].filter((launch) => !this.#kept.has(launch) && launch !== this.#trap?.launch);
    if (missing.length === 0) return;
    for (const launch of this.#kept.keys()) if (!wanted.has(launch) && this.#roomLeft === 0) this.#kept.delete(launch);
    const options: SegmentOptions = signal === undefined ? {} : { signal };
    await this.#replay(Math.max(...missing) + 1, options, (launch, versions) => {
      if (!missing.includes(launch)) return;
      const same = versions.every(({ version }) => this.#isCommitted(launch, version));
      if (!same) throw agentError("DEVICE_WRONG", `launch ${launch} gave other bits than before`, { launch });
      this.#keep(launch, versions);
    });
  }

  #isCommitted(launch: number, { buffer, root }: BufferVersion): boolean {
    const outcome = this.#outcomes[launch - this.first];
    const version = outcome?.kind === "done" ? outcome.versions.find((one) => one.buffer === buffer) : undefined;
    return version !== undefined && root.every((byte, i) => byte === version.root[i]);
  }

  async open(place: DrawnPlace, signal?: AbortSignal): Promise<PlaceOpening> {
    await this.ensure([place], signal);
    const { launch, tile } = place;
    const { outcome, proof } = this.launchProof(launch);
    if (outcome.kind === "trap") return { outcome, proof, tiles: [] };
    const versions = [...(this.#kept.get(launch)?.values() ?? [])];
    const inside = versions.every(({ version }) => tile < version.leaves.length);
    if (!inside) throw agentError("TILE_ABSENT", `launch ${launch} has no tile ${tile}`, { launch, tile });
    return {
      outcome,
      proof,
      tiles: versions.map(({ version, open }) => ({ buffer: version.buffer, opening: open(tile) })),
    };
  }

  async tileInputs(place: DrawnPlace, signal?: AbortSignal): Promise<TileInputs> {
    await this.ensure([place], signal);
    return makeTileInputs(this, this.#scheduled(place), place.tile);
  }

  /** Bytes that versions may take in memory. */
  get keptBytes(): number {
    return this.#keptBytes;
  }
}

function kept(version: BufferVersion, contents: Uint8Array, key: Uint8Array): KeptVersion {
  return { version, contents, key, open: (tile) => openWithKey(version, tile, key) };
}
