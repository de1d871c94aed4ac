/**
 * What it costs that a job can be verified: committing to every tile of every launch, beside the job without, and computing one
 * random tile again as a verifier does, beside the whole job. For the latter the job runs on one thread of the CPU device, as the
 * check does; for the former on all cores, as hashing does.
 * Tier 0 is a tile for each seat; at tier 1 every seat's tile is voted on besides, with as many votes as the exact walk expects.
 */
import { bytesToHex } from "../../base/bytes.ts";
import { Prng } from "../../base/prng.ts";
import { CpuDevice } from "../../compute/device/cpu-device.ts";
import type { DeviceLaunch, PreparedProgram } from "../../compute/device/device.ts";
import { hashTiles } from "../../compute/device/hash-tiles.ts";
import { standardProgram } from "../../compute/kernels/standard-program.ts";
import { loadAddon } from "../../compute/native/addon.ts";
import { decodeModel } from "../../compute/onnx/decode-model.ts";
import { importModel } from "../../compute/onnx/import-model.ts";
import { commitAddresses, saltKey } from "../../compute/program/commitment.ts";
import { drawPlace } from "../../compute/program/draw-place.ts";
import { launchesIn, scheduleOf } from "../../compute/program/schedule.ts";
import { blockAt, launchFuel, readTile, tileBytes } from "../../compute/program/tiles.ts";
import type { Program } from "../../compute/program/types.ts";
import { type CheckedProgram, checkProgram } from "../../compute/ptx/check-program.ts";
import { runTile, type TileTask } from "../../compute/ptx/run-tile.ts";
import { networkSpec } from "../../genesis/networks.ts";
import { type ModelSpec, makeModel } from "../../test/compute/onnx/support/make-model.ts";
import { residualNetwork, transformerBlock } from "../../test/compute/onnx/support/sample-models.ts";
import { exactWalk } from "../../test/sim/compute/exact-walk.ts";
import type { BenchCase, BenchResult, Measurement } from "../case.ts";
import { interleave } from "../interleave.ts";

interface Params extends Readonly<Record<string, number>> {
  readonly rounds: number;
  /** Tiles that are drawn of each job. */
  readonly tiles: number;
  readonly matrix: number;
  readonly side: number;
  readonly channels: number;
  readonly length: number;
  readonly width: number;
}

export const benchCase: BenchCase<Params> = {
  name: "verification",
  description: "the cost of commitments, and of computing one random tile again, as a share of the job's",
  sizes: {
    smoke: { rounds: 1, tiles: 2, matrix: 96, side: 12, channels: 8, length: 16, width: 32 },
    full: { rounds: 5, tiles: 12, matrix: 2048, side: 112, channels: 64, length: 256, width: 512 },
  },
  run,
};

interface Job {
  readonly name: string;
  readonly checked: CheckedProgram;
  /** On one thread, and on all. */
  readonly prepared: PreparedProgram;
  readonly onAllCores: PreparedProgram;
  readonly inputs: ReadonlyMap<string, Uint8Array>;
  readonly constants: ReadonlyMap<string, Uint8Array>;
}

function randomBytes(prng: Prng, bytes: number): Uint8Array {
  return new Uint8Array(Float32Array.from({ length: bytes / 4 }, () => prng.below(2_000) / 1_000 - 1).buffer);
}

function jobOf(name: string, program: Program, constants: ReadonlyMap<string, Uint8Array>): Job {
  const addon = loadAddon();
  const cpu = "cpu" in addon ? addon.cpu : undefined;
  const checked = checkProgram(program);
  const prng = new Prng(name);
  const given = program.buffers.filter(({ kind }) => kind === "input");
  const inputs = new Map(given.map(({ name: buffer, bytes }) => [buffer, randomBytes(prng, bytes)] as const));
  const prepared = new CpuDevice(cpu, { threads: 1 }).prepare(checked, constants);
  const onAllCores = new CpuDevice(cpu).prepare(checked, constants);
  return { name, checked, constants, inputs, prepared, onAllCores };
}

function modelJob(name: string, spec: ModelSpec): Job {
  const { program, constants } = importModel(decodeModel(makeModel(spec)));
  return jobOf(name, program, constants);
}

/** As the chain draws them: the more a tile may compute, the likelier it is. By their launches. */
function drawTiles(program: Program, count: number, prng: Prng): ReadonlyMap<number, readonly number[]> {
  const range = { first: 0, end: launchesIn(program.steps) };
  const drawn = new Map<number, number[]>();
  for (let i = 0; i < count; i++) {
    const { launch, tile } = drawPlace(program, range, BigInt(bytesToHex(prng.bytes(32))));
    drawn.set(launch, [...(drawn.get(launch) ?? []), tile]);
  }
  return drawn;
}

/** What a drawn tile may compute, of what the whole job may: the mean over all draws. */
function meanShare(program: Program): number {
  let [job, weighted] = [0, 0];
  for (const { launch } of scheduleOf(program)) {
    const units = Number(launchFuel(launch));
    job += units;
    weighted += units * launch.fuel;
  }
  return weighted / job ** 2;
}

interface DrawnTile {
  readonly task: TileTask;
  /** What the device computed. */
  readonly expected: Uint8Array;
}

/** Runs the job once and keeps what the drawn tiles read and what they became. */
async function collect(job: Job, count: number): Promise<readonly DrawnTile[]> {
  const { program, kernels } = job.checked;
  const now = program.buffers.map(
    ({ name, bytes }) => job.inputs.get(name) ?? job.constants.get(name) ?? new Uint8Array(bytes),
  );
  const drawn = drawTiles(program, count, new Prng(`${job.name} tiles`));
  const found: DrawnTile[] = [];
  await job.prepared.run(job.inputs, {
    onLaunch: ({ scheduled, written }) => {
      const before = [...now];
      const { index, launch } = scheduled;
      for (const { buffer, contents } of written) now[buffer] = contents.slice();
      const [first] = written;
      if (first === undefined) return;
      for (const tile of drawn.get(index) ?? []) {
        const kernel = kernels[launch.kernel] as TileTask["kernel"];
        const place = tileBytes(first.tile, blockAt(tile, launch.grid), launch.grid, first.contents.length);
        const task = { program, kernel, scheduled, tile, contents: (buffer: number) => before[buffer] as Uint8Array };
        found.push({ task, expected: readTile(first.contents, place) });
      }
    },
  });
  return found;
}

async function commit({ scheduled: { index, launch }, written }: DeviceLaunch): Promise<void> {
  for (const { buffer, tile, contents } of written) {
    const key = saltKey(new Uint8Array(32), index, buffer);
    commitAddresses(await hashTiles(contents, tile, launch.grid), index, buffer, key);
  }
}

/** Of a pool task unless its source says otherwise. */
const SEATS = 3;
/** Of the stake that lies, in percent. */
const LIARS: readonly number[] = [0, 20];

/** Tiles that are computed again for one job. Tier 1 with seats on tiles that all differ: the same tile is voted on once. */
function tilesAgain(): readonly (readonly [string, number])[] {
  const { pollSize, lead, maxDraws } = networkSpec("mainnet").modules.verification;
  const rules = { pollSize: Number(pollSize), lead: Number(lead), maxDraws: Number(maxDraws) };
  const votes = (percent: number): number => exactWalk(rules, 1 - percent / 100, percent / 100).expectedDraws;
  return [
    ["tier 0", SEATS],
    ...LIARS.map((percent) => [`tier 1, ${percent} % lie`, SEATS * (1 + votes(percent))] as const),
  ];
}

/** `time` and `compute` of one tile, as shares of the job's. */
function shares(name: string, time: number, compute: number): readonly Measurement[] {
  return tilesAgain().flatMap(([tier, tiles]) => [
    { name: `${name}, ${tier}: time`, value: 100 * tiles * time, unit: "% of the job" },
    { name: `${name}, ${tier}: compute units`, value: 100 * tiles * compute, unit: "% of the job" },
  ]);
}

async function run({ rounds, tiles, matrix, side, channels, length, width }: Params): Promise<BenchResult> {
  const product = standardProgram({ kernel: "gemm", numbers: [matrix, matrix, matrix, 0, matrix, 1, 0, matrix, 1] });
  const jobs = [
    jobOf(`product of ${matrix}`, product, new Map()),
    modelJob("residual network", residualNetwork(1, side, channels)),
    modelJob("transformer block", transformerBlock(length, width, 4, true)),
  ];
  const drawn = await Promise.all(jobs.map((job) => collect(job, tiles)));
  let agreed = true;
  const rates = await interleave(
    rounds,
    jobs.flatMap(({ name, prepared, onAllCores, inputs }, i) => [
      { name, run: async () => done(await prepared.run(inputs)) },
      { name: `${name}, all cores`, run: async () => done(await onAllCores.run(inputs)) },
      {
        name: `${name}, committed`,
        run: async () => done(await onAllCores.run(inputs, { onLaunch: commit })),
      },
      {
        name: `${name}, a tile`,
        run: () => {
          for (const { task, expected } of drawn[i] ?? []) {
            const result = runTile(task);
            const [bytes] = result.kind === "done" ? result.written.values() : [];
            agreed &&= bytes !== undefined && Buffer.from(bytes).equals(expected);
          }
          return drawn[i]?.length ?? 0;
        },
      },
    ]),
  );
  return {
    measurements: jobs.flatMap(({ name, checked }) => [
      ...[name, `${name}, all cores`, `${name}, committed`].map((label) => ({
        ...{ name: label, value: 1_000 / rates.rate(label), unit: "ms" },
      })),
      { name: `${name}, a tile`, value: 1_000 / rates.rate(`${name}, a tile`), unit: "ms" },
      ...shares(name, rates.ratio(name, `${name}, a tile`), meanShare(checked.program)),
    ]),
    comparisons: jobs.flatMap(({ name }) => [
      {
        ...{ name: `${name} with commitments, beside without`, target: { atMost: 5 } },
        ratio: rates.ratio(`${name}, all cores`, `${name}, committed`),
      },
      {
        ...{ name: `${name}: one random tile, beside the job`, target: { atMost: 10 } },
        ratio: rates.ratio(name, `${name}, a tile`),
      },
    ]),
    agreed,
  };
}

function done({ kind }: { readonly kind: string }): number {
  if (kind !== "done") throw new Error("the program trapped");
  return 1;
}
