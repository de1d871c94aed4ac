import { expect, it } from "vitest";
import { bytesToHex } from "../../../../base/bytes.ts";
import { Prng } from "../../../../base/prng.ts";
import type { SeatOpening } from "../../../../compute/agent/ports.ts";
import { SegmentWork } from "../../../../compute/agent/provider/segment-work.ts";
import { type FalseOutput, falseOutput, outputsOfLaunch } from "../../../../compute/agent/tiles/output-tile.ts";
import { bytesOfTile, divisionBy } from "../../../../compute/agent/tiles/tile-sources.ts";
import { CpuDevice } from "../../../../compute/device/cpu-device.ts";
import { contentAddress, verifyChunk } from "../../../../compute/program/merkle.ts";
import { launchesIn } from "../../../../compute/program/schedule.ts";
import { readTile } from "../../../../compute/program/tiles.ts";
import type { Program } from "../../../../compute/program/types.ts";
import { checkProgram } from "../../../../compute/ptx/check-program.ts";
import { randomInputs } from "../../support/inputs.ts";
import { gemmProgram, mixProgram } from "../../support/sample-programs.ts";
import { jobView, roundView } from "../support/scripted-chain.ts";

const TILE = 0;

async function worked(program: Program) {
  const contents = randomInputs(program, new Prng("outputs"), "numbers");
  const inputs = program.buffers.flatMap(({ kind, name }) =>
    kind === "input" ? [contentAddress(contents.get(name) ?? new Uint8Array())] : [],
  );
  const end = launchesIn(program.steps);
  const parts = { checked: checkProgram(program), range: { first: 0, end }, contents, inputs };
  const work = new SegmentWork(
    { ...parts, checkpoint: new Map(), seed: new Uint8Array(32).fill(1) },
    new CpuDevice(undefined, { threads: 1 }),
  );
  const { segmentRoot } = await work.run();
  const job = jobView({ id: 1n, program: "0x01", inputs: [] });
  const round = roundView(job, { id: 7n, worker: "0x02", segmentRoot: bytesToHex(segmentRoot), endLaunch: end });
  const launch = end - 1;
  const [found] = outputsOfLaunch(program, launch, end);
  if (found === undefined) throw new Error("the last launch writes an output");
  const whole = work.outputs()[found.output] ?? new Uint8Array();
  const at = bytesOfTile(program, divisionBy(program, launch, found.buffer), found.buffer, TILE);
  const opening: SeatOpening = { seat: 0, ...(await work.open({ launch, tile: TILE })) };
  const tile = { ...found, launch, tile: TILE, written: readTile(whole, at) };
  const challenge = (contents: Uint8Array): FalseOutput | undefined =>
    falseOutput(program, round, tile, contents, opening);
  return { whole, at, opening, challenge, buffer: found.buffer };
}

for (const [what, program] of [
  ["tiles of rows", gemmProgram(40, 33, 20)],
  ["tiles that follow each other", mixProgram(4_096, 3)],
] as const) {
  it(`an output is held to a tile of it, to the byte: ${what}`, async () => {
    const { whole, at, opening, challenge, buffer } = await worked(program);
    expect(challenge(whole)).toBeUndefined();
    const isInTile = (place: number): boolean => {
      const row = Math.floor((place - at.start) / at.pitch);
      return place >= at.start && row < at.rows && (place - at.start) % at.pitch < at.width;
    };
    const prng = new Prng("places");
    let shown = 0;
    for (let i = 0; i < 200; i++) {
      const place = prng.below(whole.length);
      const changed = whole.with(place, (whole[place] ?? 0) ^ 4);
      const proof = challenge(changed);
      expect(proof !== undefined).toBe(isInTile(place));
      if (proof === undefined) continue;
      shown++;
      const [chunk] = proof.chunks;
      const address = opening.tiles.find((tile) => tile.buffer === buffer)?.opening.address ?? new Uint8Array();
      expect(verifyChunk(address, proof.written.bytes, proof.written.proof)).toBe(true);
      expect(chunk && verifyChunk(contentAddress(changed), chunk.bytes, chunk.proof)).toBe(true);
      // The changed byte is in the chunk that is shown.
      expect(Math.floor(place / 1_024)).toBe(chunk?.proof.index);
    }
    expect(shown).toBeGreaterThan(0);
  });
}

it("an output of another length is shown by any of its chunks", async () => {
  const { whole, challenge } = await worked(gemmProgram(40, 33, 20));
  const longer = new Uint8Array(whole.length + 1);
  longer.set(whole);
  const [chunk] = challenge(longer)?.chunks ?? [];
  expect(chunk?.proof.count).toBe(longer.length);
  expect(chunk && verifyChunk(contentAddress(longer), chunk.bytes, chunk.proof)).toBe(true);
});
