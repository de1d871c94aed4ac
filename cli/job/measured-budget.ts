/** What a tile of a kernel may use, where nobody says it: the price follows from it, so a guess would cost money. */
import { assert } from "../../base/errors.ts";
import { CHUNK_BYTES } from "../../compute/program/merkle.ts";
import { scheduleOf } from "../../compute/program/schedule.ts";
import { blockCount, isWhole } from "../../compute/program/tiles.ts";
import type { Program } from "../../compute/program/types.ts";
import { checkProgram } from "../../compute/ptx/check-program.ts";
import { runPagedTile } from "../../compute/ptx/run-paged-tile.ts";

/** While it is measured. */
const MOST_FUEL: number = 2 ** 36;
const MOST_BYTES: number = 2 ** 32;
/** Other tiles may need more than those that were measured. */
const ROOM = 2;

export interface Budget {
  readonly fuel: number;
  readonly bytes: number;
}

/** Twice what the first, the middle and the last tile use. */
export function measuredBudget(
  build: (fuel: number, bytes: number) => Program,
  inputs: ReadonlyMap<string, Uint8Array>,
  given: { readonly fuel: number | undefined; readonly bytes: number | undefined },
): Budget {
  if (given.fuel !== undefined && given.bytes !== undefined) return { fuel: given.fuel, bytes: given.bytes };
  const checked = checkProgram(build(MOST_FUEL, MOST_BYTES));
  const { program, kernels } = checked;
  const [scheduled] = [...scheduleOf(program)];
  const kernel = kernels[0];
  assert(scheduled !== undefined && kernel !== undefined, "the program has its launch");
  const tiles = isWhole(scheduled.launch) ? 1 : blockCount(scheduled.launch.grid);
  let [fuel, chunks] = [1, 1];
  for (const tile of new Set([0, Math.floor(tiles / 2), tiles - 1])) {
    let touched = 0;
    const result = runPagedTile({
      ...{ program, kernel, scheduled, tile },
      chunk: (buffer, chunk) => {
        touched++;
        const { name = "", bytes = 0 } = program.buffers[buffer] ?? {};
        const contents = inputs.get(name) ?? new Uint8Array(bytes);
        return contents.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES);
      },
    });
    if (result.kind === "done") fuel = Math.max(fuel, result.fuel);
    chunks = Math.max(chunks, touched);
  }
  return { fuel: given.fuel ?? ROOM * fuel, bytes: given.bytes ?? ROOM * chunks * CHUNK_BYTES };
}
