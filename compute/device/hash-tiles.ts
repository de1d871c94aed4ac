/** Content addresses of all tiles of a buffer: by native code on all cores, where there is an addon. */
import { CodedError } from "../../base/errors.ts";
import { type CpuAddon, loadAddon } from "../native/addon.ts";
import { tileAddresses, tileCount } from "../program/commitment.ts";
import type { Extent, TileSpec } from "../program/types.ts";
import type { DeviceErrorCode } from "./engine.ts";

let addon: CpuAddon | undefined;

function native(): CpuAddon | undefined {
  if (addon === undefined) {
    const loaded = loadAddon();
    if ("cpu" in loaded) addon = loaded.cpu;
  }
  return addon;
}

function scalar(value: number): Uint8Array {
  return new Uint8Array(new BigUint64Array([BigInt(value)]).buffer);
}

/** As `tile_addresses` wants them: kind, pitch, width, rows, plane. */
function shapeOf(tile: TileSpec): readonly number[] {
  if (tile.kind === "whole") return [0, 0, 0, 0, 0];
  if (tile.kind === "run") return [1, 0, tile.bytes, 0, 0];
  return [2, tile.pitch, tile.width, tile.rows, tile.plane];
}

/**
 * One after the other, in the order of blocks; the same as `tileAddresses`. The tiles cover the contents, which must not change
 * meanwhile.
 */
export async function hashTiles(contents: Uint8Array, tile: TileSpec, grid: Extent): Promise<Uint8Array> {
  const cpu = native();
  if (cpu === undefined) return tileAddresses(contents, tile, grid);
  const addresses = new Uint8Array(32 * tileCount(tile, grid));
  const [kind = 0, ...shape] = shapeOf(tile);
  const scalars = [scalar(contents.length), scalar(kind).subarray(0, 4), ...shape.map(scalar)];
  const values = [...scalars, contents, addresses];
  const isBuffer = values.map((_, i) => i >= scalars.length);
  const outcome = await cpu.run("portable", [{ kernel: "tile_addresses", grid, values, isBuffer }], 0).promise;
  if (outcome === "done") return addresses;
  throw new CodedError<DeviceErrorCode>("DEVICE_MEMORY", "this machine has not the memory to hash the tiles");
}
