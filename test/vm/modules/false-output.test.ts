/** What a worker commits that contradicts what it committed itself is shown without computing anything. */
import { describe, expect, it } from "vitest";
import { bytesToHex, type Hex } from "../../../base/bytes.ts";
import { contentAddress } from "../../../compute/program/merkle.ts";
import type { ChunkInput } from "../../../vm/modules/verification/referee-input.ts";
import { GUILTY, PHASE, REASON } from "../../../vm/modules/verification/round-types.ts";
import { honest } from "./support/product-chain.ts";
import { cut, NO_ORIGIN, RefereeCase, VERIFICATION } from "./support/referee-case.ts";

describe("a false output", () => {
  const chunkOf = (bytes: Uint8Array): { contents: Hex; proof: ChunkInput["proof"] } => {
    const [, , third] = cut(0, bytes, NO_ORIGIN);
    return third as ChunkInput;
  };
  const falsified = (world: RefereeCase): Uint8Array => {
    const bytes = world.trace.contents(2, 3).slice();
    bytes[2050] = (bytes[2050] ?? 0) ^ 4;
    return bytes;
  };
  const truth = new RefereeCase(honest);
  const wrongOutput = falsified(truth);

  it("is shown by a chunk of it and the tile that was written there last", () => {
    const world = new RefereeCase({ ...honest, outputs: () => [contentAddress(wrongOutput)] });
    // Byte 2050 is in row 16, column 2: the first row of tile 2.
    const written = world.trace.chunks(2, 3)[2] as ChunkInput;
    const shown = [chunkOf(wrongOutput)].map(({ contents, proof }) => ({ contents, proof }));
    const nothing = world.chain.revertOf(VERIFICATION, "challengeOutput", [
      world.round,
      0,
      world.trace.chunks(2, 3)[0] as ChunkInput,
      shown,
    ]);
    expect(nothing.name).toBe("NothingShown");
    world.chain.send(VERIFICATION, "challengeOutput", [world.round, 0, written, shown]);
    const { phase, guilty, reason } = world.chain.view(VERIFICATION, "roundOf", [world.round]);
    expect([phase, guilty, reason]).toEqual([PHASE.rejected, GUILTY.worker, REASON.falseOutput]);
  });

  it("is shown by any chunk when it has another length", () => {
    const short = wrongOutput.subarray(0, 4000);
    const world = new RefereeCase({ ...honest, outputs: () => [contentAddress(short)] });
    const [first] = cut(3, short, NO_ORIGIN);
    const { contents, proof } = first as ChunkInput;
    world.chain.send(VERIFICATION, "challengeOutput", [
      world.round,
      0,
      world.trace.chunks(2, 3)[0] as ChunkInput,
      [{ contents, proof }],
    ]);
    expect(world.chain.view(VERIFICATION, "roundOf", [world.round]).guilty).toBe(GUILTY.worker);
  });

  it("is not shown of a true one, nor by chunks of something else", () => {
    const world = new RefereeCase(honest);
    const outputs = cut(3, world.trace.contents(2, 3), NO_ORIGIN).map(({ contents, proof }) => ({ contents, proof }));
    for (const written of world.trace.chunks(2, 3)) {
      const { name } = world.chain.revertOf(VERIFICATION, "challengeOutput", [world.round, 0, written, outputs]);
      expect(name).toBe("NothingShown");
    }
    const [written] = world.trace.chunks(2, 3) as [ChunkInput];
    const other = [chunkOf(wrongOutput)].map(({ contents, proof }) => ({ contents, proof }));
    expect(world.chain.revertOf(VERIFICATION, "challengeOutput", [world.round, 0, written, other]).name).toBe(
      "BadChunk",
    );
    expect(world.chain.revertOf(VERIFICATION, "challengeOutput", [world.round, 1, written, outputs]).name).toBe(
      "NothingShown",
    );
  });
});

describe("a false checkpoint", () => {
  const lying = { ...honest, segments: 2, segment: 0 };
  const wrongRoot = contentAddress(new Uint8Array([1]));

  it("is shown by the version in it and the one that the launches left", () => {
    for (const buffer of [1, 2, 3]) {
      const world = new RefereeCase({ ...lying, checkpoint: (roots) => roots.with(buffer, wrongRoot) });
      const roots = world.trace.roots(1).with(buffer, wrongRoot);
      world.chain.send(VERIFICATION, "challengeCheckpoint", claim(world, roots, buffer));
      expect(world.chain.view(VERIFICATION, "roundOf", [world.round]).reason).toBe(REASON.falseOutput);
    }
  });

  it("is not shown of a true one", () => {
    const world = new RefereeCase(lying);
    for (const buffer of [0, 1, 2, 3]) {
      const shown = claim(world, world.trace.roots(1), buffer);
      expect(world.chain.revertOf(VERIFICATION, "challengeCheckpoint", shown).name).toBe("NothingShown");
    }
  });

  function claim(world: RefereeCase, roots: readonly Uint8Array[], buffer: number) {
    const proof = world.trace.leafProof(roots, buffer);
    const origin = world.trace.origin(1, buffer, 0);
    return [world.round, buffer, bytesToHex(roots[buffer] as Uint8Array), proof, origin] as const;
  }
});
