/** Tiles: which bytes of a buffer a block owns, and that every byte has exactly one owner. */
import type { Extent, LaunchSpec, TileSpec } from "./types.ts";

/** Bytes of a buffer: `rows` runs of `width` bytes, `pitch` apart. */
export interface TileBytes {
  readonly start: number;
  readonly width: number;
  readonly rows: number;
  readonly pitch: number;
}

export function blockCount([x, y, z]: Extent): number {
  return x * y * z;
}

/** Blocks are numbered x first, then y, then z. */
export function blockAt(index: number, [x, y]: Extent): Extent {
  return [index % x, Math.floor(index / x) % y, Math.floor(index / (x * y))];
}

export function indexOf([x, y, z]: Extent, grid: Extent): number {
  return x + grid[0] * (y + grid[1] * z);
}

/** Whether all blocks together are one tile. */
export function isWhole(launch: LaunchSpec): boolean {
  return launch.tiles.some(({ tile }) => tile.kind === "whole");
}

/** Tiles that a launch is checked by, each of which has the launch's budget. */
export function tilesOf(launch: LaunchSpec): number {
  return isWhole(launch) ? 1 : blockCount(launch.grid);
}

/** The compute units that all tiles of a launch may use. */
export function launchFuel(launch: LaunchSpec): bigint {
  return BigInt(launch.fuel) * BigInt(tilesOf(launch));
}

/** Why the tiles do not cover a buffer of `length` bytes exactly once; `undefined` when they do. */
export function tileProblem(tile: TileSpec, grid: Extent, length: number): string | undefined {
  if (tile.kind === "whole") return undefined;
  if (tile.kind === "run") {
    const blocks = blockCount(grid);
    if (tile.bytes < 1) return "a tile has at least one byte";
    const needed = Math.ceil(length / tile.bytes);
    return needed === blocks
      ? undefined
      : `${length} bytes in tiles of ${tile.bytes} need ${needed} blocks, the grid has ${blocks}`;
  }
  const { pitch, width, rows, plane } = tile;
  if (width < 1 || rows < 1 || pitch < 1 || plane < 1) return "a tile has at least one byte";
  const wanted = [Math.ceil(pitch / width), Math.ceil(plane / rows), length / (plane * pitch)];
  if (wanted.every((count, axis) => count === grid[axis])) return undefined;
  return `matrices of ${plane} rows of ${pitch} bytes in tiles of ${rows} by ${width} need a grid of ${wanted.join(" x ")}`;
}

export function tileBytes(tile: TileSpec, block: Extent, grid: Extent, length: number): TileBytes {
  if (tile.kind === "whole") return { start: 0, width: length, rows: 1, pitch: length };
  if (tile.kind === "run") {
    const start = indexOf(block, grid) * tile.bytes;
    return { start, width: Math.min(tile.bytes, length - start), rows: 1, pitch: tile.bytes };
  }
  const { pitch, plane } = tile;
  const [x, y, z] = block;
  const column = x * tile.width;
  const row = y * tile.rows;
  return {
    start: (z * plane + row) * pitch + column,
    width: Math.min(tile.width, pitch - column),
    rows: Math.min(tile.rows, plane - row),
    pitch,
  };
}

/** The bytes of a tile, row after row. */
export function readTile(buffer: Uint8Array, { start, width, rows, pitch }: TileBytes): Uint8Array {
  if (rows === 1) return buffer.slice(start, start + width);
  const bytes = new Uint8Array(width * rows);
  for (let row = 0; row < rows; row++) {
    const from = start + row * pitch;
    bytes.set(buffer.subarray(from, from + width), row * width);
  }
  return bytes;
}
