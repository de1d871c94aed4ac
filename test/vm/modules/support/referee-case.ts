/**
 * A worker's segment computed by the real engine and committed for real, with lies where a test wants them, and a chain that
 * has it as a decided round: what a challenger does to it is then up to the test.
 */
import { type ParseAbi, parseAbi } from "viem";
import { bytesToHex, type Hex } from "../../../../base/bytes.ts";
import { assert } from "../../../../base/errors.ts";
import { Prng } from "../../../../base/prng.ts";
import { OGPU } from "../../../../base/units.ts";
import { runProgram } from "../../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../../compute/device/wasm-engine.ts";
import { encodeProgram } from "../../../../compute/program/codec.ts";
import {
  type BufferVersion,
  checkpointRoot,
  commitBuffer,
  type LaunchOutcome,
  launchLeaf,
  openTile,
  segmentRoot,
} from "../../../../compute/program/commitment.ts";
import { contentAddress, type MerkleProof, proveChunk, proveLeaf } from "../../../../compute/program/merkle.ts";
import { type ScheduledLaunch, scheduleOf } from "../../../../compute/program/schedule.ts";
import { segmentRange } from "../../../../compute/program/segments.ts";
import { blockAt, readTile, tileBytes, tilesOf } from "../../../../compute/program/tiles.ts";
import type { Program, TileSpec } from "../../../../compute/program/types.ts";
import { type CheckedProgram, checkProgram } from "../../../../compute/ptx/check-program.ts";
import { programsAbi } from "../../../../vm/interfaces/abi/programs.ts";
import { verificationAbi } from "../../../../vm/interfaces/abi/verification.ts";
import { MARKET_ADDRESS, PROGRAMS_ADDRESS, VERIFICATION_ADDRESS } from "../../../../vm/modules/addresses.ts";
import { cancel } from "../../../../vm/modules/agenda/schedule.ts";
import { defineModule, type NativeModule } from "../../../../vm/modules/module.ts";
import type { ModuleCall } from "../../../../vm/modules/module-call.ts";
import { beginRound } from "../../../../vm/modules/verification/begin.ts";
import type { SeatOpeningInput } from "../../../../vm/modules/verification/opening.ts";
import { enterPhase } from "../../../../vm/modules/verification/phases.ts";
import type { ChunkInput, OriginInput } from "../../../../vm/modules/verification/referee-input.ts";
import { PHASE } from "../../../../vm/modules/verification/round-types.ts";
import { WORK } from "../../../../vm/modules/verification/timers.ts";
import type { Address } from "../../../../vm/state/account.ts";
import { accountKey, EconomyChain, eventsOf, type Target } from "../../support/economy-chain.ts";
import type { TestKey } from "../../support/test-chain.ts";

export const VERIFICATION: Target<typeof verificationAbi> = { address: VERIFICATION_ADDRESS, abi: verificationAbi };
const PROGRAMS = { address: PROGRAMS_ADDRESS, abi: programsAbi } as const;
const SIGNATURES = ["function begin() payable returns (uint256)"] as const;
const STUB: Target<ParseAbi<typeof SIGNATURES>> = { address: MARKET_ADDRESS, abi: parseAbi(SIGNATURES) };

const SEED = new Prng("seed of the salts").bytes(32);
const CHUNK = 1024;
export const WORKER: TestKey = accountKey(1);
export const CHALLENGER: TestKey = accountKey(2);
export const SEAT_FEE: bigint = OGPU / 10n;

export interface Lie {
  readonly launch: number;
  readonly buffer: number;
  /** The byte of the buffer that is committed wrong. */
  readonly byte: number;
}

interface LaunchTrace {
  readonly scheduled: ScheduledLaunch;
  readonly outcome: LaunchOutcome;
  readonly versions: ReadonlyMap<
    number,
    { readonly version: BufferVersion; readonly contents: Uint8Array; readonly tile: TileSpec }
  >;
}

export interface CaseOptions {
  readonly program: Program;
  readonly inputs: ReadonlyMap<string, Uint8Array>;
  readonly lie?: Lie;
  readonly segments?: number;
  readonly segment?: number;
  /** Outputs that are committed in the place of the true ones. */
  readonly outputs?: (outputs: readonly Uint8Array[]) => readonly Uint8Array[];
  /** Roots of the checkpoint after the segment, likewise. */
  readonly checkpoint?: (roots: readonly Uint8Array[]) => readonly Uint8Array[];
  /** The worker says that this launch traps at tile 0. */
  readonly trapAt?: number;
}

/** What a worker knows: every version that its launches left, as committed. */
export class WorkerTrace {
  readonly program: Program;
  readonly checked: CheckedProgram;
  readonly launches: LaunchTrace[] = [];
  readonly inputs: ReadonlyMap<string, Uint8Array>;
  readonly first: number;
  readonly end: number;

  constructor({ program, inputs, lie, segments = 1, segment = 0, trapAt }: CaseOptions) {
    this.program = program;
    this.inputs = inputs;
    this.checked = checkProgram({ ...program, steps: program.steps });
    this.#run(lie);
    const range = segmentRange([...scheduleOf(program)].length, segments, segment);
    this.first = range.first;
    this.end = trapAt === undefined ? range.end : trapAt + 1;
    if (trapAt === undefined) return;
    const trapped = this.launches[trapAt];
    assert(trapped !== undefined, "the launch is there");
    this.launches[trapAt] = { ...trapped, outcome: { kind: "trap", tile: 0 } };
  }

  /** The engine has no budgets here, so that a lying worker can go on where others trap. */
  #run(lie: Lie | undefined): void {
    const generous = checkProgram(withFuel(this.program, 1e9));
    const engine = new WasmEngine(generous);
    const scheduled = [...scheduleOf(this.program)];
    runProgram(generous, engine, this.inputs, {
      onLaunch: ({ scheduled: { index }, written }) => {
        const versions = new Map(
          written.map(({ buffer, tile, contents: live }) => {
            const contents = live.slice();
            if (lie?.launch === index && lie.buffer === buffer) contents[lie.byte] = (contents[lie.byte] ?? 0) ^ 1;
            const { grid } = (scheduled[index] as ScheduledLaunch).launch;
            const version = commitBuffer(contents, tile, grid, index, buffer, SEED);
            return [buffer, { version, contents, tile }] as const;
          }),
        );
        const roots = [...versions].map(([buffer, { version }]) => ({ buffer, root: version.root }));
        roots.sort((a, b) => a.buffer - b.buffer);
        this.launches.push({
          scheduled: scheduled[index] as ScheduledLaunch,
          outcome: { kind: "done", versions: roots },
          versions,
        });
      },
    });
  }

  get leaves(): readonly Uint8Array[] {
    return this.launches
      .slice(this.first, this.end)
      .map(({ scheduled, outcome }) => launchLeaf(scheduled.index, outcome));
  }

  /** Content address of what a buffer was at the start. */
  start(buffer: number): Uint8Array {
    const { name = "", bytes = 0 } = this.program.buffers[buffer] ?? {};
    return this.inputs.get(name) ?? new Uint8Array(bytes);
  }

  /** The last launch before `end` that wrote the buffer, by going back. */
  writer(end: number, buffer: number): LaunchTrace | undefined {
    return this.launches.slice(0, end).findLast(({ versions }) => versions.has(buffer));
  }

  roots(end: number): readonly Uint8Array[] {
    return this.program.buffers.map(
      (_, buffer) => this.writer(end, buffer)?.versions.get(buffer)?.version.root ?? contentAddress(this.start(buffer)),
    );
  }

  leafProof(leaves: readonly Uint8Array[], index: number): OriginInput["proof"] {
    return proofInput(proveLeaf(leaves, index));
  }

  contents(end: number, buffer: number): Uint8Array {
    return this.writer(end, buffer)?.versions.get(buffer)?.contents ?? this.start(buffer);
  }

  opening(launch: number, tile: number): SeatOpeningInput {
    const { outcome, versions } = this.launches[launch] as LaunchTrace;
    const tiles = outcome.kind === "trap" ? [] : [...versions].sort(([a], [b]) => a - b);
    return {
      seat: 0,
      outcome: outcomeInput(outcome),
      proof: proofInput(proveLeaf(this.leaves, launch - this.first)),
      tiles: tiles.map(([buffer, { version }]) => tileInput(buffer, version, tile)),
    };
  }

  /** Where bytes of the buffer before `end` come from. */
  origin(end: number, buffer: number, tile: number): OriginInput {
    const writer = this.writer(end, buffer);
    if (writer === undefined) return NO_ORIGIN;
    const { version } = writer.versions.get(buffer) as { version: BufferVersion };
    const { index } = writer.scheduled;
    const rest = { launch: index, tile, opening: tileInput(buffer, version, tile) };
    if (index >= this.first) {
      const proof = proofInput(proveLeaf(this.leaves, index - this.first));
      return { kind: 1, outcome: outcomeInput(writer.outcome), proof, ...rest };
    }
    const versions = [{ buffer, root: bytesToHex(version.root) }];
    const proof = proofInput(proveLeaf(this.roots(this.first), buffer));
    return { kind: 2, outcome: { trapped: false, trapTile: 0, versions }, proof, ...rest };
  }

  /** Every chunk of a buffer as it was before `end`, tile by tile. */
  chunks(end: number, buffer: number): readonly ChunkInput[] {
    const writer = this.writer(end, buffer);
    if (writer === undefined) return cut(buffer, this.start(buffer), NO_ORIGIN);
    const { contents, tile: spec } = writer.versions.get(buffer) as { contents: Uint8Array; tile: TileSpec };
    const { launch } = writer.scheduled;
    return Array.from({ length: tilesOf(launch) }, (_, tile) => {
      const bytes = readTile(contents, tileBytes(spec, blockAt(tile, launch.grid), launch.grid, contents.length));
      return cut(buffer, bytes, this.origin(end, buffer, tile));
    }).flat();
  }

  /** All that the launch could read; zeros need no proof. */
  inputsOf(launch: number): readonly ChunkInput[] {
    const { arguments: bound } = (this.launches[launch] as LaunchTrace).scheduled;
    const buffers = new Set(bound.flatMap((argument) => (argument.kind === "buffer" ? [argument.buffer] : [])));
    return [...buffers].flatMap((buffer) => {
      const { kind } = this.program.buffers[buffer] ?? {};
      const isZeros = kind === "zero" || kind === "scratch";
      return isZeros && this.writer(launch, buffer) === undefined ? [] : this.chunks(launch, buffer);
    });
  }
}

const HASH: Hex = `0x${"00".repeat(32)}`;
const NO_PROOF = { index: 0, count: 0, siblings: [] };
export const NO_ORIGIN: OriginInput = {
  ...{ kind: 0, launch: 0, outcome: { trapped: false, trapTile: 0, versions: [] }, proof: NO_PROOF, tile: 0 },
  opening: { buffer: 0, contents: HASH, salt: HASH, proof: NO_PROOF },
};

function proofInput({ index, count, siblings }: MerkleProof): OriginInput["proof"] {
  return { index, count, siblings: siblings.map((sibling) => bytesToHex(sibling)) };
}

function outcomeInput(outcome: LaunchOutcome): OriginInput["outcome"] {
  if (outcome.kind === "trap") return { trapped: true, trapTile: outcome.tile, versions: [] };
  const versions = outcome.versions.map(({ buffer, root }) => ({ buffer, root: bytesToHex(root) }));
  return { trapped: false, trapTile: 0, versions };
}

function tileInput(buffer: number, version: BufferVersion, tile: number): OriginInput["opening"] {
  const { address, salt, proof } = openTile(version, tile, SEED);
  return { buffer, contents: bytesToHex(address), salt: bytesToHex(salt), proof: proofInput(proof) };
}

export function cut(buffer: number, bytes: Uint8Array, origin: OriginInput): readonly ChunkInput[] {
  return Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, index) => ({
    ...{ buffer, origin },
    contents: bytesToHex(bytes.subarray(index * CHUNK, (index + 1) * CHUNK)),
    proof: proofInput(proveChunk(bytes, index)),
  }));
}

export function withFuel(program: Program, fuel: number): Program {
  return { ...program, steps: program.steps.map((step) => (step.kind === "launch" ? { ...step, fuel } : step)) };
}

/** The worker's segment as a decided round on a chain of its own, within the time for challenges. */
export class RefereeCase {
  readonly chain: EconomyChain = new EconomyChain();
  readonly trace: WorkerTrace;
  readonly round: bigint;
  readonly bond: bigint;

  constructor(options: CaseOptions) {
    this.trace = new WorkerTrace(options);
    const modules = this.chain.rules.modules as Map<Address, NativeModule>;
    const { parameters } = modules.get(VERIFICATION_ADDRESS) ?? {};
    assert(parameters !== undefined, "verification has parameters");
    const handlers = { begin: (call: ModuleCall) => this.#begin(call, options) };
    modules.set(
      MARKET_ADDRESS,
      defineModule({ name: "market", address: MARKET_ADDRESS, abi: STUB.abi, parameters, handlers }),
    );
    this.chain.send(PROGRAMS, "publish", [bytesToHex(encodeProgram(options.program))]);
    this.round = this.chain.send(STUB, "begin", [], { value: SEAT_FEE }).result;
    this.bond = this.chain.view(VERIFICATION, "challengeBond", [this.round]);
  }

  /** In the place of the market; seats are left out, because nobody disputes anything before the challenge. */
  #begin(call: ModuleCall, { program, segments = 1, segment = 0, outputs, checkpoint, trapAt }: CaseOptions): bigint {
    const { trace } = this;
    const isLast = segment === segments - 1 && trapAt === undefined;
    const addresses = program.outputs.map((buffer) => contentAddress(trace.contents(trace.end, buffer)));
    const roots = trace.roots(trace.end);
    const inputs = program.buffers.flatMap(({ kind }, buffer) =>
      kind === "input" ? [bytesToHex(contentAddress(trace.start(buffer)))] : [],
    );
    const round = beginRound(call, {
      ...{ job: 1n, client: accountKey(0).address, worker: WORKER.address, excluded: [] },
      ...{ program: bytesToHex(contentAddress(encodeProgram(program))), inputs, segment, segments },
      commitment: {
        segmentRoot: bytesToHex(segmentRoot(trace.leaves)),
        checkpointRoot: bytesToHex(checkpointRoot(checkpoint?.(roots) ?? roots)),
        outputs: isLast ? (outputs?.(addresses) ?? addresses).map((address) => bytesToHex(address)) : [],
        ...(trapAt !== undefined && { trap: { launch: trapAt, tile: 0 } }),
      },
      ...(segment > 0 && { startCheckpoint: bytesToHex(checkpointRoot(trace.roots(trace.first))) }),
      ...{ seats: 1, tier: 0, seatFee: SEAT_FEE },
    });
    const own = call.in(VERIFICATION_ADDRESS);
    cancel(own, { module: VERIFICATION_ADDRESS, kind: WORK.draw, id: round });
    enterPhase(own, round, PHASE.accepted, 3600n);
    return round;
  }

  challenge(launch: number, tile: number): void {
    const options = { key: CHALLENGER, value: this.bond };
    this.chain.send(VERIFICATION, "challenge", [this.round, launch, tile], options);
  }

  open(launch: number, tile: number): void {
    const opening = this.trace.opening(launch, tile);
    this.chain.send(VERIFICATION, "openChallenged", [this.round, launch, tile, opening], { key: CHALLENGER });
  }

  stage(launch: number, tile: number, chunks: readonly ChunkInput[]): void {
    for (let i = 0; i < chunks.length; i += 16) {
      const some = chunks.slice(i, i + 16);
      this.chain.send(VERIFICATION, "stage", [this.round, launch, tile, some], { key: CHALLENGER });
    }
  }

  /** What the referee says in the block after the challenger has asked for it. */
  judge(launch: number, tile: number): { readonly verdict: number; readonly digest: Hex } {
    this.chain.send(VERIFICATION, "judge", [this.round, launch, tile], { key: CHALLENGER });
    return this.verdict();
  }

  verdict(seconds = 1): { readonly verdict: number; readonly digest: Hex } {
    const { receipts } = this.chain.pass(seconds);
    const events = receipts.flatMap(({ logs }) => eventsOf(VERIFICATION, logs));
    const found = events.find(({ name }) => name === "Refereed");
    assert(found !== undefined, "the referee has judged");
    return { verdict: Number(found.args["verdict"]), digest: found.args["digest"] as Hex };
  }

  /** From the challenge to the verdict. */
  run(launch: number, tile: number, chunks: readonly ChunkInput[] = this.trace.inputsOf(launch)): number {
    this.challenge(launch, tile);
    this.open(launch, tile);
    this.stage(launch, tile, chunks);
    return this.judge(launch, tile).verdict;
  }
}
