/** Which launches the chain itself can check: within what every validator does in a fraction of a block's time. */
import { REFEREE_BLOCKS, REFEREE_BYTES, REFEREE_FUEL } from "./limits.ts";
import { CHUNK_BYTES } from "./merkle.ts";
import { blockCount, isWhole, type TileBytes, tileBytes } from "./tiles.ts";
import type { BufferSpec, LaunchSpec } from "./types.ts";
import { buffersOf } from "./validate.ts";

export function isRefereeable(launch: LaunchSpec, buffers: readonly BufferSpec[]): boolean {
  if (launch.fuel > REFEREE_FUEL || launch.bytes > REFEREE_BYTES) return false;
  if (isWhole(launch) && blockCount(launch.grid) > REFEREE_BLOCKS) return false;
  return ownedChunks(launch, buffers) * CHUNK_BYTES <= REFEREE_BYTES;
}

/** Chunks that the largest tile reaches into, in all buffers that the launch writes. A tile is hashed as a whole. */
function ownedChunks({ tiles, grid, arguments: given }: LaunchSpec, buffers: readonly BufferSpec[]): number {
  return tiles.reduce((sum, { parameter, tile }) => {
    const lengths = buffersOf(given[parameter]).map((buffer) => buffers[buffer]?.bytes ?? 0);
    // The first tile is never cut unless all are.
    const most = lengths.map((length) => chunksOfTile(tileBytes(tile, [0, 0, 0], grid, length)));
    return sum + Math.max(0, ...most);
  }, 0);
}

/** Chunks of a buffer that one of its tiles reaches into, at most. */
export function chunksOfTile({ width, rows, pitch }: TileBytes): number {
  if (width === pitch) return Math.ceil((width * rows) / CHUNK_BYTES) + 1;
  return rows * (Math.ceil(width / CHUNK_BYTES) + 1);
}
