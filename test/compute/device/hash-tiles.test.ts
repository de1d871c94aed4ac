import { describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { Prng } from "../../../base/prng.ts";
import { hashTiles } from "../../../compute/device/hash-tiles.ts";
import { tileAddresses } from "../../../compute/program/commitment.ts";
import { contentAddress } from "../../../compute/program/merkle.ts";
import { tileProblem } from "../../../compute/program/tiles.ts";
import type { Extent, TileSpec } from "../../../compute/program/types.ts";

async function expectSame(contents: Uint8Array, tile: TileSpec, grid: Extent): Promise<void> {
  expect(tileProblem(tile, grid, contents.length)).toBeUndefined();
  const found = await hashTiles(contents, tile, grid);
  expect(bytesToHex(found)).toBe(bytesToHex(tileAddresses(contents, tile, grid)));
}

describe("tiles hashed natively", () => {
  it.each([0, 1, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 2048, 3072, 65_537, 300_000])(
    "have the content address of %d bytes as a whole",
    async (length) => {
      const contents = new Prng(`whole ${length}`).bytes(length);
      const found = await hashTiles(contents, { kind: "whole" }, [3, 2, 1]);
      expect(bytesToHex(found)).toBe(bytesToHex(contentAddress(contents)));
    },
  );

  it("have the addresses that are computed without native code, as runs of any length", async () => {
    const prng = new Prng("runs");
    for (let round = 0; round < 60; round++) {
      const bytes = 1 + prng.below(round % 2 === 0 ? 200 : 5_000);
      const contents = prng.bytes(1 + prng.below(60_000));
      await expectSame(contents, { kind: "run", bytes }, [Math.ceil(contents.length / bytes), 1, 1]);
    }
  });

  it("have them as parts of matrices, cut at the edges, in memory that threads share", async () => {
    const prng = new Prng("rows");
    for (let round = 0; round < 60; round++) {
      // Whole pairs are hashed where they lie, others are copied first.
      const unit = round % 2 === 0 ? 64 : 1;
      const [pitch, plane, planes] = [unit * (1 + prng.below(40)), 1 + prng.below(40), 1 + prng.below(3)];
      const [width, rows] = [unit * (1 + prng.below(10)), 1 + prng.below(20)];
      const contents = new Uint8Array(new SharedArrayBuffer(pitch * plane * planes));
      contents.set(prng.bytes(contents.length));
      const grid: Extent = [Math.ceil(pitch / width), Math.ceil(plane / rows), planes];
      await expectSame(contents, { kind: "rows", pitch, width, rows, plane }, grid);
    }
  });

  it("are hashed beside each other", async () => {
    const prng = new Prng("beside");
    const buffers = Array.from({ length: 20 }, () => prng.bytes(64 * 1024));
    await Promise.all(buffers.map((contents) => expectSame(contents, { kind: "run", bytes: 4_096 }, [16, 1, 1])));
  });
});
