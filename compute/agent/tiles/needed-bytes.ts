/** Which bytes of a buffer a tile depends on when it touches a chunk. */
import type { ScheduledLaunch } from "../../program/schedule.ts";
import { blockAt, tileBytes } from "../../program/tiles.ts";
import type { Program } from "../../program/types.ts";
import { chunkBytes } from "./tile-sources.ts";
import { bytesOfBuffer, writesOf } from "./touched-chunks.ts";

export interface NeededBytes {
  readonly start: number;
  readonly end: number;
}

/** All of the chunk; of a buffer that the launch writes, what lies in the tile's own rows. */
export function neededOf(
  program: Program,
  scheduled: ScheduledLaunch,
  tile: number,
  buffer: number,
  chunk: number,
): readonly NeededBytes[] {
  const whole = chunkBytes(program, buffer, chunk);
  const write = writesOf(scheduled).find((one) => one.buffer === buffer);
  if (write === undefined) return [whole];
  const { grid } = scheduled.launch;
  const own = tileBytes(write.tile, blockAt(tile, grid), grid, bytesOfBuffer(program, buffer));
  const first = Math.max(0, Math.floor((whole.start - own.start - own.width) / own.pitch));
  const last = Math.min(own.rows - 1, Math.floor((whole.end - own.start) / own.pitch));
  const needed: NeededBytes[] = [];
  for (let row = first; row <= last; row++) {
    const start = Math.max(whole.start, own.start + row * own.pitch);
    const end = Math.min(whole.end, own.start + row * own.pitch + own.width);
    if (start < end) needed.push({ start, end });
  }
  return needed;
}
