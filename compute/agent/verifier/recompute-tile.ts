/** What a tile comes to by the reference engine, from inputs that a worker sent and that are proven first. */
import { hexToBytes } from "../../../base/bytes.ts";
import { assert } from "../../../base/errors.ts";
import { tileDigest } from "../../program/digest.ts";
import { contentAddress } from "../../program/merkle.ts";
import { runPagedTile } from "../../ptx/run-paged-tile.ts";
import type { RoundView } from "../ports.ts";
import { checkTileInputs, type TileQuestion } from "../tiles/check-tile-inputs.ts";
import { decodeTileInputs } from "../tiles/tile-inputs-codec.ts";

export interface RecomputedTile {
  readonly digest: Uint8Array;
  /** By buffer; nothing when the tile traps. */
  readonly written: ReadonlyMap<number, Uint8Array>;
}

/** What is asked about a tile of a round, for those who have its program. */
export function questionOf(
  { segmentRoot, checkpoint, inputs, firstLaunch }: RoundView,
  { launch, tile }: Pick<TileQuestion, "launch" | "tile">,
): Omit<TileQuestion, "checked"> {
  return {
    ...{ first: firstLaunch, launch, tile, segmentRoot: hexToBytes(segmentRoot) },
    checkpointRoot: checkpoint && hexToBytes(checkpoint),
    inputs: inputs.map(hexToBytes),
  };
}

/** Throws TILE_MALFORMED, TILE_UNPROVEN or TILE_MISSING. */
export function recomputeTile(question: TileQuestion, inputs: Uint8Array): RecomputedTile {
  const { checked, launch, tile } = question;
  const contents = checkTileInputs(question, decodeTileInputs(inputs));
  const { scheduled } = contents;
  const kernel = checked.kernels[scheduled.launch.kernel];
  assert(kernel !== undefined, "the program was checked");
  const result = runPagedTile({
    ...{ program: checked.program, kernel, scheduled, tile },
    chunk: (buffer, chunk) => contents.chunk(buffer, chunk),
  });
  if (result.kind === "trap") return { digest: tileDigest(launch, tile, { kind: "trap" }), written: new Map() };
  const addresses = new Map([...result.written].map(([buffer, bytes]) => [buffer, contentAddress(bytes)]));
  return { digest: tileDigest(launch, tile, { kind: "done", addresses }), written: result.written };
}
