/** Runs segments in this process: fetches what they need, runs them, checks random tiles by the reference, keeps what openings need. */
import { bytesToBigint, bytesToHex, equalBytes, type Hex, hexToBytes } from "../../../base/bytes.ts";
import { isCoded } from "../../../base/errors.ts";
import { oneByOne } from "../../../base/one-by-one.ts";
import type { Device } from "../../device/device.ts";
import { decodeProgram } from "../../program/codec.ts";
import { type DrawnPlace, drawPlace } from "../../program/draw-place.ts";
import { MAX_PROGRAM_BYTES, REFEREE_BYTES, REFEREE_FUEL } from "../../program/limits.ts";
import { contentAddress } from "../../program/merkle.ts";
import { launchAt, launchesIn } from "../../program/schedule.ts";
import { type CheckedProgram, checkProgram } from "../../ptx/check-program.ts";
import { agentError } from "../errors.ts";
import { PROVIDER_LIMITS } from "../limits.ts";
import type { BlobPort } from "../ports.ts";
import { contentsBefore } from "../tiles/make-tile-inputs.ts";
import { encodeTileInputs } from "../tiles/tile-inputs-codec.ts";
import { touchedChunks } from "../tiles/touched-chunks.ts";
import { loadCheckpoint } from "./answer-demand.ts";
import { type CheckpointBuffer, checkCheckpoint, encodeManifest } from "./checkpoint.ts";
import { type SegmentOutcome, type SegmentRunner, type SegmentTask, taskKey } from "./segment-runner.ts";
import { type PlaceOpening, type SegmentOrder, SegmentWork } from "./segment-work.ts";

export interface LocalRunnerOptions {
  readonly device: Device;
  /** The engine that defines results: for what the device fails at or gets wrong. */
  readonly reference: Device;
  readonly blobs: BlobPort;
  readonly random: (bytes: number) => Uint8Array;
  /** Segments whose versions are kept in memory at a time. */
  readonly keptSegments?: number;
  readonly keptBytes?: number;
  /** Tiles that are checked by the reference before a segment is committed. */
  readonly recheckedTiles?: number;
}

export class LocalRunner implements SegmentRunner {
  readonly #options: LocalRunnerOptions;
  readonly #programs = new Map<Hex, CheckedProgram>();
  /** Those used last are last. */
  readonly #works = new Map<string, Promise<SegmentWork>>();
  /** A device runs one segment at a time; verifiers, who have less time, do not wait for the end of it. */
  readonly #segments = oneByOne();
  readonly #questions = oneByOne();

  constructor(options: LocalRunnerOptions) {
    this.#options = options;
  }

  async run(task: SegmentTask, onProgress: (launches: number) => void, signal: AbortSignal): Promise<SegmentOutcome> {
    // Whoever gives inputs slowly holds up its own job alone.
    const order = await this.#order(task, signal);
    return await this.#segments(async () => {
      const start = performance.now();
      const { work, distrusted, device } = await this.#compute(order, onProgress, signal);
      this.#remember(taskKey(task), Promise.resolve(work));
      const { segmentRoot, checkpointRoot, trap } = work.commitment();
      const outputs: Hex[] = [];
      for (const contents of work.outputs()) outputs.push(await this.#options.blobs.put(contents));
      const isLast = task.end === launchesIn(order.checked.program.steps);
      const manifest = trap === undefined && !isLast ? await this.#publish(work.checkpoint()) : null;
      return {
        commitment: {
          ...{ segmentRoot: bytesToHex(segmentRoot), checkpointRoot: bytesToHex(checkpointRoot), outputs },
          ...(trap && { trapLaunch: trap.launch, trapTile: trap.tile }),
        },
        ...{ manifest, distrusted, device, milliseconds: Math.round(performance.now() - start) },
      };
    });
  }

  /** The contents of the state after a segment become blobs, and the list of them another. */
  async #publish(state: ReadonlyMap<number, CheckpointBuffer>): Promise<Hex> {
    const manifest = [];
    for (const [buffer, { launch, key, contents }] of [...state].sort(([a], [b]) => a - b)) {
      manifest.push({ buffer, launch, key, address: await this.#options.blobs.put(contents) });
    }
    return this.#options.blobs.put(encodeManifest(manifest));
  }

  async #compute(
    order: SegmentOrder,
    onProgress: (launches: number) => void,
    signal: AbortSignal,
  ): Promise<{ work: SegmentWork; distrusted: string | null; device: string }> {
    const { device, reference, keptBytes } = this.#options;
    const places = this.#drawn(order);
    const attempt = async (on: Device): Promise<SegmentWork> => {
      const work = new SegmentWork(order, on, keptBytes);
      await work.run({ onProgress, signal, places });
      for (const place of places) await recheck(work, place);
      return work;
    };
    try {
      return { work: await attempt(device), distrusted: null, device: device.name };
    } catch (error) {
      signal.throwIfAborted();
      if (!isCoded(error, "DEVICE_FAILED", "DEVICE_WRONG", "DEVICE_TIMEOUT") || device === reference) throw error;
      // A GPU does not check bounds, races or budgets: what it fails at may be a program that traps.
      return { work: await attempt(reference), distrusted: error.message, device: reference.name };
    }
  }

  /** Tiles to be checked before anything is committed, weighted by compute units as seats are. */
  #drawn({ checked, range }: SegmentOrder): readonly DrawnPlace[] {
    if (range.first === range.end) return [];
    const { recheckedTiles = PROVIDER_LIMITS.recheckedTiles } = this.#options;
    return Array.from({ length: recheckedTiles }, () =>
      drawPlace(checked.program, range, bytesToBigint(this.#options.random(32))),
    );
  }

  async open(task: SegmentTask, places: readonly DrawnPlace[], signal: AbortSignal): Promise<readonly PlaceOpening[]> {
    const work = await this.#work(task, signal);
    return this.#questions(async () => {
      await work.ensure(places, signal);
      const openings: PlaceOpening[] = [];
      for (const place of places) openings.push(await work.open(place, signal));
      return openings;
    });
  }

  async inputs(task: SegmentTask, place: DrawnPlace, signal: AbortSignal): Promise<Uint8Array> {
    const work = await this.#work(task, signal);
    return this.#questions(async () => encodeTileInputs(await work.tileInputs(place, signal)));
  }

  #remember(key: string, work: Promise<SegmentWork>): void {
    this.#works.delete(key);
    this.#works.set(key, work);
    for (const old of this.#works.keys()) {
      if (this.#works.size <= (this.#options.keptSegments ?? 4)) break;
      this.#works.delete(old);
    }
  }

  /** As it was run, or run again: after a restart, or when others needed the memory. */
  #work(task: SegmentTask, signal: AbortSignal): Promise<SegmentWork> {
    const key = taskKey(task);
    const known = this.#works.get(key);
    const work =
      known ??
      this.#questions(async () => {
        const order = await this.#order(task, signal);
        return (await this.#compute(order, () => undefined, signal)).work;
      });
    this.#remember(key, work);
    work.catch(() => {
      if (this.#works.get(key) === work) this.#works.delete(key);
    });
    return work;
  }

  async #order(task: SegmentTask, signal: AbortSignal): Promise<SegmentOrder> {
    const checked = await this.#program(task, signal);
    const { program } = checked;
    const { blobs } = this.#options;
    const contents = new Map<string, Uint8Array>();
    let input = 0;
    for (const { name, kind, bytes, address } of program.buffers) {
      const wanted = kind === "input" ? task.inputs[input++] : address && bytesToHex(address);
      if (wanted === undefined) continue;
      const got = await blobs.get(wanted, bytes, task.places, signal);
      if (got.length !== bytes) {
        throw agentError("JOB_REFUSED", `${kind} ${name} has ${got.length} bytes, the program wants ${bytes}`, {
          name,
        });
      }
      contents.set(name, got);
    }
    const inputs = task.inputs.map(hexToBytes);
    const checkpoint = await this.#checkpoint(task, checked, inputs, signal);
    const range = { first: task.first, end: task.end };
    return { checked, range, contents, inputs, checkpoint, seed: hexToBytes(task.seed) };
  }

  async #program({ program, places }: SegmentTask, signal: AbortSignal): Promise<CheckedProgram> {
    const known = this.#programs.get(program);
    if (known !== undefined) return known;
    const encoded = await this.#options.blobs.get(program, MAX_PROGRAM_BYTES, places, signal);
    const checked = checkProgram(decodeProgram(encoded));
    this.#programs.set(program, checked);
    const [oldest] = this.#programs.keys();
    if (this.#programs.size > 16 && oldest !== undefined) this.#programs.delete(oldest);
    return checked;
  }

  /** Held to its root before anything is built on it: a wrong one would cost the worker its collateral. */
  async #checkpoint(
    { checkpoint, first, places }: SegmentTask,
    checked: CheckedProgram,
    inputs: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, CheckpointBuffer>> {
    if (checkpoint === null) return new Map();
    const buffers = await loadCheckpoint(this.#options.blobs, checked, first, checkpoint.manifest, places, signal);
    checkCheckpoint(checked.program, inputs, buffers, hexToBytes(checkpoint.root));
    return buffers;
  }
}

/** Whether the reference gives what the device gave. Throws DEVICE_WRONG. Tiles that take too long are left to verifiers. */
async function recheck(work: SegmentWork, place: DrawnPlace): Promise<void> {
  const { trap } = work.commitment();
  const scheduled = launchAt(work.checked.program, place.launch);
  if (scheduled === undefined || (trap !== undefined && place.launch >= trap.launch)) return;
  if (scheduled.launch.fuel > REFEREE_FUEL || scheduled.launch.bytes > REFEREE_BYTES) return;
  await work.ensure([place]);
  const { checked } = work;
  const { result } = touchedChunks(checked, scheduled, place.tile, contentsBefore(work, place.launch));
  const wrong = (what: string): never => {
    throw agentError("DEVICE_WRONG", `the reference finds ${what} in tile ${place.tile} of launch ${place.launch}`, {
      ...place,
    });
  };
  if (result.kind === "trap") return wrong("a trap");
  const { tiles } = await work.open(place);
  for (const { buffer, opening } of tiles) {
    const contents = result.written.get(buffer);
    if (contents === undefined || !equalBytes(contentAddress(contents), opening.address)) wrong("other bits");
  }
}
