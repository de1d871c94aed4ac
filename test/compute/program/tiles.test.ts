import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blockAt, blockCount, readTile, tileBytes, tileProblem } from "../../../compute/program/tiles.ts";
import type { Extent, TileSpec } from "../../../compute/program/types.ts";

/** How often each byte is owned. */
function owners(tile: TileSpec, grid: Extent, length: number): readonly number[] {
  const counts = new Array<number>(length).fill(0);
  for (let i = 0; i < blockCount(grid); i++) {
    const { start, width, rows, pitch } = tileBytes(tile, blockAt(i, grid), grid, length);
    for (let row = 0; row < rows; row++) {
      for (let at = start + row * pitch; at < start + row * pitch + width; at++) counts[at] = (counts[at] ?? 0) + 1;
    }
  }
  return counts;
}

const small = fc.integer({ min: 1, max: 9 });

describe("tiles that are accepted", () => {
  it("give every byte exactly one owner, as runs", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 40 }), (length, bytes) => {
        const grid: Extent = [Math.ceil(length / bytes), 1, 1];
        expect(tileProblem({ kind: "run", bytes }, grid, length)).toBeUndefined();
        expect(owners({ kind: "run", bytes }, grid, length)).toEqual(new Array(length).fill(1));
      }),
    );
  });

  it("give every byte exactly one owner, as rows of matrices", () => {
    fc.assert(
      fc.property(small, small, small, small, small, (pitch, width, rows, plane, planes) => {
        const grid: Extent = [Math.ceil(pitch / width), Math.ceil(plane / rows), planes];
        const tile: TileSpec = { kind: "rows", pitch, width, rows, plane };
        const length = pitch * plane * planes;
        expect(tileProblem(tile, grid, length)).toBeUndefined();
        expect(owners(tile, grid, length)).toEqual(new Array(length).fill(1));
      }),
    );
  });

  it("are the only ones: any other grid is refused", () => {
    fc.assert(
      fc.property(small, small, small, small, fc.tuple(small, small, small), (pitch, width, rows, plane, grid) => {
        const tile: TileSpec = { kind: "rows", pitch, width, rows, plane };
        const length = pitch * plane * 2;
        const fits = grid[0] === Math.ceil(pitch / width) && grid[1] === Math.ceil(plane / rows) && grid[2] === 2;
        expect(tileProblem(tile, grid, length) === undefined).toBe(fits);
      }),
    );
  });

  it("are read row after row", () => {
    const buffer = new Uint8Array(24).map((_, i) => i);
    const tile: TileSpec = { kind: "rows", pitch: 6, width: 4, rows: 3, plane: 4 };
    expect([...readTile(buffer, tileBytes(tile, [1, 0, 0], [2, 2, 1], 24))]).toEqual([4, 5, 10, 11, 16, 17]);
    expect([...readTile(buffer, tileBytes(tile, [1, 1, 0], [2, 2, 1], 24))]).toEqual([22, 23]);
  });
});
