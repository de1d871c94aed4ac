/** Has the chain compute one tile: the challenge, what the tile reads, and that it is all there. */
import { decodeProgram } from "../../program/codec.ts";
import { checkProgram } from "../../ptx/check-program.ts";
import type { ChainAction, ChainPort, RoundView, StagedChunk } from "../ports.ts";
import { checkTileInputs, stagedChunks } from "../tiles/check-tile-inputs.ts";
import { decodeTileInputs } from "../tiles/tile-inputs-codec.ts";
import { questionOf } from "./recompute-tile.ts";
import { stagesOf } from "./stages.ts";
import type { Place } from "./verifier-state.ts";

export type RefereeStep = { readonly action: ChainAction["kind"]; readonly error: string | undefined };

/** Of the encoded program, from inputs as the worker sent them. Throws TILE_ codes. */
export function chunksOf(
  program: Uint8Array,
  round: RoundView,
  place: Place,
  inputs: Uint8Array,
): readonly StagedChunk[] {
  const question = { checked: checkProgram(decodeProgram(program)), ...questionOf(round, place) };
  const decoded = decodeTileInputs(inputs);
  checkTileInputs(question, decoded);
  return stagedChunks(question, decoded);
}

/** It was begun before, and broken off: the bond is there, and what is missing can still be staged. */
const BEGUN = "AlreadyChallenged";

/** Tells of each step; the first that is refused is the last. */
export async function callReferee(
  chain: Pick<ChainPort, "send">,
  round: bigint,
  place: Place,
  chunks: readonly StagedChunk[],
  tell: (step: RefereeStep) => void,
): Promise<void> {
  const actions: readonly ChainAction[] = [
    { kind: "challenge", round, ...place },
    ...[...stagesOf(chunks)].map((part): ChainAction => ({ kind: "stage", round, ...place, chunks: part })),
    { kind: "judge", round, ...place },
  ];
  for (const action of actions) {
    const outcome = await chain.send(action);
    const error = outcome.kind === "refused" ? outcome.error : undefined;
    tell({ action: action.kind, error });
    if (error !== undefined && !(action.kind === "challenge" && error === BEGUN)) return;
  }
}
