import { describe, expect, it } from "vitest";
import { equalBytes } from "../../../../base/bytes.ts";
import { Prng } from "../../../../base/prng.ts";
import { type CheckpointBuffer, checkCheckpoint } from "../../../../compute/agent/provider/checkpoint.ts";
import { SegmentWork } from "../../../../compute/agent/provider/segment-work.ts";
import {
  checkTileInputs,
  type TileContents,
  type TileQuestion,
} from "../../../../compute/agent/tiles/check-tile-inputs.ts";
import type { TileInputs } from "../../../../compute/agent/tiles/tile-inputs.ts";
import { decodeTileInputs, encodeTileInputs } from "../../../../compute/agent/tiles/tile-inputs-codec.ts";
import { CpuDevice } from "../../../../compute/device/cpu-device.ts";
import { runProgram } from "../../../../compute/device/run-program.ts";
import { WasmEngine } from "../../../../compute/device/wasm-engine.ts";
import { launchLeaf, verifyTile } from "../../../../compute/program/commitment.ts";
import { type DrawnPlace, drawPlace } from "../../../../compute/program/draw-place.ts";
import { contentAddress, verifyLeaf } from "../../../../compute/program/merkle.ts";
import { launchesIn } from "../../../../compute/program/schedule.ts";
import { segmentRange } from "../../../../compute/program/segments.ts";
import type { Program } from "../../../../compute/program/types.ts";
import type { CheckedKernel } from "../../../../compute/ptx/check.ts";
import { type CheckedProgram, checkProgram } from "../../../../compute/ptx/check-program.ts";
import { runPagedTile } from "../../../../compute/ptx/run-paged-tile.ts";
import type { TileResult } from "../../../../compute/ptx/run-tile.ts";
import { randomInputs } from "../../support/inputs.ts";
import { gemmProgram, mixProgram } from "../../support/sample-programs.ts";

const device = new CpuDevice(undefined, { threads: 1 });

interface Worked {
  readonly work: SegmentWork;
  readonly question: Omit<TileQuestion, "launch" | "tile">;
}

/** All segments one after the other, each by a worker with a seed of its own. */
async function workThrough(
  program: Program,
  contents: ReadonlyMap<string, Uint8Array>,
  segments: number,
  keptBytes?: number,
): Promise<readonly Worked[]> {
  const checked = checkProgram(program);
  const inputs = program.buffers.flatMap(({ kind, name }) =>
    kind === "input" ? [contentAddress(contents.get(name) as Uint8Array)] : [],
  );
  const all: Worked[] = [];
  let checkpoint: ReadonlyMap<number, CheckpointBuffer> = new Map();
  let checkpointRoot: Uint8Array | undefined;
  for (let segment = 0; segment < segments; segment++) {
    const range = segmentRange(launchesIn(program.steps), segments, segment);
    const seed = new Uint8Array(32).fill(segment + 1);
    const work = new SegmentWork({ checked, range, contents, inputs, checkpoint, seed }, device, keptBytes);
    const { segmentRoot, checkpointRoot: next } = await work.run();
    all.push({ work, question: { checked, first: range.first, segmentRoot, checkpointRoot, inputs } });
    checkpoint = new Map(work.checkpoint());
    checkpointRoot = next;
    checkCheckpoint(program, inputs, checkpoint, next);
  }
  return all;
}

function everyPlace({ work, question }: Worked, program: Program, count: number): readonly DrawnPlace[] {
  const end = work.first + launchCount(work);
  const prng = new Prng("places");
  return Array.from({ length: count }, () =>
    drawPlace(program, { first: question.first, end }, BigInt(prng.uint32()) * 4_294_967_296n + BigInt(prng.uint32())),
  );
}

function launchCount(work: SegmentWork): number {
  return work.launchProof(work.first).proof.count;
}

function computed({ program, kernels }: CheckedProgram, contents: TileContents, { tile }: DrawnPlace): TileResult {
  const { scheduled } = contents;
  const kernel = kernels[scheduled.launch.kernel] as CheckedKernel;
  return runPagedTile({ program, kernel, scheduled, tile, chunk: (buffer, chunk) => contents.chunk(buffer, chunk) });
}

/** What a seat does: the inputs go through bytes, are proven, and the tile that comes out is the one that was committed. */
async function seatAgrees({ work, question }: Worked, place: DrawnPlace): Promise<TileInputs> {
  const inputs = decodeTileInputs(encodeTileInputs(await work.tileInputs(place)));
  const contents = checkTileInputs({ ...question, ...place }, inputs);
  const result = computed(question.checked, contents, place);
  const { outcome, proof, tiles } = await work.open(place);
  expect(verifyLeaf(question.segmentRoot, launchLeaf(place.launch, outcome), proof)).toBe(true);
  if (result.kind === "trap" || outcome.kind === "trap") throw new Error("nothing traps here");
  for (const { buffer, opening } of tiles) {
    const root = outcome.versions.find((version) => version.buffer === buffer)?.root ?? new Uint8Array();
    expect(verifyTile(root, place.tile, opening)).toBe(true);
    expect(equalBytes(opening.address, contentAddress(result.written.get(buffer) as Uint8Array))).toBe(true);
  }
  expect(tiles.length).toBe(result.written.size);
  return inputs;
}

const PROGRAMS: readonly [string, Program, number][] = [
  ["a product of matrices", gemmProgram(40, 33, 20), 1],
  ["a loop between two buffers, in one segment", mixProgram(256, 7), 1],
  ["the same in three segments", mixProgram(256, 7), 3],
];

describe("a segment's work", () => {
  for (const [what, program, segments] of PROGRAMS) {
    it(`gives the reference's result and openings that seats confirm: ${what}`, async () => {
      const contents = randomInputs(program, new Prng(what), "numbers");
      const checked = checkProgram(program);
      const reference = runProgram(checked, new WasmEngine(checked), contents);
      const all = await workThrough(program, contents, segments);
      const outputs = all.at(-1)?.work.outputs() ?? [];
      program.outputs.forEach((buffer, i) => {
        const wanted =
          reference.kind === "done" ? reference.outputs.get(program.buffers[buffer]?.name ?? "") : undefined;
        expect(equalBytes(outputs[i] ?? new Uint8Array(), wanted ?? new Uint8Array(1))).toBe(true);
      });
      for (const worked of all) for (const place of everyPlace(worked, program, 12)) await seatAgrees(worked, place);
    });
  }

  it("is the same when versions were dropped and are computed again", async () => {
    const program = mixProgram(256, 7);
    const contents = randomInputs(program, new Prng("dropped"), "numbers");
    const [kept, dropped] = [await workThrough(program, contents, 2), await workThrough(program, contents, 2, 0)];
    for (const [i, worked] of dropped.entries()) {
      const same = kept[i] as Worked;
      expect(worked.question.segmentRoot).toEqual(same.question.segmentRoot);
      for (const place of everyPlace(worked, program, 6)) {
        expect(encodeTileInputs(await seatAgrees(worked, place))).toEqual(
          encodeTileInputs(await seatAgrees(same, place)),
        );
      }
    }
  });

  it("has inputs of which every changed byte, proof or place is refused, and what is left out is missed", async () => {
    const program = mixProgram(256, 7);
    const contents = randomInputs(program, new Prng("hostile"), "numbers");
    const all = await workThrough(program, contents, 3);
    const prng = new Prng("changes");
    for (const worked of all) {
      for (const place of everyPlace(worked, program, 4)) {
        const encoded = encodeTileInputs(await worked.work.tileInputs(place));
        const question = { ...worked.question, ...place };
        for (let change = 0; change < 40; change++) {
          const bytes = encoded.slice();
          const at = prng.below(bytes.length);
          bytes[at] = (bytes[at] ?? 0) ^ (1 << prng.below(8));
          expect(() => checkTileInputs(question, decodeTileInputs(bytes))).toThrow(
            expect.objectContaining({ code: expect.stringMatching(/^TILE_(MALFORMED|UNPROVEN)$/) }),
          );
        }
        const short = checkTileInputs(question, { buffers: decodeTileInputs(encoded).buffers.slice(1) });
        expect(() => computed(question.checked, short, place)).toThrow(
          expect.objectContaining({ code: "TILE_MISSING" }),
        );
      }
    }
  });

  it("refuses a checkpoint with another byte, key or launch", async () => {
    const program = mixProgram(256, 7);
    const contents = randomInputs(program, new Prng("checkpoint"), "numbers");
    const [first] = await workThrough(program, contents, 2);
    if (first === undefined) throw new Error("there is a first segment");
    const state = first.work.checkpoint();
    const root = first.work.commitment().checkpointRoot;
    const { inputs } = first.question;
    for (const [buffer, kept] of state) {
      const bytes = kept.contents.slice();
      bytes[5] = (bytes[5] ?? 0) ^ 1;
      for (const other of [
        { ...kept, contents: bytes },
        { ...kept, key: new Uint8Array(32) },
        { ...kept, contents: bytes.subarray(1) },
      ]) {
        expect(() => checkCheckpoint(program, inputs, new Map(state).set(buffer, other), root)).toThrow(
          "not the checkpoint",
        );
      }
    }
    checkCheckpoint(program, inputs, state, root);
  });
});
